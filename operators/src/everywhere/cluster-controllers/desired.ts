/** What is said of a cluster, by how it answers. */

import type { NormanConditionUpdate } from "kopf-ts";
import { conditions, disconnectedMessage, reasons } from "./names.ts";

/** How a cluster answered. */
export type Health =
  /** Well; `identity` is the uid of its namespace kube-system. */
  | { readonly kind: "healthy"; readonly identity: string | undefined }
  /** It is reached, and says that it is not well. */
  | { readonly kind: "unhealthy"; readonly message: string }
  /** It is not reached, or not by us. */
  | { readonly kind: "away"; readonly reason: string; readonly message: string };

/** The conditions that follow; an internal cluster is always connected. */
export function conditionsFor(health: Health, isInternal: boolean): NormanConditionUpdate[] {
  if (health.kind === "away" && !isInternal) return away(health);
  const connected = isInternal ? [] : [{ type: conditions.connected, status: "True" } as const];
  return [...connected, ...readiness(health)];
}

function readiness(health: Health): NormanConditionUpdate[] {
  const { ready: type, waiting } = conditions;
  if (health.kind === "healthy") {
    return [
      { type, status: "True" },
      { type: waiting, status: "True" },
    ];
  }
  const { message } = health;
  return [{ type, status: "False", reason: reasons.unhealthy, message }];
}

/** Who is another cluster is told so in both; for all others Rancher's words say that it is away. */
function away({ reason, message }: Extract<Health, { kind: "away" }>): NormanConditionUpdate[] {
  const isOther = reason === reasons.otherCluster;
  return [
    { type: conditions.connected, status: "False", reason, message },
    {
      type: conditions.ready,
      status: "False",
      reason: isOther ? reason : reasons.disconnected,
      message: isOther ? message : disconnectedMessage,
    },
  ];
}
