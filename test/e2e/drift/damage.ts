/** What people do to objects that are not theirs, by what an object has. Pure. */

import type { KubeObject } from "kopf-ts";

type Fields = Readonly<Record<string, unknown>>;

/** An object as far as people change it. */
type Open = KubeObject & { readonly [field: string]: unknown };

/** Labels that Kubernetes sets itself and does not let go. */
const fixed = "kubernetes.io/metadata.name";

/** A merge patch that takes away, or turns into something else, what an object is for. */
export function change(object: KubeObject): Fields {
  const { aggregationRule, rules, subjects, data, spec, roleTemplateName } = object as Open;
  if (aggregationRule !== undefined) return { aggregationRule: { clusterRoleSelectors: nobody } };
  if (rules !== undefined) return { rules: [] };
  if (subjects !== undefined) return { subjects: null };
  if (data !== undefined) return { data: nothing(data) };
  if (roleTemplateName !== undefined) return { roleTemplateName: "drift-changed" };
  const specified = changedSpecs[object.kind];
  if (spec !== undefined && specified !== undefined) return { spec: specified };
  const { annotations = {}, ownerReferences } = object.metadata;
  const others = Object.entries(annotations).filter(([key]) => !isMark(key));
  const owners = ownerReferences === undefined ? {} : { ownerReferences: null };
  return { metadata: { annotations: nothing(Object.fromEntries(others)), ...owners } };
}

const nobody = [{ matchLabels: { nobody: "bears-this" } }];

const changedSpecs: Readonly<Record<string, Fields>> = {
  ResourceQuota: { hard: { pods: "1000", "limits.cpu": "1000" } },
  LimitRange: {
    limits: [{ type: "Container", default: { cpu: "3" }, defaultRequest: { cpu: "3" } }],
  },
  NetworkPolicy: { ingress: [{}], podSelector: { matchLabels: { nobody: "bears-this" } } },
  ProjectNetworkPolicy: { description: "drift-changed" },
};

/** Whoever takes all of these away makes an object his own. */
function isMark(key: string): boolean {
  return key === applied || key.startsWith("objectset.rio.cattle.io/");
}

const applied = "kopf-ts.dev/applied";

/** A merge patch that takes all labels away. */
export function unlabel({ metadata: { labels = {} } }: KubeObject): Fields {
  const { [fixed]: _, ...ours } = labels;
  return { metadata: { labels: nothing(ours) } };
}

/**
 * An object that looks like it, as somebody makes who copies it: under a similar name, with its labels and annotations, but `without` some. Marks
 * that were made for another object are none.
 */
export function twin(
  { apiVersion, kind, metadata, ...rest }: KubeObject,
  without: readonly string[],
): KubeObject {
  const { namespace, labels = {}, annotations = {} } = metadata;
  const copy = (from: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(from).filter(([key]) => ![fixed, ...without].includes(key)));
  const { status: _, ...fields } = rest as Fields;
  const name = similar(metadata.name);
  const place = namespace === undefined ? { name } : { name, namespace };
  const marks = { labels: copy(labels), annotations: copy(annotations) };
  return { apiVersion, kind, ...fields, metadata: { ...place, ...marks } };
}

/** Begins and ends as the name does. */
function similar(name: string): string {
  const parts = name.split("-");
  const last = parts.pop() ?? "";
  return parts.length < 2 ? `${name}x` : `${parts.join("-")}x-${last}`;
}

/** Everything that an object says, but for what the server adds and what differs from one object of a name to the next. */
export function content(object: KubeObject): string {
  const { metadata, status: _, ...rest } = object as Open;
  const { name, namespace, labels, annotations, finalizers, ownerReferences = [] } = metadata;
  const owners = ownerReferences.map((each) => `${each.kind} ${each.name}`);
  const kept = { name, namespace, labels, annotations, finalizers, owners };
  return JSON.stringify(sorted({ ...rest, metadata: kept }), lasting).replaceAll(
    /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g,
    "time",
  );
}

/** What was applied last is hashed with the uids of owners; conditions are in the order of their last change. */
function lasting(key: string, value: unknown): unknown {
  if (key === "cattle.io/status") return undefined;
  return key === applied && typeof value === "string" ? value.replace(/\..*/, "") : value;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}

/** Each key with null, which a merge patch removes. */
function nothing(fields: unknown): Fields {
  return Object.fromEntries(Object.keys(fields ?? {}).map((key) => [key, null]));
}
