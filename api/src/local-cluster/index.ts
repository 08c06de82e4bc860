import type { Stage } from "../stage.ts";

/** What a cluster serves, below its own path: /v1 and the Kubernetes API. */
const ofLocal = /^\/k8s\/(?:clusters|proxy)\/local(?=\/(?:v1|apis?|openapi|version)(?:\/|$))/;

/** Serves the server's own cluster by its own path as well, which is taken off the request's (rancher: pkg/api/steve/proxy, RewriteLocalCluster). */
export const localCluster: Stage = (exchange, next) => {
  if (exchange.path.startsWith("/k8s/")) exchange.path = exchange.path.replace(ofLocal, "");
  return next();
};
