/** Whether the agent of a cluster could do with the server's own CA bundle alone (rancher: pkg/controllers/managementuser/cavalidator). Pure. */

import { type Cluster, needsAgent } from "@drover/crds";
import type { NormanConditionUpdate } from "kopf-ts";
import type { Secret } from "kopf-ts/kinds";
import { keys, reasons, strictCheck } from "./names.ts";

/** What is to be said of a cluster; undefined as long as nobody can tell. The server's own has no agent, and is not asked about. */
export function strictness(
  cluster: Cluster,
  report: Secret | undefined,
): NormanConditionUpdate | undefined {
  if (cluster.spec?.internal === true) return undefined;
  if (report === undefined) return needsAgent(cluster) ? undefined : direct;
  const said = text(report, keys.valid);
  if (said === "true" && text(report, keys.bundle) !== "") {
    return { type: strictCheck, status: "True" };
  }
  return said === "false" ? invalid : unknown;
}

const type = strictCheck;

const direct: NormanConditionUpdate = {
  type,
  status: "True",
  reason: reasons.direct,
  message: "a kubeconfig leads to the cluster, so no agent has to trust the server",
};

const invalid: NormanConditionUpdate = {
  type,
  status: "False",
  reason: reasons.invalid,
  message:
    "the agent cannot verify the server by setting cacerts: put the authority of the server's certificate there before agent-tls-mode becomes strict",
};

const unknown: NormanConditionUpdate = {
  type,
  status: "Unknown",
  reason: reasons.unknown,
  message: "the agent does not say whether setting cacerts verifies the server",
};

function text({ data }: Secret, key: string): string {
  return Buffer.from(data?.[key] ?? "", "base64").toString("utf8");
}
