import type { Setting } from "@drover/crds";
import type { Environment } from "@drover/platform";
import { type Context, done, isAlreadyExists, type Result } from "kopf-ts";
import { repair, replacement } from "./desired.ts";

/** Keeps default and source, and the value that the environment forces. One of an unknown name stays until the next start. */
export async function keep(
  setting: Setting,
  { client, log }: Context,
  env: Environment,
): Promise<Result> {
  const wanted = repair(setting, env);
  if (wanted === undefined) return done;

  const { resourceVersion } = setting.metadata; // decided on this one: what a person writes meanwhile is looked at first
  await client.patch(setting, { merge: { metadata: { resourceVersion }, ...wanted } });
  log.info("repaired setting", { source: wanted.source });
  return done;
}

/** A built-in Setting comes back. */
export async function recreate(
  name: string,
  { client, log }: Context,
  env: Environment,
): Promise<Result> {
  const setting = replacement(name, env);
  if (setting === undefined) return done;

  try {
    await client.create(setting);
    log.info("made a deleted setting again");
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  return done;
}
