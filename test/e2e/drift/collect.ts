/** Finds what a server made, in whatever kind there is, by its marks and those of a Rancher. */

import { type Client, claimOf, discover, isNotFound, type Kind, type KubeObject } from "kopf-ts";

/** Objects of one kind that one concern makes in one place. */
export interface Group {
  readonly name: string;
  readonly members: readonly Found[];
}

/** An object, with the kind by which it is asked for. */
export interface Found {
  readonly kind: Kind;
  readonly object: KubeObject;
}

/** Everything that a cluster holds and that is made by us, grouped by kind and writer. */
export async function collect(client: Client): Promise<readonly Group[]> {
  const groups = Map.groupBy(
    (await everything(client)).filter(({ object }) => isManaged(object)),
    ({ object }) => groupOf(object),
  );
  return [...groups].map(([name, members]) => ({ name, members })).toSorted(byName);
}

/** All objects of all kinds. */
async function everything(client: Client): Promise<readonly Found[]> {
  const { kinds } = await discover(client);
  const listed = kinds.filter(
    ({ verbs, group }) => verbs.includes("list") && verbs.includes("delete") && !noise.has(group),
  );
  const lists = await Promise.all(
    listed.map(async (kind) => {
      try {
        const { items } = await client.list<KubeObject>(kind);
        return items.map((object) => ({ kind, object }));
      } catch (error) {
        if (isNotFound(error)) return [];
        throw error;
      }
    }),
  );
  return lists.flat();
}

/** Groups whose objects come and go by themselves. */
const noise = new Set(["events.k8s.io", "coordination.k8s.io", "metrics.k8s.io"]);

/** By our marks; or, where a concern sets none, by the labels of a Rancher on what nobody else wrote to. */
function isManaged(object: KubeObject): boolean {
  if (writersOf(object).includes("drover-bootstrap")) return false; // that is put back when a server starts
  if (claimOf(object) !== undefined) return true;
  const { labels = {}, annotations = {} } = object.metadata;
  const marks = Object.keys({ ...labels, ...annotations });
  if (marks.some((key) => key.startsWith("claim.drover.dev/"))) return true;
  if (object.kind === "Namespace") return false; // there it only says what is inside
  return marks.some((key) => rancherMarks.test(key)) && writersOf(object).every(isOurs);
}

/** By these a Rancher knows what it made; some keys end in the name of an owner. */
const rancherMarks =
  /^(authz\.cluster\.cattle\.io\/(clusterrole-owner$|[cp]rtb-owner|impersonator$)|authz\.management\.cattle\.io\/grb?-owner$|resourcequota\.management\.cattle\.io\/default-resource-quota$|management\.cattle\.io\/project-scoped-secret-copy$|authz\.cluster\.auth\.io\/project-namespaces$)/;

/** What wrote it, which of its sets it belongs to, and whether Kubernetes completes it. */
function groupOf(object: KubeObject): string {
  const { annotations = {} } = object.metadata;
  const set = annotations[setId]?.replace(/@.*/, "");
  const isAggregating = "aggregationRule" in object;
  return [object.kind, writer(object), set, isAggregating ? "aggregating" : undefined]
    .filter((part) => part !== undefined)
    .join(" ");
}

const setId = "objectset.rio.cattle.io/id";

function writer(object: KubeObject): string {
  return writersOf(object).find(isOurs) ?? "nobody";
}

function isOurs(manager: string): boolean {
  return manager.startsWith("drover-");
}

/** Its field managers. */
function writersOf({ metadata }: KubeObject): readonly string[] {
  const { managedFields = [] } = metadata as { managedFields?: readonly Manager[] };
  return managedFields.map(({ manager }) => manager);
}

interface Manager {
  readonly manager: string;
}

function byName(a: Group, b: Group): number {
  return a.name < b.name ? -1 : 1;
}
