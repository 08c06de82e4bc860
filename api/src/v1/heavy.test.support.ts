/** Thousands of objects, and what is asked of them that costs most. */

/** How many there are of each type. */
export const count = 20_000;

const numbers = Array.from({ length: count }, (_, index) => index);

/** By the paths of their collections. */
export const objects: ReadonlyMap<string, readonly object[]> = new Map([
  ["/api/v1/namespaces", numbers.map(aNamespace)],
  ["/api/v1/pods", numbers.map(aPod)],
]);

function aNamespace(index: number): object {
  const labels = { "field.cattle.io/projectId": `p-${index % 97}` };
  return {
    ...{ apiVersion: "v1", kind: "Namespace", spec: {}, status: { phase: "Active" } },
    metadata: { ...metadataOf(`ns-${index}`, index), labels },
  };
}

function aPod(index: number): object {
  const app = `app-${index % 300}`;
  const env = Array.from({ length: 4 }, (_, at) => ({ name: `K${at}`, value: `${index}-${at}` }));
  return {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: {
      ...metadataOf(`web-${(index * 7919) % count}`, count + index),
      namespace: `ns-${index % 4000}`,
      labels: { app, tier: ["front", "back"][index % 2] },
      annotations: { "example.com/note": `${index} `.repeat(8) },
    },
    spec: {
      nodeName: `node-${index % 100}`,
      containers: [{ name: "c", image: `example.com/${app}:1`, env }],
    },
    status: {
      ...{ phase: "Running", podIP: `10.${index % 7}.${index % 251}.${index % 241}` },
      conditions: [{ type: "Ready", status: index % 9 === 0 ? "False" : "True" }],
      containerStatuses: [{ name: "c", ready: true, restartCount: index % 5, state: {} }],
    },
  };
}

function metadataOf(name: string, index: number): object {
  const creationTimestamp = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
  return { name, uid: `uid-${index}`, resourceVersion: String(index % 1000), creationTimestamp };
}

/** A request, by what is heavy about it. */
export interface Heavy {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How often it is asked at the same moment; once unless told. */
  readonly times?: number;
  /** Whether nothing is in a cache yet, so that these are filled meanwhile. */
  readonly isBare?: true;
}

const several = (length: number, text: (index: number) => string, by = ","): string =>
  Array.from({ length }, (_, index) => text(index)).join(by);
const types = ["pods", "secrets", "configmaps", "apps.deployments", "batch.jobs", "services"];
const permissions = several(200, (index) => types[index % types.length] ?? "");
const note = "metadata.annotations[example.com/note]";
const gzip = { "Accept-Encoding": "gzip" };

/** Each is asked of a server that was asked nothing of the kind before. */
export const heavy: Readonly<Record<string, Heavy>> = {
  "a list without a cache": { path: "pods", isBare: true },
  "an order without a cache": { path: "pods?pagesize=10&sort=-spec.nodeName", isBare: true },
  "a list without pagesize": { path: "pods" },
  "a list in gzip": { path: "pods", headers: gzip },
  "a list with a tag": {
    path: "pods?exclude=metadata.fields",
    headers: { "If-None-Match": '"x"' },
  },
  "a list as YAML": { path: "pods?_format=yaml&pagesize=5000" },
  "a list of all clusters": { path: "pods?clusters=all&sort=spec.nodeName,metadata.name" },
  "a deep page of all clusters": {
    path: "pods?clusters=all&sort=status.podIP&page=190&pagesize=100",
  },
  "an order of a field without a column": {
    path: "pods?pagesize=10&sort=spec.containers.0.env.0.value",
  },
  "an order of several fields without columns": {
    path: "pods?page=900&pagesize=10&sort=-metadata.uid,spec.containers.0.env.1.value,status.qosClass",
  },
  "an order of a label that few columns have": {
    path: "namespaces?pagesize=10&sort=metadata.labels[field.cattle.io/projectId]",
  },
  "fifty parts, all of which have to be absent": {
    path: `pods?${several(50, (index) => `filter=${note}!~zz${index}`, "&")}`,
  },
  "fifty parts, one of which has to be there": {
    path: `pods?pagesize=10&filter=${several(50, (index) => `metadata.name~b-${index}7`)}`,
  },
  "thousands of values": {
    path: `pods?pagesize=10&filter=metadata.name in (${several(5000, (index) => `web-${index}`)})`,
  },
  "fifty requirements of labels": {
    path: `pods?labelSelector=${several(50, (index) => `app notin (a-${index},b)`)}`,
  },
  "namespaces of projects": { path: "pods?pagesize=100&projectsornamespaces=p-1,p-2,ns-5" },
  "namespaces of all other projects": { path: "pods?projectsornamespaces!=p-1,p-2,ns-5" },
  "a summary of names": { path: "pods?summary=metadata.name,metadata.uid&summaryonly" },
  "a summary of names by namespace": {
    path: "pods?summary=metadata.name,spec.nodeName&summarynamespaced&summaryonly",
  },
  "a shape that includes": {
    path: "pods?pagesize=10000&include=metadata.name&include=spec.containers&include=status",
  },
  "a shape that excludes": {
    path: `pods?pagesize=10000&exclude=spec.containers&${several(30, (index) => `exclude=spec.x${index}`, "&")}`,
  },
  "a shape without values and with short ones": {
    path: "pods?pagesize=10000&truncate=3&excludeValues=metadata.annotations&excludeValues=metadata.labels",
  },
  "200 permissions": { path: `namespaces?pagesize=2500&checkPermissions=${permissions}` },
  "children of everything": { path: "namespaces?includeAssociatedData=true" },
  "what nobody owns": { path: "pods?owner=apps.deployment/ns-1/x" },
  counts: { path: "counts" },
  "a search of what nobody has looked through": { path: "search?q=web e&limit=500", isBare: true },
  "counts of what nobody has counted": { path: "counts", isBare: true },
  "a search": { path: "search?q=web e&limit=500" },
  "a search of all clusters": { path: "search?q=app 1 2 7&clusters=all" },
  "eight summaries at once": { path: "pods?summary=metadata.name&summaryonly", times: 8 },
  "a hundred pages at once": {
    ...{ path: "pods?sort=-metadata.uid&filter=metadata.name~7&pagesize=100", times: 100 },
  },
};
