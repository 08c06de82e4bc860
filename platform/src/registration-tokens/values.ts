/** What the Secret of a ClusterRegistrationToken holds, taken out and put in. Pure. */

import { ClusterRegistrationToken } from "@drover/crds";
import type { KubeObject, OwnerReference } from "kopf-ts";
import type { Secret } from "kopf-ts/kinds";
import { Confidential } from "../tokens/confidential.ts";
import { fromTimestamp, toTimestamp } from "../tokens/expiry.ts";

/** The values of a registration token and when they end, in milliseconds since the epoch; undefined ends never. */
export interface RegistrationValues {
  readonly token: Confidential;
  readonly expiresAt?: number | undefined;
  /** The value before, which counts as well for a while. */
  readonly previous?: { readonly token: Confidential; readonly expiresAt: number } | undefined;
}

const keys = {
  token: "token",
  expiresAt: "expiresAt",
  previousToken: "previousToken",
  graceExpiresAt: "gracePeriodExpiresAt",
} as const;

/** Longer ones are no values of ours, and not worth the comparison. */
export const longestValue = 256;

/** What a Secret holds; undefined where it holds no value. A previous value without a readable end counts no more. */
export function readRegistrationValues({ data }: Secret): RegistrationValues | undefined {
  const text = (key: string): string => Buffer.from(data?.[key] ?? "", "base64").toString("utf8");
  const [token, previous] = [text(keys.token), text(keys.previousToken)];
  if (token === "" || token.length > longestValue) return undefined;
  const [expiresAt, graceExpiresAt] = [keys.expiresAt, keys.graceExpiresAt].map((key) =>
    fromTimestamp(text(key)),
  );
  return {
    token: new Confidential(token),
    expiresAt,
    ...(previous !== "" &&
      graceExpiresAt !== undefined && {
        previous: { token: new Confidential(previous), expiresAt: graceExpiresAt },
      }),
  };
}

/** The data of a Secret that holds these; null for keys that it must not have. */
export function registrationData({
  token,
  expiresAt,
  previous,
}: RegistrationValues): Readonly<Record<string, string | null>> {
  const encode = (text: string | undefined): string | null =>
    text === undefined ? null : Buffer.from(text, "utf8").toString("base64");
  const time = (at: number | undefined) => encode(at === undefined ? undefined : toTimestamp(at));
  return {
    [keys.token]: encode(token.reveal()),
    [keys.expiresAt]: time(expiresAt),
    [keys.previousToken]: encode(previous?.token.reveal()),
    [keys.graceExpiresAt]: time(previous?.expiresAt),
  };
}

/** The reference by which an object belongs to a ClusterRegistrationToken. */
export function registrationOwner({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(
    ({ apiVersion, kind }) =>
      kind === ClusterRegistrationToken.kind &&
      apiVersion.startsWith(`${ClusterRegistrationToken.group}/`),
  );
}
