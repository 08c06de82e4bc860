/** Names that people and programs see (rancher: pkg/data/management/role_data.go, bootstrap_password.go). */

import { createHash } from "node:crypto";
import { labels } from "@drover/crds";

/** ConfigMap: once it is there, no admin is ever made again. */
export const guardName = "admincreated";
/** Secret with the first password. */
export const secretName = "bootstrap-secret";
/** Its key. */
export const secretKey = "bootstrapPassword";
/** Annotation on that Secret: the password was made up by us, so that nobody knows it but those who read it there. */
export const generatedAnnotation = "authz.management.cattle.io/bootstrap-password-generated";
/** Environment variable with the first password. */
export const passwordVariable = "CATTLE_BOOTSTRAP_PASSWORD";

/** The name that the default admin logs in with. */
export const adminUsername = "admin";
/** Label of the default admin and of its bindings. */
export const adminLabel: Readonly<Record<string, string>> = {
  [labels.bootstrapping]: "admin-user",
};
/** Finds what has the label. */
export const adminSelector: string = Object.entries(adminLabel)
  .map(([key, value]) => `${key}=${value}`)
  .join(",");
/** The GlobalRole of admins. */
export const adminRole = "admin";

/** Prefixes of names, followed by five characters. */
export const prefixes = {
  user: "user-",
  globalRoleBinding: "globalrolebinding-",
  clusterRoleBinding: "default-admin-",
} as const;

/** What the API server makes generated names of. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/**
 * A name as `generateName` would make it, but always the same one for the same seed: whoever asks twice for the object, because nobody knows whether the
 * first request arrived, gets one object.
 */
export function nameFrom(prefix: string, seed: string): string {
  const digest = createHash("sha256").update(`${prefix}${seed}`).digest();
  const suffix = [...digest.subarray(0, 5)].map((byte) => alphabet[byte % alphabet.length]);
  return prefix + suffix.join("");
}
