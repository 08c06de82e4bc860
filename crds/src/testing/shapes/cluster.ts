import type { AgentDeploymentCustomization, Cluster, EnvVar } from "../../cluster/cluster.ts";
import type { ClusterProxyConfig } from "../../cluster/cluster-proxy-config.ts";
import type { ClusterRegistrationToken } from "../../cluster/cluster-registration-token.ts";
import type { FleetWorkspace } from "../../cluster/fleet-workspace.ts";
import type { MapDelta, Node, Taint } from "../../cluster/node.ts";
import type { PodSecurityAdmissionConfigurationTemplate } from "../../cluster/pod-security-template.ts";
import type { AnyShape, Body, Shape } from "../shape.ts";
import { normanCondition } from "./conditions.ts";

const envVar: Shape<EnvVar> = { "name?": "string", "value?": "string", "valueFrom?": "opaque" };

const agentCustomization: Shape<AgentDeploymentCustomization> = {
  "appendTolerations?": [
    {
      "key?": "string",
      "operator?": "string",
      "value?": "string",
      "effect?": "string",
      "tolerationSeconds?": "integer",
    },
  ],
  "overrideAffinity?": "opaque",
  "overrideResourceRequirements?": {
    "requests?": { "*": "intOrString" },
    "limits?": { "*": "intOrString" },
  },
  "schedulingCustomization?": {
    "priorityClass?": { "value?": "integer", "preemptionPolicy?": "string" },
    "podDisruptionBudget?": { "minAvailable?": "intOrString", "maxUnavailable?": "intOrString" },
  },
};

const cluster: Body<Cluster> = {
  "spec?": {
    "displayName?": "string",
    "description?": "string",
    "internal?": "boolean",
    "fleetWorkspaceName?": "string",
    "desiredAgentImage?": "string",
    "agentImageOverride?": "string",
    "desiredAuthImage?": "string",
    "desiredAssetsImage?": "string",
    "assetsImageOverride?": "string",
    "agentEnvVars?": [envVar],
    "defaultPodSecurityAdmissionConfigurationTemplateName?": "string",
    "defaultClusterRoleForProjectMembers?": "string",
    "dockerRootDir?": "string",
    "enableNetworkPolicy?|null": "boolean",
    "windowsPreferedCluster?": "boolean",
    "localClusterAuthEndpoint?": {
      "enabled?": "boolean",
      "fqdn?": "string",
      "caCerts?": "string",
    },
    "clusterSecrets?": "opaque",
    "clusterAgentDeploymentCustomization?": agentCustomization,
    "fleetAgentDeploymentCustomization?": agentCustomization,
    "webhookDeploymentCustomization?": "opaque",
    "k3sConfig?": "opaque",
    "rke2Config?": "opaque",
    "importedConfig?": {
      "kubeConfig?": "string",
      "privateRegistryURL?": "string",
      "privateRegistryPullSecrets?": ["string"],
    },
    "aksConfig?": "opaque",
    "eksConfig?": "opaque",
    "gkeConfig?": "opaque",
    "aliConfig?": "opaque",
    "genericEngineConfig?": "opaque",
  },
  "status?": {
    "conditions?": [normanCondition],
    "driver?": "string",
    "provider?": "string",
    "agentImage?": "string",
    "assetsImage?": "string",
    "authImage?": "string",
    "appliedAgentEnvVars?": [envVar],
    "agentFeatures?": { "*": "boolean" },
    "componentStatuses?": [
      {
        "name?": "string",
        "conditions?": [
          { "type?": "string", "status?": "string", "message?": "string", "error?": "string" },
        ],
      },
    ],
    "apiEndpoint?": "string",
    "caCert?": "string",
    "serviceAccountToken?": "string",
    "serviceAccountTokenSecret?": "string",
    "capacity?": { "*": "intOrString" },
    "allocatable?": { "*": "intOrString" },
    "requested?": { "*": "intOrString" },
    "limits?": { "*": "intOrString" },
    "appliedSpec?": "opaque",
    "failedSpec?|null": "opaque",
    "version?": {
      "major?": "string",
      "minor?": "string",
      "gitVersion?": "string",
      "gitCommit?": "string",
      "gitTreeState?": "string",
      "buildDate?": "string",
      "goVersion?": "string",
      "compiler?": "string",
      "platform?": "string",
    },
    "appliedEnableNetworkPolicy?": "boolean",
    "capabilities?": "opaque",
    "nodeVersion?": "integer",
    "nodeCount?": "integer",
    "linuxWorkerCount?": "integer",
    "windowsWorkerCount?": "integer",
    "istioEnabled?": "boolean",
    "certificatesExpiration?": { "*": { "expirationDate?": "string" } },
    "aksStatus?": "opaque",
    "eksStatus?": "opaque",
    "gkeStatus?": "opaque",
    "aliStatus?": "opaque",
    "appliedClusterAgentDeploymentCustomization?": "opaque",
    "appliedClusterAgentImagePullSecretsHash?": "string",
    "appliedWebhookDeploymentCustomization?": "opaque",
    "readyReconciling?": "boolean",
    "info?": {
      "machineProvider?": "string",
      "kubernetesVersion?": "string",
      "nodeCount?": "integer",
      "arch?": "string",
      "provisioningClusterRef?": "any",
    },
  },
};

