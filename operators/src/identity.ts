/** Under whom the operators write, so that their own webhooks are never asked about them. */

import type { Impersonation } from "kopf-ts";
import type { MatchCondition } from "kopf-ts/admission";

/** Upstream's bypass identity (webhook: docs.md); the group gives it every right. */
export const ownIdentity: Impersonation & { readonly groups: readonly string[] } = {
  user: "system:serviceaccount:cattle-system:rancher-webhook-sudo",
  groups: ["system:masters"],
};

/** What every entry of the webhook configurations asks first. Both are looked at: neither alone could be had by mistake. */
export const notOurselves: MatchCondition = {
  name: "not-the-server-itself",
  expression: `!(request.userInfo.username == '${ownIdentity.user}' && ${ownIdentity.groups.map((group) => `'${group}' in request.userInfo.groups`).join(" && ")})`,
};
