export { type Cluster, type ClusterSource, type ClusterState, hubSource } from "./cluster.ts";
export { type ClusterListener, ClusterSet, type ClusterSetOptions } from "./cluster-set.ts";
export type { HubParts } from "./equipment.ts";
export { type ExitCode, exitCodes } from "./exit-code.ts";
export { Operator } from "./operator.ts";
export type { AnyController, OperatorElection, OperatorOptions } from "./options.ts";
export { type RunOptions, runOperator, type Startable } from "./signals.ts";
export type { Task, TaskContext } from "./task.ts";
