/**
 * The cluster that a path goes to; undefined for the management server itself. A token of one cluster is good for such paths alone
 * (rancher: pkg/clusterrouter, GetClusterID).
 */
export function clusterIn(path: string): string | undefined {
  const [, cluster] = /^\/(?:k8s|v3)\/(?:clusters|cluster|proxy)\/([^/]+)/.exec(path) ?? [];
  return cluster;
}
