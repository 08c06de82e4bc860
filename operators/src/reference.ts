/** Writes docs/reference/roles.md from the built-in roles, and admission.md from the webhooks: run `node operators/dist/reference.js` after changing one. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GlobalRole, PolicyRule, RoleTemplate } from "@drover/crds";
import { admissionFile, admissionPage } from "./admission/reference.ts";
import { globalRoles } from "./bootstrap/roles/data/global-roles.ts";
import { roleTemplates } from "./bootstrap/roles/data/role-templates.ts";
import { edit } from "./bootstrap/roles/data/rule.ts";

/** The file that is generated. */
export const referenceFile: string = join(
  import.meta.dirname,
  "..",
  "..",
  "docs",
  "reference",
  "roles.md",
);

const introduction = `# Built-in roles

The leader brings these when it starts. It resets what of them is the server's (names, rules, inheritance) and leaves to people what is theirs:
metadata, whether new users and creators get the role, whether it is locked. Label \`authz.management.cattle.io/bootstrapping\` marks them
(\`default-globalrole\`, \`default-roletemplate\`); what has it and is not on this page is removed. Three roles begin as defaults: \`user\`
for new users, \`cluster-owner\` and \`project-owner\` for whoever creates a cluster or a project; annotation
\`authz.management.cattle.io/bootstrapped-role\` keeps that from being set twice.

In the tables, *view* stands for the verbs get, list, watch; *edit* for ${edit.on("").verbs.join(", ")}; *all* for \`*\`, verbs that others
make up included. The core group is written as \`core\`.

<!-- Generated from operators/src/bootstrap/roles/data by operators/src/reference.ts; run \`node operators/dist/reference.js\` to write it anew. -->
`;

/** The whole page. */
export function reference(): string {
  const globals = globalRoles({ oidcProvider: true });
  return [
    introduction,
    "## Global roles\n\nFor the management cluster itself; GlobalRoleBindings grant them. `manage-oidc-clients` is there while feature `oidc-provider` is on.\n",
    overview(["Global role", "Name for people"], globals.map(globalRow)),
    ...globals.map((role) => section("GlobalRole", role, globalRules(role))),
    "## Role templates\n\nFor clusters and projects; ClusterRoleTemplateBindings and ProjectRoleTemplateBindings grant them.\n",
    overview(
      ["Role template", "Name for people", "Bound in", "Inherits", "Notes"],
      roleTemplates.map(templateRow),
    ),
    ...roleTemplates
      .filter((role) => templateRules(role).length > 0)
      .map((role) => section("RoleTemplate", role, templateRules(role))),
  ].join("\n");
}

type Row = readonly string[];

function globalRow({ metadata, displayName = "" }: GlobalRole): Row {
  return [`\`${metadata.name}\``, displayName];
}

function templateRow(role: RoleTemplate): Row {
  const { metadata, displayName = "", context = "", roleTemplateNames = [] } = role;
  const notes = [
    role.external ? "rules of the ClusterRole of this name" : "",
    role.hidden ? "hidden" : "",
    role.administrative ? "administrative" : "",
  ];
  return [
    `\`${metadata.name}\``,
    displayName,
    context,
    roleTemplateNames.map((name) => `\`${name}\``).join(", "),
    notes.filter((note) => note !== "").join("; "),
  ];
}

function globalRules({ rules = [], namespacedRules = {} }: GlobalRole): readonly Row[] {
  const inNamespaces = Object.entries(namespacedRules).flatMap(([namespace, some]) =>
    some.map((rule) => ruleRow(rule, `in namespace \`${namespace}\``)),
  );
  return [...rules.map((rule) => ruleRow(rule)), ...inNamespaces];
}

function templateRules({ rules = [], externalRules = [] }: RoleTemplate): readonly Row[] {
  const standIns = externalRules.map((rule) => ruleRow(rule, "where permissions are checked"));
  return [...rules.map((rule) => ruleRow(rule)), ...standIns];
}

function ruleRow(rule: PolicyRule, where = ""): Row {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const targets = nonResourceURLs.length > 0 ? nonResourceURLs : resources;
  const names = resourceNames.length > 0 ? [`only ${code(resourceNames)}`] : [];
  return [
    verbs(rule.verbs),
    nonResourceURLs.length > 0 ? "URLs" : code(apiGroups.map((group) => group || "core")),
    code(targets),
    [...names, ...(where === "" ? [] : [where])].join("; "),
  ];
}

const known: Readonly<Record<string, string>> = {
  "get,list,watch": "*view*",
  [edit.on("").verbs.join(",")]: "*edit*",
  "*": "*all*",
};

function verbs(list: readonly string[]): string {
  return known[list.join(",")] ?? list.join(", ");
}

function code(texts: readonly string[]): string {
  return texts.map((text) => `\`${text}\``).join(", ");
}

function section(
  kind: string,
  { metadata }: GlobalRole | RoleTemplate,
  rows: readonly Row[],
): string {
  const header = ["Verbs", "Group", "Resources", "Where"];
  return `### ${kind} ${metadata.name}\n\n${overview(header, rows)}`;
}

function overview(header: Row, rows: readonly Row[]): string {
  const lines = [header, header.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

if (import.meta.main) {
  await writeFile(referenceFile, reference());
  await writeFile(admissionFile, await admissionPage());
}
