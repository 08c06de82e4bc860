export { caChecksum } from "./ca-checksum.ts";
export { tokenHash } from "./credentials.ts";
export {
  type AgentFacts,
  type AgentInput,
  agentInput,
  type PullSecret,
} from "./input.ts";
export { agentObjects } from "./objects.ts";
export { appliedAgent, type RedeployReason, redeployReasons } from "./redeploy.ts";
