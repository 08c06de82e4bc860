/** Random requests that both servers understand, the same for the same seed. */

import { type Random, seededRandom } from "kopf-ts/testing";
import { namespaces, users } from "./objects.ts";

/** One request, as somebody. */
export interface PeerRequest {
  readonly user: string;
  /** From the first slash, with its query. */
  readonly path: string;
}

/** What can be asked of a type. */
interface Subject {
  /** Plural name in URLs. */
  readonly type: string;
  readonly namespaced: boolean;
  /** Names of objects, for gets. */
  readonly names: readonly string[];
  /** Fields with values that occur, or nearly. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** Fields that are numbers. */
  readonly numbers: readonly string[];
  /** It is in one shape for all, without dates or anything that could be summed up. */
  readonly isShownInPart?: boolean;
}

const common = {
  "metadata.name": ["0", "web", "settings-1", "POD", "deployment-2", "alpha"],
  id: ["alpha/pod-1", "beta", "node-a"],
  "metadata.state.name": ["active", "running", "error", "unavailable", "e"],
  "metadata.labels[app]": ["web", "db", "Cache", "mail_2", "none"],
  "metadata.labels[app.kubernetes.io/tier]": ["front"],
};
const inNamespaces = { "metadata.namespace": ["alpha", "beta", "gamma", "zeta"] };

const subjects: readonly Subject[] = [
  {
    type: "pods",
    namespaced: true,
    names: ["pod-0", "pod-3", "pod-9", "missing"],
    fields: {
      ...common,
      ...inNamespaces,
      "spec.nodeName": ["node-a", "node-b"],
      "spec.containers.image": ["registry.example.com/app:1.1", "side"],
      "status.podIP": ["10.1.0.200", "10.1"],
      "metadata.fields[2]": ["Running", "CrashLoopBackOff"],
    },
    numbers: ["metadata.fields[3]", "metadata.fields[3][0]"],
  },
  {
    type: "configmaps",
    namespaced: true,
    names: ["settings-0", "settings-1", "kube-root-ca.crt"],
    fields: { ...common, ...inNamespaces },
    numbers: ["metadata.fields[1]"],
  },
  {
    type: "secrets",
    namespaced: true,
    names: ["secret-0", "secret-1", "missing"],
    fields: { ...common, ...inNamespaces, _type: ["Opaque", "example.com/own", "kubernetes"] },
    numbers: ["metadata.fields[2]"],
  },
  {
    type: "services",
    namespaced: true,
    names: ["service-1", "service-2"],
    fields: { ...common, ...inNamespaces, "spec.type": ["ClusterIP", "LoadBalancer"] },
    numbers: [],
  },
  {
    type: "apps.deployments",
    namespaced: true,
    names: ["deployment-0", "deployment-1"],
    fields: { ...common, ...inNamespaces, "spec.template.spec.containers.image": ["d:1", "d"] },
    numbers: [],
  },
  {
    type: "peer.example.com.widgets",
    namespaced: true,
    names: ["widget-1", "widget-2", "widget-3"],
    fields: { ...common, ...inNamespaces, "metadata.fields[2]": ["Red", "blue"] },
    numbers: ["metadata.fields[1]"],
  },
  {
    type: "nodes",
    namespaced: false,
    names: ["node-a", "node-b"],
    fields: {
      ...common,
      "status.nodeInfo.kubeletVersion": ["v1.30.0", "v1.3"],
      "spec.taints.key": ["dedicated"],
    },
    numbers: [],
  },
  { type: "namespaces", namespaced: false, names: ["alpha", "beta"], fields: common, numbers: [] },
];

/** The types that are asked about. */
export const askedTypes: readonly string[] = subjects.map(({ type }) => type);

/**
 * Namespaces as those are asked for them who may only read in them. Left out is where we differ on purpose (`api/src/reference/differences.ts`): Steve
 * goes by what it does not show as well, and cuts the little that it shows.
 */
const namespacesInPart: Subject = {
  ...{ type: "namespaces", namespaced: false, names: ["alpha", "beta"], numbers: [] },
  fields: { id: common.id, "metadata.name": ["alpha", "gamma", "BET"] },
  isShownInPart: true,
};

