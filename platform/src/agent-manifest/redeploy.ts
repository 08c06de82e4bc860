/** Why an agent has to be deployed again (rancher: pkg/controllers/management/clusterdeploy). Pure. */

import { isDeepStrictEqual } from "node:util";
import { agentConditions, agentNames, type Cluster } from "@drover/crds";
import { findCondition } from "kopf-ts";
import type { Deployment } from "kopf-ts/kinds";
import { pullSecretsHash, tokenHash } from "./credentials.ts";
import { deployment } from "./deployment.ts";
import type { AgentInput } from "./input.ts";

/** Each is told to people. */
export type RedeployReason =
  | "AgentNotDeployed"
  | "AgentMissing"
  | "DeployForced"
  | "ImageChanged"
  | "FeaturesChanged"
  | "TaintsChanged"
  | "VariablesChanged"
  | "SchedulingChanged"
  | "PullSecretsChanged"
  | "RegistrationTokenChanged";

/** Every reason there is; none: the agent is as it should be, as far as the cluster's status and its Deployment tell. */
export function redeployReasons(
  cluster: Cluster,
  input: AgentInput,
  live: Deployment | undefined,
): readonly RedeployReason[] {
  const { metadata, spec = {}, status = {} } = cluster;
  const noted = metadata.annotations ?? {};
  const isDeployed = findCondition(status.conditions, agentConditions.deployed)?.status === "True";
  const wanted = deployment(input).spec?.template.spec;
  const running = live?.spec?.template.spec;
  const found: readonly (readonly [RedeployReason, boolean])[] = [
    ["AgentNotDeployed", !isDeployed],
    ["AgentMissing", isDeployed && live === undefined],
    ["DeployForced", noted[agentNames.forceDeploy] === "true"],
    ["ImageChanged", differs(appliedImages(status), imagesOf(input)) || runsOther(live, input)],
    ["FeaturesChanged", differs(status.agentFeatures, input.features)],
    [
      "TaintsChanged",
      running !== undefined && differs(running.tolerations ?? [], wanted?.tolerations ?? []),
    ],
    ["VariablesChanged", differs(status.appliedAgentEnvVars ?? [], spec.agentEnvVars ?? [])],
    [
      "SchedulingChanged",
      differs(status.appliedClusterAgentDeploymentCustomization ?? {}, input.customization),
    ],
    [
      "PullSecretsChanged",
      (status.appliedClusterAgentImagePullSecretsHash ?? "") !== pullSecretsHash(input),
    ],
    ["RegistrationTokenChanged", noted[agentNames.tokenHash] !== tokenHash(input)],
  ];
  return found.flatMap(([reason, holds]) => (holds ? [reason] : []));
}

/** What the status of a cluster says of an agent that was deployed from this. */
export function appliedAgent(
  { spec }: Cluster,
  input: AgentInput,
): Pick<
  NonNullable<Cluster["status"]>,
  | "agentImage"
  | "assetsImage"
  | "authImage"
  | "agentFeatures"
  | "appliedAgentEnvVars"
  | "appliedClusterAgentDeploymentCustomization"
  | "appliedClusterAgentImagePullSecretsHash"
> {
  const { agentImage, assetsImage, authImage } = imagesOf(input);
  return {
    agentImage,
    assetsImage,
    authImage,
    agentFeatures: input.features,
    appliedAgentEnvVars: spec?.agentEnvVars ?? [],
    appliedClusterAgentDeploymentCustomization: { ...input.customization },
    appliedClusterAgentImagePullSecretsHash: pullSecretsHash(input),
  };
}

function imagesOf({ agentImage, assetsImage = "", authImage = "" }: AgentInput) {
  return { agentImage, assetsImage, authImage };
}

function appliedImages({
  agentImage = "",
  assetsImage = "",
  authImage = "",
}: NonNullable<Cluster["status"]>) {
  return { agentImage, assetsImage, authImage };
}

function runsOther(live: Deployment | undefined, { agentImage }: AgentInput): boolean {
  const [container] = live?.spec?.template.spec.containers ?? [];
  return container !== undefined && container.image !== agentImage;
}

function differs(a: unknown, b: unknown): boolean {
  return !isDeepStrictEqual(a, b);
}
