/**
 * Methods that /v1 does not offer for kinds of Rancher's own, whatever a caller's rights: they are written through the Kubernetes API, or by
 * Rancher alone (rancher: pkg/api/steve/disallow).
 */

/** The groups that this is about. */
const groups: ReadonlySet<string> = new Set(["management.cattle.io", "project.cattle.io"]);

/** Resources of which nothing is blocked. */
const open: ReadonlySet<string> = new Set([
  "clusterproxyconfigs",
  "clusterroletemplatebindings",
  "globalrolebindings",
  "globalroles",
  "oidcclients",
  "podsecurityadmissionconfigurationtemplates",
  "projects",
  "projectroletemplatebindings",
  "proxyendpoints",
  "users",
]);

/** Resources that are not even read. */
const unread: ReadonlySet<string> = new Set([
  "preferences",
  "templatecontents",
  "templates",
  "templateversions",
  "tokens",
]);

/** Who is spared by the others. */
const created: ReadonlySet<string> = new Set(["settings"]);
const updated: ReadonlySet<string> = new Set(["features", "settings"]);

/** The methods that are blocked for a resource. */
export function disallowedMethods(group: string, plural: string): readonly string[] {
  if (!groups.has(group) || open.has(plural)) return [];
  return [
    ...(unread.has(plural) ? ["GET"] : []),
    ...(created.has(plural) ? [] : ["POST"]),
    ...(updated.has(plural) ? [] : ["PUT"]),
    "PATCH",
    "DELETE",
  ];
}
