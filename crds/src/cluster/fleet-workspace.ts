import type { Kind, KubeObject } from "kopf-ts";
import { managementKind } from "../management.ts";

/** A workspace of Fleet: a namespace of the same name. */
export interface FleetWorkspace extends KubeObject {
  /** Always empty. */
  readonly status?: Readonly<Record<never, never>>;
}

export const FleetWorkspace: Kind<FleetWorkspace> = managementKind(
  "FleetWorkspace",
  "fleetworkspaces",
  "Cluster",
);
