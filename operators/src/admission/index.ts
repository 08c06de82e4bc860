/** Every webhook of Drover, by kind. */

import type { Environment, FeatureDefaults } from "@drover/platform";
import type { AnyWebhook } from "kopf-ts/admission";
import { authConfigs } from "./auth-configs/index.ts";
import { clusterProxyConfigs } from "./cluster-proxy-configs/index.ts";
import { clusterRegistrationTokens } from "./cluster-registration-tokens/index.ts";
import {
  clusterRoleTemplateBindingMutator,
  clusterRoleTemplateBindingValidator,
} from "./cluster-role-template-bindings/index.ts";
import { clusterDefaults, clusters } from "./clusters/index.ts";
import { features } from "./features/index.ts";
import {
  globalRoleBindingMutator,
  globalRoleBindingValidator,
} from "./global-role-bindings/index.ts";
import { globalRoleValidator } from "./global-roles/index.ts";
import { namespaces } from "./namespaces/index.ts";
import {
  projectRoleTemplateBindingMutator,
  projectRoleTemplateBindingValidator,
} from "./project-role-template-bindings/index.ts";
import { projectDefaults, projects } from "./projects/index.ts";
import { rbacObjectValidators } from "./rbac-objects/index.ts";
import { roleTemplateValidator } from "./role-templates/index.ts";
import { secretDefaults, secrets } from "./secrets/index.ts";
import { settings } from "./settings/index.ts";
import { tokens } from "./tokens/index.ts";
import { userAttributes } from "./user-attributes/index.ts";
import { users } from "./users/index.ts";

/** What webhooks need besides the context of each request. */
export interface AdmissionOptions {
  readonly env: Environment;
  readonly features: FeatureDefaults;
}

/** What is refused and what is filled in before it is stored; docs/reference/admission.md lists it for people. */
export function admission(options: AdmissionOptions): readonly AnyWebhook[] {
  return [
    clusters(options),
    clusterDefaults,
    clusterRegistrationTokens,
    clusterProxyConfigs,
    projects,
    projectDefaults,
    namespaces,
    roleTemplateValidator,
    globalRoleValidator,
    globalRoleBindingValidator,
    globalRoleBindingMutator,
    clusterRoleTemplateBindingValidator,
    clusterRoleTemplateBindingMutator,
    projectRoleTemplateBindingValidator,
    projectRoleTemplateBindingMutator,
    ...rbacObjectValidators,
    secrets,
    secretDefaults(options),
    users(options),
    userAttributes,
    tokens,
    settings(options),
    features,
    authConfigs,
  ];
}
