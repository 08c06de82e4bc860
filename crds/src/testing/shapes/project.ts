import type { Project, ResourceQuotaLimit } from "../../project/project.ts";
import type { ProjectNetworkPolicy } from "../../project/project-network-policy.ts";
import type { AnyShape, Body, Shape } from "../shape.ts";
import { normanCondition } from "./conditions.ts";

const quota: Shape<ResourceQuotaLimit> = {
  "pods?": "string",
  "services?": "string",
  "replicationControllers?": "string",
  "secrets?": "string",
  "configMaps?": "string",
  "persistentVolumeClaims?": "string",
  "servicesNodePorts?": "string",
  "servicesLoadBalancers?": "string",
  "requestsCpu?": "string",
  "requestsMemory?": "string",
  "requestsStorage?": "string",
  "limitsCpu?": "string",
  "limitsMemory?": "string",
  "extended?": { "*": "string" },
};

const project: Body<Project> = {
  "spec?": {
    displayName: "string",
    "description?": "string",
    clusterName: "string",
    "resourceQuota?": { "limit?": quota, "usedLimit?": quota },
    "namespaceDefaultResourceQuota?": { "limit?": quota },
    "containerDefaultResourceLimit?": {
      "requestsCpu?": "string",
      "requestsMemory?": "string",
      "limitsCpu?": "string",
      "limitsMemory?": "string",
    },
  },
  "status?": { "backingNamespace?": "string", "conditions?": [normanCondition] },
};

const projectNetworkPolicy: Body<ProjectNetworkPolicy> = {
  "spec?": { "projectName?": "string", "description?": "string" },
  "status?|null": "opaque",
};

/** Shapes of the kinds in project/. */
export const projectShapes: Readonly<Record<string, AnyShape>> = {
  Project: project,
  ProjectNetworkPolicy: projectNetworkPolicy,
};
