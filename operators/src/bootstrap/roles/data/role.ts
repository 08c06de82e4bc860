/** Built-in roles as whole objects, from what tells them apart. */

import { GlobalRole, labels, type PolicyRule, RoleTemplate } from "@drover/crds";
import { apiVersionOf, type Kind, type KubeObject } from "kopf-ts";
import { bootstrappingValues } from "../names.ts";

/** What a built-in GlobalRole allows. */
export interface GlobalRules {
  readonly rules: readonly PolicyRule[];
  /** By namespace of the management cluster. */
  readonly namespacedRules?: Readonly<Record<string, readonly PolicyRule[]>>;
}

/** A built-in GlobalRole. */
export function globalRole(name: string, displayName: string, allowed: GlobalRules): GlobalRole {
  return {
    ...head(GlobalRole, name, bootstrappingValues.globalRole),
    displayName,
    builtin: true,
    ...allowed,
  };
}

/** What makes up a built-in RoleTemplate besides its name. */
export type TemplateFields = Pick<
  RoleTemplate,
  "rules" | "external" | "externalRules" | "hidden" | "administrative"
> & {
  /** Templates whose rules it allows as well. */
  readonly inherits?: readonly string[];
};

/** A built-in RoleTemplate that is bound in clusters. */
export function clusterTemplate(
  name: string,
  displayName: string,
  fields: TemplateFields,
): RoleTemplate {
  return template("cluster", name, displayName, fields);
}

/** A built-in RoleTemplate that is bound in projects. */
export function projectTemplate(
  name: string,
  displayName: string,
  fields: TemplateFields,
): RoleTemplate {
  return template("project", name, displayName, fields);
}

function template(
  context: "cluster" | "project",
  name: string,
  displayName: string,
  { inherits, ...fields }: TemplateFields,
): RoleTemplate {
  return {
    ...head(RoleTemplate, name, bootstrappingValues.roleTemplate),
    displayName,
    context,
    builtin: true,
    ...fields,
    ...(inherits !== undefined && { roleTemplateNames: inherits }),
  };
}

function head(kind: Kind, name: string, value: string): KubeObject {
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name, labels: { [labels.bootstrapping]: value } },
  };
}
