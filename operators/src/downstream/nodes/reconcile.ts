import { Node, Setting } from "@drover/crds";
import { type Environment, liveSettings } from "@drover/platform";
import {
  type Context,
  done,
  isAlreadyExists,
  isNotFound,
  type Result,
  TemporaryError,
} from "kopf-ts";
import { Node as CoreNode } from "kopf-ts/kinds";
import { isAstray, isIgnored, isSynced, newNode, nodePatch, othersFinalizers } from "./desired.ts";
import { byNode, ignoreSetting } from "./names.ts";

/** Keeps one management Node of a node, which says what the node is. */
export async function reconcile(
  node: CoreNode,
  context: Context,
  env: Environment,
): Promise<Result> {
  const { hub } = context;
  const { name } = node.metadata;
  const known = standingFor(name, context);
  if (isIgnored(name, liveSettings(hub.cache(Setting), env).text(ignoreSetting))) {
    await remove(known, context);
    return done;
  }
  if (await letGo(name, context)) return done; // the change runs it again
  const [first, ...others] = known;
  if (first === undefined) {
    await make(node, context);
    return done;
  }
  const merge = nodePatch(first, node);
  if (merge !== undefined) await hub.client.patch(first, { merge });
  await remove(others, context);
  return done;
}

/** One of its name that says it stands for another node, or for none, was changed by somebody: it is the node's again. */
async function make(node: CoreNode, { hub, cluster }: Context): Promise<void> {
  const wanted = newNode(node, cluster);
  try {
    await hub.client.create(wanted);
  } catch (error) {
    if (!isAlreadyExists(error)) later(error);
    const live = await hub.client.find(Node, wanted.metadata.name, { namespace: cluster });
    if (live === undefined || !isAstray(live, wanted)) later(error);
    const merge = nodePatch(live, node);
    if (merge !== undefined) await hub.client.patch(live, { merge });
  }
}

/** The node is gone, so the management Node that followed it goes, too; what the cache lacks is asked for before. */
export async function forget(name: string, context: Context): Promise<Result> {
  await letGo(name, context);
  const left = standingFor(name, context).filter(isSynced);
  if (left.length === 0 || (await context.client.find(CoreNode, name)) !== undefined) return done;
  await remove(left, context);
  return done;
}

/** Takes off what a Rancher before us put on, whose controllers are gone: neither the Node nor its namespace could ever be deleted. Answers whether there was any. */
async function letGo(name: string, { hub, cluster }: Context): Promise<boolean> {
  const all = hub.cache(Node).byIndex(byNode, `${cluster}/${name}`);
  const held = all.filter((node) => othersFinalizers(node, cluster) !== undefined);
  for (const node of held) {
    const { uid, resourceVersion } = node.metadata;
    const finalizers = othersFinalizers(node, cluster);
    await hub.client.patch(node, { merge: { metadata: { uid, resourceVersion, finalizers } } });
  }
  return held.length > 0;
}

/** Those that are not on their way out; the oldest first. */
function standingFor(name: string, { hub, cluster }: Context): readonly Node[] {
  const age = ({ metadata: { creationTimestamp = "", name } }: Node) =>
    `${creationTimestamp} ${name}`;
  return hub
    .cache(Node)
    .byIndex(byNode, `${cluster}/${name}`)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => (age(a) < age(b) ? -1 : 1));
}

async function remove(nodes: readonly Node[], { hub, log }: Context): Promise<void> {
  for (const node of nodes.filter(isSynced)) {
    await hub.client.delete(node); // carries uid and resourceVersion
    log.info("deleted the management Node of a node", { machine: node.metadata.name });
  }
}

/** Milliseconds until it is worth another look. */
const delay = 2_000;

/** One of the name is on its way out, or the namespace of the cluster is not there (yet, or any more). */
function later(error: unknown): never {
  if (isAlreadyExists(error) || isNotFound(error)) {
    const message = "the management Node of a node cannot be made yet";
    throw new TemporaryError(message, { cause: error, delay });
  }
  throw error;
}
