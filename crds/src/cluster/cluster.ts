/** Cluster, the kind everything downstream hangs on (rancher: pkg/apis/management.cattle.io/v3/cluster_types.go). */

import type { Kind, KubeObject } from "kopf-ts";
import {
  managementKind,
  type NormanCondition,
  type Opaque,
  type ResourceList,
} from "../management.ts";

/** A Kubernetes cluster managed from here. Its name is also the namespace of everything that belongs to it. */
export interface Cluster extends KubeObject {
  readonly spec?: ClusterSpec;
  readonly status?: ClusterStatus;
}

export const Cluster: Kind<Cluster> = managementKind("Cluster", "clusters", "Cluster");

/** What is wanted of a cluster. */
export interface ClusterSpec {
  readonly displayName?: string;
  readonly description?: string;
  /** True only for the cluster that Drover itself runs in. */
  readonly internal?: boolean;
  readonly fleetWorkspaceName?: string;
  /** `fixed` keeps the image that runs; empty follows setting agent-image. */
  readonly desiredAgentImage?: string;
  readonly agentImageOverride?: string;
  readonly desiredAuthImage?: string;
  readonly desiredAssetsImage?: string;
  readonly assetsImageOverride?: string;
  readonly agentEnvVars?: readonly EnvVar[];
  readonly defaultPodSecurityAdmissionConfigurationTemplateName?: string;
  readonly defaultClusterRoleForProjectMembers?: string;
  readonly dockerRootDir?: string;
  readonly enableNetworkPolicy?: boolean | null;
  /** Spelled as upstream spells it. */
  readonly windowsPreferedCluster?: boolean;
  readonly localClusterAuthEndpoint?: LocalClusterAuthEndpoint;
  readonly clusterSecrets?: Opaque;
  readonly clusterAgentDeploymentCustomization?: AgentDeploymentCustomization;
  readonly fleetAgentDeploymentCustomization?: AgentDeploymentCustomization;
  readonly webhookDeploymentCustomization?: Opaque;
  readonly k3sConfig?: Opaque;
  readonly rke2Config?: Opaque;
  readonly importedConfig?: ImportedConfig;
  readonly aksConfig?: Opaque;
  readonly eksConfig?: Opaque;
  readonly gkeConfig?: Opaque;
  readonly aliConfig?: Opaque;
  readonly genericEngineConfig?: Opaque;
}

/** An environment variable, as in a Pod. */
export interface EnvVar {
  readonly name?: string;
  readonly value?: string;
  readonly valueFrom?: Opaque;
}

/** The authorized cluster endpoint: users reach the cluster's own API server with their Rancher token. */
export interface LocalClusterAuthEndpoint {
  readonly enabled?: boolean;
  readonly fqdn?: string;
  /** PEM. */
  readonly caCerts?: string;
}

/** How an agent's Deployment differs from the default one. */
export interface AgentDeploymentCustomization {
  readonly appendTolerations?: readonly Toleration[];
  /** core/v1 Affinity. */
  readonly overrideAffinity?: Opaque;
  readonly overrideResourceRequirements?: {
    readonly requests?: ResourceList;
    readonly limits?: ResourceList;
  };
  readonly schedulingCustomization?: {
    readonly priorityClass?: {
      readonly value?: number;
      readonly preemptionPolicy?: string;
    };
    /** Numbers of Pods or percentages; one of the two is set. */
    readonly podDisruptionBudget?: {
      readonly minAvailable?: number | string;
      readonly maxUnavailable?: number | string;
    };
  };
}

/** A toleration, as in a Pod. */
export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  /** Seconds. */
  readonly tolerationSeconds?: number;
}

/** Settings of an imported cluster. */
export interface ImportedConfig {
  readonly kubeConfig?: string;
  readonly privateRegistryURL?: string;
  /** Names of Secrets in namespace fleet-default. */
  readonly privateRegistryPullSecrets?: readonly string[];
}

/** What is known of a cluster. */
export interface ClusterStatus {
  readonly conditions?: readonly NormanCondition[];
  /** imported, local, k3s, k3os, rke2, rancherd, AKS, EKS, GKE or Alibaba; empty until known. */
  readonly driver?: string;
  readonly provider?: string;
  readonly agentImage?: string;
  readonly assetsImage?: string;
  readonly authImage?: string;
  readonly appliedAgentEnvVars?: readonly EnvVar[];
  readonly agentFeatures?: Readonly<Record<string, boolean>>;
  readonly componentStatuses?: readonly ClusterComponentStatus[];
  /** URL, as the agent sees it. */
  readonly apiEndpoint?: string;
  /** Base64 of PEM. */
  readonly caCert?: string;
  /** @deprecated Moved to the Secret that serviceAccountTokenSecret names. */
  readonly serviceAccountToken?: string;
  /** Name of a Secret in namespace cattle-global-data. */
  readonly serviceAccountTokenSecret?: string;
  readonly capacity?: ResourceList;
  readonly allocatable?: ResourceList;
  readonly requested?: ResourceList;
  readonly limits?: ResourceList;
  readonly appliedSpec?: Opaque;
  readonly failedSpec?: Opaque | null;
  readonly version?: VersionInfo;
  readonly appliedEnableNetworkPolicy?: boolean;
  readonly capabilities?: Opaque;
  readonly nodeVersion?: number;
  readonly nodeCount?: number;
  readonly linuxWorkerCount?: number;
  readonly windowsWorkerCount?: number;
  readonly istioEnabled?: boolean;
  /** By certificate name; RFC 3339. */
  readonly certificatesExpiration?: Readonly<Record<string, { readonly expirationDate?: string }>>;
  readonly aksStatus?: Opaque;
  readonly eksStatus?: Opaque;
  readonly gkeStatus?: Opaque;
  readonly aliStatus?: Opaque;
  readonly appliedClusterAgentDeploymentCustomization?: Opaque;
  readonly appliedClusterAgentImagePullSecretsHash?: string;
  readonly appliedWebhookDeploymentCustomization?: Opaque;
  readonly readyReconciling?: boolean;
  readonly info?: ClusterInfo;
}

/** Health of one component of a control plane before Kubernetes 1.22. */
export interface ClusterComponentStatus {
  readonly name?: string;
  readonly conditions?: readonly {
    readonly type?: string;
    readonly status?: string;
    readonly message?: string;
    readonly error?: string;
  }[];
}

/** What an API server says of itself at /version. */
export interface VersionInfo {
  readonly major?: string;
  readonly minor?: string;
  readonly gitVersion?: string;
  readonly gitCommit?: string;
  readonly gitTreeState?: string;
  readonly buildDate?: string;
  readonly goVersion?: string;
  readonly compiler?: string;
  readonly platform?: string;
}

/** Facts about a cluster in one place. */
export interface ClusterInfo {
  readonly machineProvider?: string;
  readonly kubernetesVersion?: string;
  readonly nodeCount?: number;
  readonly arch?: string;
  readonly provisioningClusterRef?: unknown;
}
