/** What a password Secret holds, and what it shall hold (webhook: pkg/resources/core/v1/secret). */

import type { User } from "@drover/crds";
import {
  type PasswordHash,
  parsePasswordSecret,
  passwordHashAnnotation,
  passwordSecret,
} from "@drover/platform";
import type { Secret } from "kopf-ts/kinds";

/** kubectl keeps there what was applied, plain passwords included. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** What a request does to a password. */
export type PasswordChange =
  /** It stores a hash that somebody made already. */
  | { readonly type: "hashed"; readonly hash: PasswordHash }
  /** It stores a plain text; undefined for bytes that are none. */
  | { readonly type: "plain"; readonly text: string | undefined };

/**
 * A hash counts as one only if it is new as a whole. A new password beside the salt of the old one is a plain text, whatever its length: salts are
 * never used twice, and `kubectl patch` leaves them where they are.
 */
export function passwordChange(after: Secret, before: Secret | undefined): PasswordChange {
  const had = before === undefined ? undefined : parsePasswordSecret(before);
  const same = (key: string): boolean => after.data?.[key] === before?.data?.[key];
  if (had !== undefined && same("password") && same("salt")) return { type: "hashed", hash: had };

  const hash = parsePasswordSecret(after);
  const keepsSalt = before !== undefined && same("salt");
  if (hash?.algorithm === "bcrypt" || (hash !== undefined && !keepsSalt)) {
    return { type: "hashed", hash };
  }
  const { password } = after.data ?? {};
  return { type: "plain", text: password === undefined ? "" : decode(password) };
}

function decode(base64: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(base64, "base64"),
    );
  } catch {
    return undefined;
  }
}

/** The Secret with a hash, and without any trace of the plain text; the user owns it. */
export function withHash(secret: Secret, user: Pick<User, "metadata">, hash: PasswordHash): Secret {
  const { data, metadata } = passwordSecret(user, hash);
  const { stringData: _, ...rest } = secret;
  const { [lastApplied]: __, ...annotations } = secret.metadata.annotations ?? {};
  const others = (secret.metadata.ownerReferences ?? []).filter(
    ({ uid }) => uid !== user.metadata.uid,
  );
  return {
    ...rest,
    metadata: {
      ...secret.metadata,
      annotations: { ...annotations, [passwordHashAnnotation]: hash.algorithm },
      ownerReferences: [...others, ...(metadata.ownerReferences ?? [])],
    },
    ...(data && { data }),
  };
}
