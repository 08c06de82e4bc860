/** Which requests are for the API server. Pure. */

/** What it serves at the root as well as below the path of the local cluster, which is taken off before. */
const everywhere = /^\/(?:apis?|openapi|version)(?:\/|$)/;
/** What it says of itself, below the path of the local cluster alone: at the root that is ours to say (rancher: pkg/clusterrouter, which passes on all but /v1). */
const ofCluster =
  /^\/k8s\/(?:clusters|proxy)\/local(?=\/(?:healthz|livez|readyz|metrics|logs|openid|\.well-known)(?:\/|$))/;

/** The path at the API server; undefined for what is not for it. */
export function serverPath(path: string): string | undefined {
  if (everywhere.test(path)) return path;
  return ofCluster.test(path) ? path.replace(ofCluster, "") : undefined;
}
