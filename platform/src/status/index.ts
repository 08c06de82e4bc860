export {
  clusterConditions,
  reportCluster,
  sumOfClusters,
} from "./clusters.ts";
export {
  conditionsOf,
  holds,
  overall,
  type Summary,
  summaryOf,
  tellFailures,
} from "./conditions.ts";
export { type LocalReport, localStatusOf } from "./local-status.ts";
export { isTrue, tellConditions } from "./norman.ts";
