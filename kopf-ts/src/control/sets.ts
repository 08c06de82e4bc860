import type { SetDefaults } from "../kube/index.ts";
import type { Side } from "./sources.ts";

/**
 * What applySet goes by when a controller writes to one side. Sets of a cluster's controllers are told apart by its name wherever objects of the
 * hub take part: in the hub other clusters have controllers of the same name, and the cluster may be a hub itself, with owners of the same names.
 */
export function setsOf(
  { hub }: { readonly hub?: unknown },
  side: Side,
  cluster: string,
): SetDefaults | undefined {
  const ownersIn: Side = hub === undefined ? "cluster" : "hub";
  if (ownersIn === "cluster" && side === "cluster") return undefined;
  return { scope: cluster, ownersElsewhere: ownersIn !== side };
}
