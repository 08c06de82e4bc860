/** The managed clusters of a server: who works for them, and with what. */

import { downstream, Fleet, type Surroundings } from "@drover/operators";
import { type Client, ClusterSet, type Logger, type Metrics, type Operator } from "kopf-ts";
import { Members, type MembersTiming } from "kopf-ts/election";

/** Where the replicas' leases are: in a namespace that is always there. */
const replicas = { namespace: "kube-system", group: "drover" } as const;

/** How long a replica that is gone keeps its clusters, beside the election's usual 45 s; shorter elections make it shorter. */
const usual = { leaseDuration: 30_000, renewDeadline: 20_000, renewPeriod: 10_000 } as const;
const usualElection = 45_000;

/** What clusters are worked for with. */
export interface ClusterParts {
  /** Under which the server writes. */
  readonly client: Client;
  /** Of the leases. */
  readonly electing: Client;
  /** Nobody else serves the cluster, so there is nobody to share with. */
  readonly alone: boolean;
  /** Milliseconds of the election's lease. */
  readonly leaseDuration: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The fleet, and the replicas that share it. */
export function fleetOf({
  client,
  electing,
  alone,
  leaseDuration,
  ...observed
}: ClusterParts): Pick<Surroundings, "fleet" | "members"> {
  const { logger } = observed;
  const options = { ...replicas, ...timesFor(leaseDuration), logger };
  const members = alone ? undefined : new Members(electing, options);
  const fleet = new Fleet({ hub: client, ...observed, ...(members && { members }) });
  return { fleet, members };
}

function timesFor(election: number): MembersTiming {
  const part = Math.min(1, election / usualElection);
  const { leaseDuration, renewDeadline, renewPeriod } = usual;
  return {
    leaseDuration: leaseDuration * part,
    renewDeadline: renewDeadline * part,
    renewPeriod: renewPeriod * part,
  };
}

/** Lets the fleet engage clusters with the concerns that work there, and gives them for others to ask; it ends with the operator's tasks. */
export function engage(
  operator: Operator,
  surroundings: Surroundings,
  { client, logger, metrics }: Pick<ClusterParts, "client" | "logger" | "metrics">,
): ClusterSet | undefined {
  const { fleet } = surroundings;
  if (fleet === undefined) return undefined;
  const { informers, events } = operator;
  const set = new ClusterSet({
    name: operator.name,
    controllers: downstream(surroundings),
    hub: { client, informers, events },
    beforeWrite: fleet.beforeWrite,
    managedFields: "cold", // for the API, whose answers show them
    logger,
    metrics,
  });
  fleet.use(set);
  return set;
}
