/** Objects of a kind of our own on a real API server, and what is asked about them, for tests of lists. */

import { uniqueName } from "@drover/env";
import { expect } from "chai";
import type { Client } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { listAt, textAt } from "../tree.ts";
import { aKind, crdOf, install, send, type TestKind } from "../types/testing.test.support.ts";
import { type Answer, ListServer } from "./harness.test.support.ts";

/** The kind. */
export const kind: TestKind = aKind("gizmo");
/** Its id as a type. */
export const id: string = `${kind.group}.gizmo`;
/** What URLs name it. */
export const plural: string = `${kind.group}.gizmos`;
/** A namespace in no project. */
export const a: string = uniqueName("lists-a");
/** One in `project`. */
export const b: string = uniqueName("lists-b");
/** One in another project. */
export const c: string = uniqueName("lists-c");
/** Where the objects are. */
export const namespaces: readonly string[] = [a, b, c];
/** The project that the second namespace is in. */
export const project: string = uniqueName("p");

const text = { type: "string" };
const properties = {
  spec: {
    type: "object",
    properties: {
      size: { type: "integer" },
      color: text,
      memory: { "x-kubernetes-int-or-string": true, pattern: "KMGTP|.*" },
      address: text,
      sold: { type: "string", format: "date-time" },
      tags: { type: "array", items: text },
      parts: { type: "array", items: { type: "object", properties: { name: text } } },
      any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    },
  },
};
const columns = [
  { name: "Size", type: "integer", jsonPath: ".spec.size" },
  { name: "Color", type: "string", jsonPath: ".spec.color" },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  { name: "Sold", type: "date", jsonPath: ".spec.sold" },
];

/** One object. */
export interface Gizmo {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: Readonly<Record<string, unknown>>;
}

const colors = ["red", "Green", "blue", "50%_\\", "", undefined];
const memories = ["1Gi", "900Mi", "2", "100m", undefined];
const addresses = ["10.0.0.9", "10.0.0.10", "9.9.9.9", "fd00::1", undefined];
/** As texts they come in another order than as dates. */
const dates = [
  ...["2024-01-01T00:30:00+14:00", "2024-01-01T00:00:00Z", "2023-12-31T23:00:00-05:00"],
  ...["2024-01-01T01:00:00+02:00", undefined, "2024-01-01T00:00:00.250Z", "1969-12-31T23:59:59Z"],
];

/** The same ones in every run. */
export const gizmos: readonly Gizmo[] = Array.from({ length: 36 }, (_, index) => ({
  namespace: namespaces[index % 3] ?? "",
  name: `g-${(index * 7) % 36}`,
  labels: {
    ...(index % 4 > 0 && { "app.kubernetes.io/name": ["web", "API", "db"][index % 3] }),
    ...(index % 5 === 0 && { tier: String(index % 7) }),
  } as Readonly<Record<string, string>>,
  spec: {
    ...(index % 6 > 0 && { size: (index * 5) % 23 }),
    ...defined({ color: colors[index % 6], memory: memories[index % 5] }),
    ...defined({ address: addresses[(index * 2) % 5], sold: dates[index % 7] }),
    tags: ["x", "y", "x y", "z|w"].slice(index % 3, 1 + (index % 4)),
    parts: [{ name: `p${index % 4}` }, {}, { name: "last" }].slice(0, index % 4),
    any: index === 8 ? { weight: 7 } : {},
  },
}));

function defined(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

let made: Promise<void> | undefined;

/** Makes the objects, once for all test files of a process. */
async function make(client: Client): Promise<void> {
  const crd = crdOf(kind, { columns, properties });
  await install(client, crd);
  for (const [index, name] of namespaces.entries()) {
    const labels =
      index === 0 ? {} : { "field.cattle.io/projectId": index === 1 ? project : "other" };
    await send(client, "POST", "/api/v1/namespaces", { metadata: { name, labels } });
  }
  for (const { namespace, name, labels, spec } of gizmos) {
    const path = `/apis/${kind.group}/v1/namespaces/${namespace}/gizmos`;
    await send(client, "POST", path, {
      ...{ apiVersion: `${kind.group}/v1`, kind: kind.kind, metadata: { name, labels }, spec },
    });
  }
}

/** Lists of the objects, and of everything else there is. */
export class GizmoLists implements AsyncDisposable {
  readonly #server: ListServer;

  constructor(server: ListServer) {
    this.#server = server;
  }

  /** Starts a server that knows the objects. */
  static async start(): Promise<GizmoLists> {
    const lists = new GizmoLists(await ListServer.start());
    made ??= make(lists.client);
    await made;
    await eventually(() => lists.#server.type(id) !== undefined, { within: 20_000 });
    const isComplete = async () => (await lists.ids(plural)).length === gizmos.length;
    await eventually(isComplete, { within: 20_000 });
    return lists;
  }

  get client(): Client {
    return this.#server.client;
  }

  type(name: string): ReturnType<ListServer["type"]> {
    return this.#server.type(name);
  }

  /** An answer, whatever it is. */
  get(path: string, headers?: Headers): Promise<Answer> {
    return this.#server.get(path, headers);
  }

  /** As it was sent. */
  raw(path: string, headers: Headers): ReturnType<ListServer["raw"]> {
    return this.#server.raw(path, headers);
  }

  /** The collection. */
  async body(path: string, headers?: Headers): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.get(path, headers);
    expect(answer.status, `${path.slice(0, 300)}: ${answer.text.slice(0, 300)}`).to.equal(200);
    return bodyOf(answer);
  }

  /** The ids of a collection. */
  async ids(path: string, headers?: Headers): Promise<readonly string[]> {
    return idsOf(await this.body(path, headers));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server[Symbol.asyncDispose]();
  }
}

type Headers = Readonly<Record<string, string>>;

/** What a naive filter says of the objects, by id. */
export function where(test: (gizmo: Gizmo) => boolean): readonly string[] {
  return gizmos.filter(test).map(idOf).toSorted();
}

/** What an answer is: its collection, or its error. */
export function bodyOf({ text: json }: Answer): Readonly<Record<string, unknown>> {
  return JSON.parse(json);
}

/** The id of an object. */
export function idOf({ namespace, name }: Pick<Gizmo, "namespace" | "name">): string {
  return `${namespace}/${name}`;
}

/** The ids in a collection. */
export function idsOf(answer: unknown): readonly string[] {
  return listAt(answer, "data").map((item) => textAt(item, "id"));
}

/** What an object is ordered by. */
export type Rank = readonly (string | number)[];

/** Below zero when the first comes before the second. */
export function compareRanks(x: Rank, y: Rank): number {
  for (const [index, value] of x.entries()) {
    const other = y[index] ?? "";
    if (value !== other) return value < other ? -1 : 1;
  }
  return 0;
}
