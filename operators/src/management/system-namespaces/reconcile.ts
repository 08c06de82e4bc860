import { type Client, type Context, done, isAlreadyExists, type Result } from "kopf-ts";
import type { Namespace } from "kopf-ts/kinds";
import { isSystemNamespace, missingLabels, newNamespace } from "./desired.ts";
import { reasons, recreateAction } from "./names.ts";

/** Keeps the labels of a namespace of ours. */
export async function keep(namespace: Namespace, { client, log }: Context): Promise<Result> {
  const labels = missingLabels(namespace);
  if (labels === undefined) return done;

  await client.patch(namespace, { merge: { metadata: { labels } } });
  log.info("put labels back", { labels: Object.keys(labels) });
  return done;
}

/** A namespace of ours comes back once its deletion is finished. */
export async function recreate(name: string, { client, events, log }: Context): Promise<Result> {
  if (!isSystemNamespace(name)) return done;
  const created = await makeNamespace(client, name);
  if (created === undefined) return done;

  const message = `namespace ${name} was deleted; this server needs it and made it again, empty`;
  const type = "Warning";
  events.event({ type, reason: reasons.recreated, action: recreateAction, message }, created);
  log.info("made a deleted system namespace again");
  return done;
}

/** The namespace that was made; undefined when somebody else was faster. */
export async function makeNamespace(
  client: Client,
  name: string,
  signal?: AbortSignal,
): Promise<Namespace | undefined> {
  try {
    return await client.create(newNamespace(name), { ...(signal && { signal }) });
  } catch (error) {
    if (isAlreadyExists(error)) return undefined;
    throw error;
  }
}
