// Questions to several clusters at once.
export { cacheShares } from "./cache-shares.ts";
export { CachedSource } from "./cached-source.ts";
export { ClusterV1 } from "./cluster-v1.ts";
export { Clusters } from "./clusters.ts";
export { listOfClusters, type SeveralRequest } from "./list.ts";
export { Members } from "./members.ts";
export { searchOfClusters } from "./search.ts";
export { watchOfClusters } from "./watch.ts";
