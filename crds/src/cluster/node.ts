/** Node, the management copy of a downstream node (rancher: pkg/apis/management.cattle.io/v3/machine_types.go). */

import type { Kind, KubeObject } from "kopf-ts";
import {
  managementKind,
  type NormanCondition,
  type Opaque,
  type ResourceList,
} from "../management.ts";

/** The copy of a managed cluster's node; its namespace is named like the cluster. Not the Node of core/v1. */
export interface Node extends KubeObject {
  readonly spec?: NodeSpec;
  readonly status?: NodeStatus;
}

export const Node: Kind<Node> = managementKind("Node", "nodes", "Namespaced");

/** What is wanted of a node. */
export interface NodeSpec {
  readonly etcd?: boolean;
  readonly controlPlane?: boolean;
  /** Also true for a node without any role. */
  readonly worker?: boolean;
  readonly imported?: boolean;
  readonly displayName?: string;
  readonly description?: string;
  readonly requestedHostname?: string;
  readonly nodePoolName?: string;
  readonly nodeTemplateName?: string;
  readonly customConfig?: Opaque | null;
  /** core/v1 NodeSpec. */
  readonly internalNodeSpec?: Opaque;
  readonly desiredNodeTaints?: readonly Taint[] | null;
  readonly updateTaintsFromAPI?: boolean;
  /** true cordons, false uncordons, drain, stopDrain; emptied when done. */
  readonly desiredNodeUnschedulable?: string;
  readonly nodeDrainInput?: Opaque;
  readonly metadataUpdate?: MetadataUpdate;
  /** RFC 3339. */
  readonly scaledownTime?: string;
}

/** A taint, as in core/v1. */
export interface Taint {
  readonly key?: string;
  readonly value?: string;
  readonly effect?: string;
  /** RFC 3339. */
  readonly timeAdded?: string;
}

/** Labels and annotations to change on the cluster's own Node; emptied when done. */
export interface MetadataUpdate {
  readonly labels?: MapDelta;
  readonly annotations?: MapDelta;
}

/** Keys to set, and keys to remove (value true). */
export interface MapDelta {
  readonly add?: Readonly<Record<string, string>>;
  readonly delete?: Readonly<Record<string, boolean>>;
}

/** What is known of a node. */
export interface NodeStatus {
  readonly conditions?: readonly NormanCondition[];
  readonly nodeName?: string;
  /** core/v1 NodeStatus without images and volumes. */
  readonly internalNodeStatus?: Opaque;
  readonly nodeLabels?: Readonly<Record<string, string>>;
  readonly nodeAnnotations?: Readonly<Record<string, string>>;
  readonly nodeTaints?: readonly Taint[];
  readonly requested?: ResourceList;
  readonly limits?: ResourceList;
  readonly dockerInfo?: Opaque | null;
  readonly appliedNodeVersion?: number;
}
