import { gunzipSync } from "node:zlib";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { compareResourceVersions } from "kopf-ts";
import { eventually, type Random, seededRandom } from "kopf-ts/testing";
import { parse } from "yaml";
import { at, listAt, textAt } from "../tree.ts";
import { aKind, crdOf, install, send, uninstall } from "../types/testing.test.support.ts";
import { type Answer, ListServer } from "./harness.test.support.ts";

const seed = Number(process.env.LIST_SEED ?? 1);
const cases = Number(process.env.LIST_CASES ?? 400);

const kind = aKind("gizmo");
const id = `${kind.group}.gizmo`;
const plural = `${kind.group}.gizmos`;
const namespaces = ["a", "b", "c"].map((letter) => uniqueName(`lists-${letter}`));
const [a = "", b = "", c = ""] = namespaces;
const project = uniqueName("p");

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
];

interface Gizmo {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: Readonly<Record<string, unknown>>;
}

const colors = ["red", "Green", "blue", "50%_\\", "", undefined];
const memories = ["1Gi", "900Mi", "2", "100m", undefined];
const addresses = ["10.0.0.9", "10.0.0.10", "9.9.9.9", "fd00::1", undefined];

/** The same ones in every run. */
const gizmos: readonly Gizmo[] = Array.from({ length: 36 }, (_, index) => ({
  namespace: namespaces[index % 3] ?? "",
  name: `g-${(index * 7) % 36}`,
  labels: {
    ...(index % 4 > 0 && { "app.kubernetes.io/name": ["web", "API", "db"][index % 3] }),
    ...(index % 5 === 0 && { tier: String(index % 7) }),
  } as Readonly<Record<string, string>>,
  spec: {
    ...(index % 6 > 0 && { size: (index * 5) % 23 }),
    ...defined({ color: colors[index % 6], memory: memories[index % 5] }),
    ...defined({ address: addresses[(index * 2) % 5] }),
    tags: ["x", "y", "x y", "z|w"].slice(index % 3, 1 + (index % 4)),
    parts: [{ name: `p${index % 4}` }, {}, { name: "last" }].slice(0, index % 4),
    any: index === 8 ? { weight: 7 } : {},
  },
}));

function defined(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

/** What an answer is: its collection, or its error. */
function bodyOf({ text: json }: Answer): Readonly<Record<string, unknown>> {
  return JSON.parse(json);
}

function idsIn(answer: Answer): readonly string[] {
  expect(answer.status, answer.text.slice(0, 300)).to.equal(200);
  return listAt(bodyOf(answer), "data").map((item) => textAt(item, "id"));
}

describe("lists, of a real API server", function () {
  this.timeout(60_000);

  let server: ListServer;

  before(async () => {
    server = await ListServer.start();
    const { client } = server;
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
    await eventually(() => server.type(id) !== undefined, { within: 20_000 });
    await eventually(async () => idsIn(await server.get(plural)).length === gizmos.length, {
      within: 20_000,
    });
  });
  after(async () => {
    if (server === undefined) return;
    await uninstall(server.client, kind);
    await server[Symbol.asyncDispose]();
  });

  it("answers", async () => {
    console.log((await server.get(`${plural}?pagesize=1`)).text);
  });
});