/** What somebody with few rights asks about more than about other things. */
const interests: Readonly<Record<string, readonly string[]>> = {
  "pod-reader": ["pods", "nodes", "namespaces"],
  named: ["configmaps", "secrets", "peer.example.com.widgets", "namespaces"],
};

/** As many requests as asked for. */
export function requests(seed: number, count: number): readonly PeerRequest[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => request(random));
}

/** Those who see much ask more often. */
const askers: readonly string[] = [
  ...Object.keys(users),
  ...["admin", "admin", "tenant", "tenant", "tenant", "pod-reader"],
];

/** Requests that chance would not make: counts, schemas, and what is wrong. */
export function fixedRequests(): readonly PeerRequest[] {
  return Object.keys(users).flatMap((user) =>
    fixedPaths.map((path) => ({ user, path: path.replaceAll(" ", "%20") })),
  );
}

const fixedPaths: readonly string[] = [
  ...["/v1/counts", "/v1/schemas/pod", "/v1/schemas/configmap", "/v1/schemas/node"],
  ...["/v1/schemas/peer.example.com.widget", "/v1/schemas/nothing", "/v1/nothing"],
  ...["/v1/tokenreviews", "/v1/authentication.k8s.io.tokenreviews"],
  "/v1/pods/alpha/pod-0?link=nothing",
  ...["filter=nothing.here=1", "filter=x==a==b", "filter=metadata.labels[app]>x"].map(ofPods),
  ...["sort=foo.bar", "summary=a&summary=b", "summaryonly=true", "revision=abc"].map(ofPods),
  ...["revision=99999999999", "page=-1&pagesize=2", "page=99&pagesize=2"].map(ofPods),
];

function ofPods(query: string): string {
  return `/v1/pods?${query}`;
}

function request(random: Random): PeerRequest {
  const user = one(random, askers);
  const subject = subjectFor(random, user);
  const place = random.chance(0.25) && subject.namespaced ? `/${one(random, namespaces)}` : "";
  const path = `/v1/${subject.type}${place}`;
  if (random.chance(0.12)) return { user, path: oneObject(random, subject) };
  const parameters = [...parametersFor(random, subject), ...addenda(random, subject)];
  const query = parameters.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
  return { user, path: query === "" ? path : `${path}?${query}` };
}

function subjectFor(random: Random, user: string): Subject {
  const own = subjects.filter(({ type }) => interests[user]?.includes(type));
  const subject = one(random, own.length > 0 && random.chance(0.6) ? own : subjects);
  return subject.type === "namespaces" && user !== "admin" ? namespacesInPart : subject;
}

function oneObject(random: Random, { type, namespaced, names }: Subject): string {
  const name = one(random, names);
  return namespaced ? `/v1/${type}/${one(random, namespaces)}/${name}` : `/v1/${type}/${name}`;
}

function one<T>(random: Random, [first, ...rest]: readonly T[]): T {
  if (first === undefined) throw new Error("nothing to choose from");
  return random.pick([first, ...rest]);
}

type Parameter = readonly [name: string, value: string];

function parametersFor(random: Random, subject: Subject): readonly Parameter[] {
  const some = <T>(chance: number, make: () => T): readonly T[] =>
    random.chance(chance) ? [make()] : [];
  const shape: readonly Parameter[] = subject.isShownInPart
    ? []
    : [
        ...some(0.4, (): Parameter => ["exclude", "metadata.managedFields"]),
        ...some(
          0.1,
          (): Parameter => ["exclude", one(random, ["spec", "status", "metadata.labels"])],
        ),
        ...some(0.1, (): Parameter => ["include", one(random, ["metadata.name", "spec"])]),
        ...some(0.08, (): Parameter => ["excludeValues", one(random, ["data", "metadata.labels"])]),
      ];
  if (!subject.isShownInPart && random.chance(0.12)) {
    return [...summary(random, subject), ...shape];
  }
  const filters: readonly Parameter[] = [
    ...some(0.5, (): Parameter => ["filter", filter(random, subject)]),
    ...some(0.2, (): Parameter => ["filter", filter(random, subject)]),
  ];
  const filtered = filters.map(([, text]) => text).join();
  return [
    ...filters,
    ...some(0.6, (): Parameter => ["sort", sort(random, subject, filtered)]),
    ...paging(random),
    ...some(subject.type === "nodes" ? 0 : 0.2, () => places(random)), // an error there
    ...shape,
  ];
}

