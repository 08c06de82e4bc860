/** What containers of a namespace get that say nothing themselves. Pure. */

import {
  annotations,
  type ContainerResourceLimit,
  formatQuantity,
  namespaceAnnotations,
  parseProjectId,
  parseQuantity,
  projectKeyOf,
} from "@drover/crds";
import type { KubeObject } from "kopf-ts";
import type { LimitRangeItem, ResourceAmounts } from "kopf-ts/kinds";

/** Rancher's fields, and where they go (rancher: pkg/controllers/managementuser/resourcequota/resource_quota_common.go). */
const fields = [
  { field: "requestsCpu", to: "defaultRequest", name: "cpu" },
  { field: "requestsMemory", to: "defaultRequest", name: "memory" },
  { field: "limitsCpu", to: "default", name: "cpu" },
  { field: "limitsMemory", to: "default", name: "memory" },
] as const;

/** What a namespace's annotation says. */
export interface OwnLimits {
  readonly limits: ContainerResourceLimit;
  /** Why it does not count; undefined when it does. */
  readonly fault?: string;
}

/** The limits that the annotation asks for; none where there is none, or where any of it cannot be read. */
export function ownLimits({ metadata }: KubeObject): OwnLimits {
  const text = metadata.annotations?.[namespaceAnnotations.containerDefaultResourceLimit] ?? "";
  if (text === "" || text === "null") return { limits: {} };
  const limits = parsed(text);
  if (limits === undefined)
    return { limits: {}, fault: `${path} is not read: it is no JSON object` };
  const wrong = fields.find(({ field }) => !isAmount(limits[field]));
  if (wrong === undefined) return { limits };
  const fault = `${path} is not read: ${wrong.field} must be a quantity, such as 500m or 128Mi`;
  return { limits: {}, fault };
}

const path = `annotation ${namespaceAnnotations.containerDefaultResourceLimit}`;

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** An empty text counts as not set, as in Go. */
function isAmount(value: unknown): boolean {
  if (value === undefined || value === "") return true;
  return typeof value === "string" && parseQuantity(value) !== undefined;
}

/**
 * The one item of the LimitRange: what the namespace says wins, key by key, over what its project says. Undefined when neither says anything. A request that nobody gives is
 * as large as the limit, which is how the API server completes it.
 */
export function limitRangeItem(
  own: ContainerResourceLimit,
  project: ContainerResourceLimit,
): LimitRangeItem | undefined {
  const amounts = fields.flatMap(({ field, to, name }) => {
    const text = own[field] || project[field] || "";
    const amount = parseQuantity(text);
    return amount === undefined ? [] : [{ to, name, text: written(amount, text) }];
  });
  if (amounts.length === 0) return undefined;
  const part = (wanted: (typeof fields)[number]["to"]): ResourceAmounts =>
    Object.fromEntries(
      amounts.filter(({ to }) => to === wanted).map(({ name, text }) => [name, text]),
    );
  const limits = part("default");
  const requests = { ...limits, ...part("defaultRequest") }; // as the API server fills them in
  return {
    type: "Container",
    ...(Object.keys(limits).length > 0 && { default: limits }),
    defaultRequest: requests,
  };
}

/** As the API server stores it, so that what is in order looks so. */
function written(amount: bigint, text: string): string {
  return formatQuantity(amount, text.endsWith("i") ? "binary" : "decimal");
}

/** Key of the Project that the namespace is in. */
export function memberOf({ metadata }: KubeObject): readonly string[] {
  const id = parseProjectId(metadata.annotations?.[annotations.projectId] ?? "");
  return id === undefined ? [] : [projectKeyOf(id)];
}
