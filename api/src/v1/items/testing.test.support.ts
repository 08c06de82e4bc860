/** What the tests of items stand on: types, rights and caches as the server has them, of objects that a test chooses. */

import type { PolicyRule } from "@drover/crds";
import { type Cache, connect, defineKind, Informers, type Kind, silentLogger } from "kopf-ts";
import { endOfList, eventLine, startScriptedServer } from "kopf-ts/testing";
import type { Access } from "../access/access.ts";
import { grantsOf } from "../access/grants.ts";
import { RbacGraph } from "../access/graph.ts";
import { everything, HeldAccess } from "../access/held-access.ts";
import type { Collection } from "../collections/collection.ts";
import { printerOf } from "../printers/printers.ts";
import { KnownTypes } from "../types/known-types.ts";
import { pluralName, typeId } from "../types/names.ts";
import type { ResourceType } from "../types/resource-type.ts";
import type { ItemContext, ItemWriter, Shape } from "./item.ts";
import { CachedItems, type ItemsParts } from "./items.ts";
import { parseShape, whole } from "./shape.ts";

/** An object as tests write it. */
export type Sent = Readonly<Record<string, unknown>>;

const all = ["create", "delete", "get", "list", "patch", "update", "watch"];

/** A type with the API server's own printer, if it has one. */
export function aType(
  kind: Pick<Kind, "group" | "kind" | "plural"> & Partial<Kind>,
  more: Partial<ResourceType> = {},
): ResourceType {
  const { group, version = "v1", scope = "Namespaced" } = kind;
  const defined = defineKind({ ...kind, version, scope });
  return {
    ...{ id: typeId(group, kind.kind), pluralName: pluralName(kind), kind: defined, verbs: all },
    ...{ preferredVersion: undefined, preferredGroup: undefined, columns: [], table: true },
    ...{ columnPaths: undefined, description: "", cells: printerOf(group, version, kind.kind) },
    ...{ crd: false, aggregated: false, observesGeneration: false, schema: undefined },
    ...more,
  };
}

export const pods: ResourceType = aType({ group: "", kind: "Pod", plural: "pods" });
export const configMaps: ResourceType = aType({
  group: "",
  kind: "ConfigMap",
  plural: "configmaps",
});
export const secrets: ResourceType = aType({ group: "", kind: "Secret", plural: "secrets" });
export const accounts: ResourceType = aType({
  ...{ group: "", kind: "ServiceAccount", plural: "serviceaccounts" },
});
export const namespaces: ResourceType = aType({
  ...{ group: "", kind: "Namespace", plural: "namespaces", scope: "Cluster" },
});
export const nodes: ResourceType = aType({
  ...{ group: "", kind: "Node", plural: "nodes", scope: "Cluster" },
});
export const services: ResourceType = aType({ group: "", kind: "Service", plural: "services" });
export const replicaSets: ResourceType = aType({
  ...{ group: "apps", kind: "ReplicaSet", plural: "replicasets" },
});
export const deployments: ResourceType = aType({
  ...{ group: "apps", kind: "Deployment", plural: "deployments" },
});
export const jobs: ResourceType = aType({ group: "batch", kind: "Job", plural: "jobs" });
export const cronJobs: ResourceType = aType({
  group: "batch",
  kind: "CronJob",
  plural: "cronjobs",
});

const management = { group: "management.cattle.io", version: "v3", scope: "Cluster" } as const;
export const settings: ResourceType = aType({ ...management, kind: "Setting", plural: "settings" });
export const clusters: ResourceType = aType({ ...management, kind: "Cluster", plural: "clusters" });
export const users: ResourceType = aType({ ...management, kind: "User", plural: "users" });
export const tokens: ResourceType = aType({ ...management, kind: "Token", plural: "tokens" });
export const projects: ResourceType = aType({
  ...{ ...management, kind: "Project", plural: "projects", scope: "Namespaced" },
});

/** Types of a cluster. */
export function typesOf(...known: readonly ResourceType[]): KnownTypes {
  const types = new KnownTypes(silentLogger);
  types.replace(known);
  return types;
}

export const allTypes: KnownTypes = typesOf(
  ...[pods, configMaps, secrets, accounts, namespaces, nodes, services, replicaSets, deployments],
  ...[jobs, cronJobs, settings, clusters, users, tokens, projects],
);

/** Rights by namespace, under `""` everywhere: `get,list pods` or `get secrets/one`, of any group. */
export function accessOf(held: Readonly<Record<string, readonly string[]>>): Access {
  const graph = new RbacGraph();
  for (const [place, rights] of Object.entries(held)) {
    const namespace = place === "" ? undefined : place;
    const key = place === "" ? "b" : `${place}/b`;
    graph.setRole(key, rights.map(toRule));
    graph.setBinding(key, { key, namespace, role: key, subjects: ["user:u"] });
  }
  return new HeldAccess(grantsOf([graph.subject("user:u")], (role) => graph.rulesOf(role)));
}