/** What adds to items, and another form. */
function addenda(random: Random, { type }: Subject): readonly Parameter[] {
  const permitted = ["pods", "configmaps,nothing", "pods,secrets,apps.deployments,namespaces"];
  const some = (chance: number, name: string, values: readonly string[]): readonly Parameter[] =>
    random.chance(chance) ? [[name, one(random, values)]] : [];
  return [
    ...some(0.12, "checkPermissions", permitted),
    ...some(type === "apps.deployments" ? 0.5 : 0.05, "includeAssociatedData", ["true", "false"]),
    ...some(0.2, "_format", ["yaml", "jsonl", "json"]),
  ];
}

function filter(random: Random, subject: Subject): string {
  const count = random.chance(0.3) ? 2 : 1;
  return Array.from({ length: count }, () => requirement(random, subject)).join(",");
}

function requirement(random: Random, { fields, numbers }: Subject): string {
  if (numbers.length > 0 && random.chance(0.2)) {
    return `${one(random, numbers)}${one(random, ["<", ">", "="])}${random.below(4)}`;
  }
  const [field, values] = one(random, Object.entries(fields));
  if (field.startsWith("metadata.labels") && random.chance(0.2)) {
    return random.chance(0.5) ? field : `!${field}`;
  }
  const value = one(random, values);
  const op = one(random, ["=", "!=", "~", "!~", " in ", " notin ", "==", " IN "]);
  // What it compares with exactly goes through an escaper there: a defect of theirs that has tests of its own.
  const plain = /[_%\\]/.test(value) && /^(=|==|!=)$/.test(op) ? "web" : value;
  if (op.trim() !== op) return `${field}${op}(${value},${one(random, values)})`;
  const text = /[/.:]/.test(plain) && random.chance(0.5) ? `"${plain}"` : plain;
  return `${field}${op}${text}`;
}

/** Not by labels that are filtered by as well: that mixes them up there. */
function sort(random: Random, subject: Subject, filtered: string): string {
  const { fields, numbers, namespaced, isShownInPart = false } = subject;
  const isFree = (field: string): boolean =>
    !field.startsWith("metadata.labels") || !filtered.includes("metadata.labels");
  const all = [
    ...Object.keys(fields).filter(isFree),
    ...[...numbers, ...(isShownInPart ? [] : ["metadata.creationTimestamp"])],
  ];
  const keys = Array.from({ length: 1 + random.below(2) }, () => one(random, all));
  const written = keys.map((key) => (random.chance(0.4) ? `-${key}` : key));
  // What is equal in every key stands in no order there.
  return [...written, ...(namespaced ? ["metadata.namespace"] : []), "metadata.name"].join(",");
}

function paging(random: Random): readonly Parameter[] {
  if (random.chance(0.5)) return [];
  return [
    ["pagesize", String(1 + random.below(8))],
    ["page", String(random.below(5))],
  ];
}

function places(random: Random): Parameter {
  const name = random.chance(0.7) ? "projectsornamespaces" : "projectsornamespaces!";
  return [name, one(random, ["alpha", "p-0", "p-2,beta", "zeta", "alpha,p-4"])];
}

/** Of everything: sums of pages, and of what is filtered by labels, are often errors there. */
function summary(random: Random, { namespaced }: Subject): readonly Parameter[] {
  const fields = one(random, [
    "metadata.state.name",
    "metadata.labels[app]",
    ...(namespaced ? ["metadata.namespace"] : []),
  ]);
  return [
    ["summary", fields],
    ...(random.chance(0.4) ? ([["summaryonly", "true"]] as const) : []),
    ...(random.chance(0.4) ? ([["summarynamespaced", "true"]] as const) : []),
  ];
}