const clusterRegistrationToken: Body<ClusterRegistrationToken> = {
  "spec?": { "clusterName?": "string", "ttl?": "integer", "gracePeriod?": "integer" },
  "status?": {
    "command?": "string",
    "insecureCommand?": "string",
    "nodeCommand?": "string",
    "insecureNodeCommand?": "string",
    "windowsNodeCommand?": "string",
    "insecureWindowsNodeCommand?": "string",
    "manifestUrl?": "string",
    "token?": "string",
    "tokenSecretName?": "string",
    "expiresAt?": "string",
    "gracePeriodExpiresAt?": "string",
  },
};

const clusterProxyConfig: Body<ClusterProxyConfig> = { enabled: "boolean" };

const taint: Shape<Taint> = {
  "key?": "string",
  "value?": "string",
  "effect?": "string",
  "timeAdded?": "string",
};

const mapDelta: Shape<MapDelta> = { "add?": { "*": "string" }, "delete?": { "*": "boolean" } };

const node: Body<Node> = {
  "spec?": {
    "etcd?": "boolean",
    "controlPlane?": "boolean",
    "worker?": "boolean",
    "imported?": "boolean",
    "displayName?": "string",
    "description?": "string",
    "requestedHostname?": "string",
    "nodePoolName?": "string",
    "nodeTemplateName?": "string",
    "customConfig?|null": "opaque",
    "internalNodeSpec?": "opaque",
    "desiredNodeTaints?|null": [taint],
    "updateTaintsFromAPI?": "boolean",
    "desiredNodeUnschedulable?": "string",
    "nodeDrainInput?": "opaque",
    "metadataUpdate?": { "labels?": mapDelta, "annotations?": mapDelta },
    "scaledownTime?": "string",
  },
  "status?": {
    "conditions?": [normanCondition],
    "nodeName?": "string",
    "internalNodeStatus?": "opaque",
    "nodeLabels?": { "*": "string" },
    "nodeAnnotations?": { "*": "string" },
    "nodeTaints?": [taint],
    "requested?": { "*": "intOrString" },
    "limits?": { "*": "intOrString" },
    "dockerInfo?|null": "opaque",
    "appliedNodeVersion?": "integer",
  },
};

const fleetWorkspace: Body<FleetWorkspace> = { "status?": {} };

const podSecurityTemplate: Body<PodSecurityAdmissionConfigurationTemplate> = {
  "description?": "string",
  "configuration?": {
    "defaults?": {
      "enforce?": "string",
      "enforce-version?": "string",
      "audit?": "string",
      "audit-version?": "string",
      "warn?": "string",
      "warn-version?": "string",
    },
    "exemptions?": {
      "usernames?|null": ["string"],
      "runtimeClasses?|null": ["string"],
      "namespaces?|null": ["string"],
    },
  },
};

/** Shapes of the kinds in cluster/. */
export const clusterShapes: Readonly<Record<string, AnyShape>> = {
  Cluster: cluster,
  ClusterRegistrationToken: clusterRegistrationToken,
  ClusterProxyConfig: clusterProxyConfig,
  Node: node,
  FleetWorkspace: fleetWorkspace,
  PodSecurityAdmissionConfigurationTemplate: podSecurityTemplate,
};
