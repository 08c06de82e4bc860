export {
  clusterConfig,
  credentialKey,
  credentialSecretName,
  isReachable,
  type Reachable,
  type Unreachable,
} from "./config.ts";
export { legacyOwner, rendezvousOwner } from "./ownership.ts";
