/** Keeps setting cacerts, which agents and kubeconfigs take their trust from. */

import { Setting } from "@drover/crds";
import { type Environment, environmentValue } from "@drover/platform";
import { type Controller, done, related, requeueAfter, where } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { isOurs } from "./bundle.ts";
import { cacerts, secrets } from "./names.ts";

/** What the setting is made of. */
export interface CacertsSource {
  readonly env: Environment;
  /** PEM of every authority whose certificates may be served; empty while that is not known. `files`: the user brought a certificate. */
  readonly bundle: (() => string) | "files";
}

const select = {
  namespace: secrets.authority.namespace,
  fieldSelector: `metadata.name=${secrets.authority.name}`,
};
const key = `${secrets.authority.namespace}/${secrets.authority.name}`;
/** Milliseconds until the certificates are looked at again when they were not open yet. */
const soon = 500;

/**
 * Writes our authorities to the setting, without the last line's end, as Rancher does (rancher: pkg/tls, SetupListener): the checksum that
 * agents know stays the same. What the environment sets is left alone. Of a user's own certificate we do not know who signed it: then
 * the setting is only cleared of our authority, which signs nothing any more.
 */
export function cacertsController({ env, bundle }: CacertsSource): Controller<Setting> {
  return {
    name: "cacerts",
    watches: Setting,
    when: where(isIt),
    related: [related(Secret, { select, map: () => [cacerts] })],
    reconcile: async (setting, { client, cache, log }) => {
      if (!isIt(setting) || environmentValue(cacerts, env) !== undefined) return done;
      const value = setting.value ?? "";
      const stale = bundle === "files" && isOurs(value, cache(Secret, select).get(key));
      const wanted = bundle === "files" ? (stale ? "" : value) : bundle().trim();
      if (bundle !== "files" && wanted === "") return requeueAfter(soon);
      if (wanted === value) return done;
      await client.patch(setting, { merge: { value: wanted } });
      log.info("setting cacerts follows the serving certificate", { cleared: wanted === "" });
      return done;
    },
  };
}

function isIt({ metadata }: Setting): boolean {
  return metadata.name === cacerts;
}
