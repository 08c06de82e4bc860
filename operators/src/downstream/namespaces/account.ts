/** The ServiceAccount `default` of namespaces of the system (rancher: pkg/controllers/managementagent/nsserviceaccount). */

import type { Context } from "kopf-ts";
import { type Namespace, ServiceAccount } from "kopf-ts/kinds";
import type { Change } from "./desired.ts";
import { noTokenAnnotation } from "./names.ts";

/** Of the cache: only the ServiceAccounts of this name are watched. */
export const defaultAccounts = { fieldSelector: "metadata.name=default" };

/** Keeps the account from handing its token to Pods that do not ask, where the namespace says so, or is about to. */
export async function keepAccount(
  { metadata }: Namespace,
  change: Change | undefined,
  { client, cache }: Context,
): Promise<void> {
  const said = change?.annotations[noTokenAnnotation] ?? metadata.annotations?.[noTokenAnnotation];
  if (said !== "true") return;
  const account = cache(ServiceAccount, defaultAccounts).get(`${metadata.name}/default`);
  if (account === undefined || account.automountServiceAccountToken === false) return;
  await client.patch(account, { merge: { automountServiceAccountToken: false } });
}
