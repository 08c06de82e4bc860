/** What the agent of a cluster should be: from the cluster, the settings and what is known of its nodes. Pure. */

import type { AgentDeploymentCustomization, Cluster, EnvVar, Opaque } from "@drover/crds";
import type { Taint } from "kopf-ts/kinds";
import type { LiveSettings } from "../settings/index.ts";
import type { Confidential } from "../tokens/confidential.ts";
import { caChecksum } from "./ca-checksum.ts";

/** A Secret with which images are pulled. */
export interface PullSecret {
  readonly name: string;
  /** Base64 of a Docker configuration. */
  readonly dockerConfigJson: string;
}

/** Everything that the objects of an agent follow from. */
export interface AgentInput {
  readonly cluster: string;
  readonly serverUrl: string;
  /** The registration token that the agent connects with. */
  readonly token: Confidential;
  readonly caChecksum: string;
  readonly agentImage: string;
  /** Of an init container that brings charts; none: the agent has none. */
  readonly assetsImage?: string | undefined;
  /** Of kube-api-auth; none: the authorized cluster endpoint is off. */
  readonly authImage?: string | undefined;
  readonly registry: string;
  readonly features: Readonly<Record<string, boolean>>;
  /** Of two variables of a name the last counts. */
  readonly env: readonly EnvVar[];
  /** Of the nodes of the control plane. */
  readonly taints: readonly Taint[];
  readonly affinity?: Opaque | undefined;
  readonly customization: AgentDeploymentCustomization;
  readonly pullSecrets: readonly PullSecret[];
}

/** What agentInput is made of. */
export interface AgentFacts {
  readonly cluster: Cluster;
  readonly settings: Pick<LiveSettings, "text">;
  readonly token: Confidential;
  readonly taints: readonly Taint[];
  readonly pullSecrets?: readonly PullSecret[];
}

/** The features that an agent runs with, whatever those of the server are (rancher: pkg/systemtemplate/import.go). */
export const agentFeatures: Readonly<Record<string, boolean>> = {
  fleet: false,
  "managed-system-upgrade-controller": false,
  "multi-cluster-management": false,
  "multi-cluster-management-agent": true,
  provisioningprebootstrap: false,
  provisioningv2: false,
  rke2: false,
  turtles: false,
};

/** From the cluster and the settings as they are now. */
export function agentInput({
  cluster,
  settings,
  token,
  taints,
  pullSecrets = [],
}: AgentFacts): AgentInput {
  const { spec = {} } = cluster;
  const { clusterAgentDeploymentCustomization: customization = {} } = spec;
  return {
    cluster: cluster.metadata.name,
    serverUrl: settings.text("server-url"),
    token,
    caChecksum: caChecksum(settings.text("cacerts")),
    ...desiredImages(cluster, settings),
    registry: registryOf(cluster, settings),
    features: agentFeatures,
    env: [...settingVariables(settings), ...(spec.agentEnvVars ?? [])],
    taints,
    affinity: customization.overrideAffinity ?? parsed(settings, "cluster-agent-default-affinity"),
    customization,
    pullSecrets,
  };
}

/** The images of an agent. */
export type AgentImages = Pick<AgentInput, "agentImage" | "assetsImage" | "authImage">;

/** What should run. `fixed` keeps what runs; what is empty follows the settings, with the registry in front. */
export function desiredImages(cluster: Cluster, settings: Pick<LiveSettings, "text">): AgentImages {
  const { spec = {}, status = {} } = cluster;
  const fromSettings = inRegistry(settings.text("agent-image"), registryOf(cluster, settings));
  const { agentImageOverride, assetsImageOverride, localClusterAuthEndpoint: endpoint } = spec;
  return {
    agentImage:
      agentImageOverride || pinned(spec.desiredAgentImage, status.agentImage) || fromSettings,
    assetsImage:
      assetsImageOverride || pinned(spec.desiredAssetsImage, status.assetsImage) || undefined,
    authImage:
      endpoint?.enabled === true
        ? pinned(spec.desiredAuthImage, status.authImage) || undefined
        : undefined,
  };
}

function pinned(desired = "", running = ""): string {
  return desired === "fixed" ? running : desired;
}

function registryOf({ spec }: Cluster, settings: Pick<LiveSettings, "text">): string {
  return spec?.importedConfig?.privateRegistryURL || settings.text("system-default-registry");
}

function inRegistry(image: string, registry: string): string {
  return registry === "" || image.startsWith(`${registry}/`) ? image : `${registry}/${image}`;
}

/** Settings that the agent takes from its environment (rancher: pkg/settings). */
function settingVariables(settings: Pick<LiveSettings, "text">): readonly EnvVar[] {
  return [
    { name: "CATTLE_SERVER_VERSION", value: settings.text("server-version") },
    { name: "CATTLE_INSTALL_UUID", value: settings.text("install-uuid") },
    { name: "CATTLE_INGRESS_IP_DOMAIN", value: settings.text("ingress-ip-domain") },
    { name: "STRICT_VERIFY", value: String(settings.text("agent-tls-mode") === "strict") },
  ];
}

/** Undefined for what is no object: then Pods go where they like. */
function parsed(
  settings: Pick<LiveSettings, "text">,
  name: "cluster-agent-default-affinity",
): Opaque | undefined {
  try {
    const value: unknown = JSON.parse(settings.text(name));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Opaque) // just checked
      : undefined;
  } catch {
    return undefined;
  }
}
