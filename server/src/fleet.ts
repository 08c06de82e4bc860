/** The managed clusters of a server: who works for them, and with what. */

import { downstream, Fleet, type Surroundings } from "@drover/operators";
import { type Client, ClusterSet, type Logger, type Metrics, type Operator } from "kopf-ts";
import { Members } from "kopf-ts/election";

/** Where the replicas' leases are: in a namespace that is always there. */
const replicas = { namespace: "kube-system", group: "drover" } as const;

/** What clusters are worked for with. */
export interface ClusterParts {
  /** Under which the server writes. */
  readonly client: Client;
  /** Of the leases. */
  readonly electing: Client;
  /** Nobody else serves the cluster, so there is nobody to share with. */
  readonly alone: boolean;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The fleet, and the replicas that share it. */
export function fleetOf({
  client,
  electing,
  alone,
  ...observed
}: ClusterParts): Pick<Surroundings, "fleet" | "members"> {
  const { logger } = observed;
  const members = alone ? undefined : new Members(electing, { ...replicas, logger });
  const fleet = new Fleet({ hub: client, ...observed, ...(members && { members }) });
  return { fleet, members };
}

/** Lets the fleet engage clusters with the concerns that work there; it ends with the operator's tasks. */
export function engage(
  operator: Operator,
  surroundings: Surroundings,
  { client, logger, metrics }: Pick<ClusterParts, "client" | "logger" | "metrics">,
): void {
  const { fleet } = surroundings;
  if (fleet === undefined) return;
  const { informers, events } = operator;
  const set = new ClusterSet({
    name: operator.name,
    controllers: downstream(surroundings),
    hub: { client, informers, events },
    beforeWrite: fleet.beforeWrite,
    logger,
    metrics,
  });
  fleet.use(set);
}
