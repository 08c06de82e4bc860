/** The Secret that keeps a user's password: its shape, both ways (rancher: pkg/auth/providers/local/pbkdf2). */

import { User } from "@drover/crds";
import { apiVersionOf, type JsonPatchOperation, type KubeObject } from "kopf-ts";
import { parseBcrypt } from "./bcrypt.ts";
import { keyLength, type PasswordHash, type Pbkdf2Hash } from "./hash.ts";

/** Where password Secrets are; each has the name of its user. */
export const passwordNamespace = "cattle-local-user-passwords";

/** Annotation that says how the password is hashed: `pbkdf2sha3512` or `bcrypt`. */
export const passwordHashAnnotation = "cattle.io/password-hash";

/** A Secret as far as passwords are concerned; values are base64. */
export interface PasswordSecret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** Salts of other lengths are not worked with. Rancher's have 32 bytes. */
const saltLengths = { least: 8, most: 128 } as const;

/** The desired Secret of a user; the user owns it, so it goes with the user. Throws a TypeError for a user that was not created yet. */
export function passwordSecret(user: Pick<User, "metadata">, hash: PasswordHash): PasswordSecret {
  const { name, uid } = user.metadata;
  if (uid === undefined || uid === "") throw new TypeError(`user ${name} has no uid yet`);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name,
      namespace: passwordNamespace,
      annotations: { [passwordHashAnnotation]: hash.algorithm },
      ownerReferences: [{ apiVersion: apiVersionOf(User), kind: User.kind, name, uid }],
    },
    data: dataOf(hash),
  };
}

/**
 * The password in a Secret; undefined for an unknown algorithm, missing or malformed data, and parameters beyond our limits.
 * Verifying undefined matches nothing.
 */
export function parsePasswordSecret(
  secret: Pick<PasswordSecret, "metadata" | "data">,
): PasswordHash | undefined {
  const password = decode(secret.data?.password);
  if (password === undefined) return undefined;
  switch (secret.metadata.annotations?.[passwordHashAnnotation]) {
    case "pbkdf2sha3512":
      return toPbkdf2(password, decode(secret.data?.salt));
    case "bcrypt":
      return toBcrypt(password.toString("latin1"));
    default:
      return undefined;
  }
}

/** A password of the deprecated field User.password; undefined if it is no bcrypt hash within our limits. */
export function parseLegacyPassword(text: string): PasswordHash | undefined {
  return toBcrypt(text);
}

/**
 * JSON Patch from one hash to another. It tests that the Secret still holds `from`: a password that was changed between is left as it is,
 * and the API server answers 422 Invalid.
 */
export function passwordPatch(from: PasswordHash, to: Pbkdf2Hash): readonly JsonPatchOperation[] {
  const annotation = `/metadata/annotations/${passwordHashAnnotation.replace("/", "~1")}`;
  return [
    { op: "test", path: "/data/password", value: dataOf(from).password },
    { op: "replace", path: "/data", value: dataOf(to) },
    { op: "replace", path: annotation, value: to.algorithm },
  ];
}

function dataOf(hash: PasswordHash): { readonly password: string; readonly salt?: string } {
  if (hash.algorithm === "bcrypt") {
    return { password: Buffer.from(hash.text, "latin1").toString("base64") };
  }
  return {
    password: Buffer.from(hash.key).toString("base64"),
    salt: Buffer.from(hash.salt).toString("base64"),
  };
}

function toPbkdf2(key: Buffer, salt: Buffer | undefined): Pbkdf2Hash | undefined {
  if (salt === undefined || key.length !== keyLength) return undefined;
  if (salt.length < saltLengths.least || salt.length > saltLengths.most) return undefined;
  return { algorithm: "pbkdf2sha3512", key, salt };
}

function toBcrypt(text: string): PasswordHash | undefined {
  const parsed = parseBcrypt(text);
  return parsed === undefined ? undefined : { algorithm: "bcrypt", text: parsed };
}

/** No stored value of ours is longer. */
const longestData = 1024;

/** Base64 as the API server sends it; undefined for anything else. */
function decode(text: unknown): Buffer | undefined {
  if (typeof text !== "string" || text.length > longestData) return undefined;
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}