function toRule(right: string): PolicyRule {
  const [verbs = "", resource = ""] = right.split(" ");
  const [plural = "", ...resourceNames] = resource.split("/");
  const named = resourceNames.length > 0 && { resourceNames };
  return { verbs: verbs.split(","), apiGroups: ["*"], resources: [plural], ...named };
}

/** Somebody may do everything, and wants items as they are, at noon. */
export function aContext(type: ResourceType, more: Partial<ItemContext> = {}): ItemContext {
  return { type, access: everything, base: "https://host", shape: whole, now: noon, ...more };
}

export const noon: number = Date.parse("2026-11-21T12:00:00Z");

/** Writes items as above, without a memory of them unless told. */
export function aWriter(context: ItemContext, parts: Partial<ItemsParts> = {}): ItemWriter {
  return new CachedItems({ types: allTypes, ...parts }).writer(context);
}

/** An item as a client reads it. */
export function read(parts: readonly Uint8Array[] | undefined): Sent {
  if (parts === undefined) throw new Error("there is no such item");
  return JSON.parse(Buffer.concat(parts).toString()) as Sent; // a test looks closer
}

/** The item of an object as the cache shows it. */
export function itemOf(
  object: Sent,
  type: ResourceType,
  more: Partial<ItemContext> = {},
  parts: Partial<ItemsParts> = {},
): Sent {
  const bytes = Buffer.from(JSON.stringify(object));
  return read(aWriter(aContext(type, more), parts).ofObject(bytes));
}

/** A cache of a type as holders of a share see it; how long it stays is its informer's affair. */
export function collectionOf(
  type: ResourceType,
  cache: Cache,
  gone: AbortSignal = new AbortController().signal,
): Collection {
  const nothing = { [Symbol.dispose]: () => undefined };
  return { type, cache, gone, need: async () => undefined, follow: () => nothing, ...nothing };
}

/** A real cache of objects, fed by a server that follows a script. */
export class ServedCache implements AsyncDisposable {
  readonly collection: Collection;
  readonly #disposed: AsyncDisposableStack;
  readonly #tell: (type: string, object: Sent) => void;

  private constructor(
    collection: Collection,
    disposed: AsyncDisposableStack,
    tell: (type: string, object: Sent) => void,
  ) {
    this.collection = collection;
    this.#disposed = disposed;
    this.#tell = tell;
  }

  static async start(type: ResourceType, objects: readonly Sent[]): Promise<ServedCache> {
    const disposed = new AsyncDisposableStack();
    const told = Promise.withResolvers<(text: string) => void>();
    const server = disposed.use(
      await startScriptedServer((response) => {
        response.writeHead(200, { "Content-Type": "application/json" });
        for (const object of objects) response.write(eventLine("ADDED", object));
        response.write(endOfList("1000"));
        told.resolve((text) => void response.write(text));
      }),
    );
    const client = disposed.use(connect(server.config));
    const informers = disposed.use(new Informers(client, { managedFields: "cold", audit: false }));
    const share = disposed.use(informers.acquire(type.kind));
    await share.cache.whenSynced();
    const write = await told.promise;
    return new ServedCache(collectionOf(type, share.cache), disposed, (kind, object) =>
      write(eventLine(kind, object)),
    );
  }

  get cache(): Cache {
    return this.collection.cache;
  }

  /** Resolves when the cache has the new state. */
  async change(object: Sent, resourceVersion: string, kind = "MODIFIED"): Promise<void> {
    this.#tell(kind, object);
    await this.cache.waitFor(resourceVersion, { timeout: 20_000 });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#disposed.disposeAsync();
  }
}

/** The shape that a URL asks for. */
export const shape = (query: string): { readonly shape: Shape } => ({
  shape: parseShape(new URLSearchParams(query)),
});

/** Made an hour before noon. */
export const metadata: Sent = {
  ...{ name: "thing", namespace: "ns", uid: "u", resourceVersion: "7" },
  ...{ creationTimestamp: "2026-11-21T11:00:00Z" },
};
export const configMap: Sent = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata,
  data: { a: "1", b: "2" },
};
export const managedFields: readonly Sent[] = [
  { manager: "m", operation: "Update", fieldsV1: { "f:data": {} } },
];
/** Its only container fails. */
export const pod: Sent = {
  ...{ apiVersion: "v1", kind: "Pod", metadata },
  spec: { containers: [{ name: "c", image: "i" }] },
  status: {
    ...{ phase: "Running", startTime: "2026-11-21T11:00:00Z" },
    containerStatuses: [
      {
        name: "c",
        ready: false,
        restartCount: 3,
        state: { waiting: { reason: "CrashLoopBackOff" } },
      },
    ],
  },
};

/** An object as the API server sends it. */
export const bytesOf = (object: unknown): Buffer => Buffer.from(JSON.stringify(object));
