export {
  clusterConfig,
  credentialKey,
  credentialSecretName,
  isCredentialOf,
  isReachable,
  type Reachable,
  type Unreachable,
} from "./config.ts";
export { legacyOwner, rendezvousOwner } from "./ownership.ts";
