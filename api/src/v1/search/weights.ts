/** Which types people look for first. */

/** What people make and run. */
const sought = [
  ...["management.cattle.io.cluster", "management.cattle.io.project", "namespace", "node"],
  ...["apps.deployment", "apps.statefulset", "apps.daemonset", "batch.cronjob", "batch.job"],
  ...["service", "networking.k8s.io.ingress", "gateway.networking.k8s.io.httproute"],
];

/** What belongs to that. */
const near = [
  ...["pod", "configmap", "secret", "persistentvolumeclaim", "persistentvolume"],
  ...["serviceaccount", "autoscaling.horizontalpodautoscaler"],
  ...["storage.k8s.io.storageclass", "management.cattle.io.user"],
];

/** What others make beside it, mostly under the same names. */
const beside = [
  ...["event", "events.k8s.io.event", "endpoints", "discovery.k8s.io.endpointslice"],
  ...["apps.replicaset", "apps.controllerrevision", "coordination.k8s.io.lease"],
];

/** Everything else, custom resources among it. */
const others = 2;

const weights: ReadonlyMap<string, number> = new Map([
  ...sought.map((id) => [id, 0] as const),
  ...near.map((id) => [id, 1] as const),
  ...beside.map((id) => [id, 3] as const),
]);

/** The lower, the further up a type's objects stand among those whose names fit as well. */
export function weightOf(typeId: string): number {
  return weights.get(typeId) ?? others;
}
