import { Setting } from "@drover/crds";
import { desiredSettings, type Environment } from "@drover/platform";
import type { TaskContext } from "kopf-ts";
import { once } from "../management/settings/desired.ts";
import { bringAbout } from "./write.ts";

/** Makes missing Settings, refreshes defaults, forces what the environment says, and deletes those of unknown names. */
export async function ensureSettings(context: TaskContext, env: Environment): Promise<void> {
  const { client, log, signal } = context;
  const computed = { "k8s-version": await versionOf(context) };
  const changed = await bringAbout(context, async () => {
    const { items } = await client.list(Setting, { signal });
    return desiredSettings(items, env, { computed, once: once() });
  });
  if (changed > 0) log.info("settings are initialised", { changed });
}

/** The version of the local cluster, such as v1.35.4. */
async function versionOf({ client, signal }: TaskContext): Promise<string> {
  const { body } = await client.request({ method: "GET", path: "/version", signal });
  const { gitVersion }: { readonly gitVersion?: unknown } = JSON.parse(body.toString());
  return typeof gitVersion === "string" ? gitVersion : "";
}
