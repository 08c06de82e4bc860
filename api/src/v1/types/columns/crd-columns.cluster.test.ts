import { testEnv } from "@drover/env";
import { expect } from "chai";
import { type Client, connect, loadConfig } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import type { Cell } from "../../printers/cell.ts";
import { humanDuration } from "../../printers/human.ts";
import { at, listAt, mapAt, textAt } from "../../tree.ts";
import { aKind, crdOf, install, send, uninstall } from "../testing.test.support.ts";
import { crdTable } from "./crd-columns.ts";

/** Columns that a kind may declare, and objects that do not always fit them. */
const kinds: readonly {
  readonly name: string;
  readonly columns: readonly object[];
  readonly objects: readonly object[];
}[] = [
  { name: "declares no columns", columns: [], objects: [{}] },
  {
    name: "shows numbers",
    columns: typed("spec.value"),
    objects: values(0, 7, -3, 1.5, -1.5, 123_456.75, 1_234_567.5, 0.00001),
  },
  {
    name: "shows numbers that no integer holds",
    columns: [column("Text", "string", ".spec.value"), column("Number", "number", ".spec.value")],
    objects: values(1e20, 1e21, 9_007_199_254_740_992),
  },
  {
    name: "shows texts",
    columns: typed("spec.value"),
    objects: values("", "a b", "7", "true", "<é>"),
  },
  { name: "shows truths", columns: typed("spec.value"), objects: values(true, false) },
  {
    name: "shows lists and maps",
    columns: typed("spec.value"),
    objects: values([], [1, "a", null], {}, { b: { d: 1.5, c: "<&>" }, a: [true], 10: 1, 9: 2 }),
  },
  {
    name: "shows dates",
    columns: typed("spec.value"),
    objects: values(
      "2020-02-29T12:30:00Z",
      "2021-02-29T12:30:00Z",
      "2020-01-01T00:00:00.123+05:30",
      "2020-01-01T5:00:00Z",
      "2020-01-01 00:00:00Z",
      "2020-01-01",
      "null",
      "2020-13-01T00:00:00Z",
      "2020-01-01T25:00:00Z",
      "2020-01-01T23:59:60Z",
    ),
  },
  {
    name: "takes the first of several values",
    columns: typed("spec.list[*].name"),
    objects: [
      { spec: { list: [{ name: "a" }, { name: "b" }] } },
      { spec: { list: [{ other: 1 }, { name: 2 }] } },
      { spec: { list: [] } },
      { spec: { list: "text" } },
    ],
  },
  {
    name: "filters conditions",
    columns: [
      column("Ready", "string", '.status.conditions[?(@.type=="Ready")].status'),
      column("Since", "date", ".status.conditions[?(@.type=='Ready')].lastTransitionTime"),
      column("Other", "string", '.status.conditions[?(@.type!="Ready")].status'),
      column("Has", "string", ".status.conditions[?(@.reason)].type"),
      column("Large", "integer", ".status.sizes[?(@>10)]"),
      column("Mixed", "string", ".status.conditions[?(@.type==1)].status"),
    ],
    objects: [
      {},
      { status: { conditions: [] } },
      {
        status: {
          conditions: [
            { type: "Synced", status: "Unknown", reason: "x" },
            { type: "Ready", status: "True", lastTransitionTime: "2020-01-01T00:00:00Z" },
          ],
          sizes: [1, 11, 12],
        },
      },
    ],
  },
  {
    name: "reads keys with dots and brackets",
    columns: [
      column("App", "string", ".metadata.labels.app\\.kubernetes\\.io/name"),
      column("Quoted", "string", ".metadata.labels['app\\.kubernetes\\.io/name']"),
      column("Split", "string", ".metadata.labels['app.kubernetes.io/name']"),
      column("Last", "integer", ".spec.list[-1]"),
      column("Third", "integer", ".spec.list[2]"),
      column("Some", "integer", ".spec.list[0:2]"),
      column("Union", "integer", ".spec.list[1,0]"),
    ],
    objects: [
      { metadata: { labels: { "app.kubernetes.io/name": "web" } }, spec: { list: [5, 6] } },
      { spec: { list: [5, 6, 7] } },
      { spec: { list: [] } },
    ],
  },
  {
    name: "wanders and descends",
    columns: [
      column("Deep", "integer", ".spec..port"),
      column("All", "string", ".spec.list.*"),
      column("Whole", "string", ".spec"),
      column("Nothing", "string", ".spec.missing.deeper"),
      column("Through", "string", ".spec.text.deeper"),
      column("Second", "string", ".spec.text .spec.text"),
    ],
    objects: [{ spec: { text: "t", a: { port: 1 }, list: ["x", "y"] } }, {}],
  },
  {
    name: "prefers nothing to what it cannot read",
    columns: [
      column("First", "string", ".spec.value"),
      column("Broken", "string", ".spec.list[x]"),
      column("Behind", "string", ".spec.value"),
    ],
    objects: values("shown"),
  },
  {
    name: "describes its columns",
    columns: [
      { ...column("Described", "string", ".spec.value"), description: "Said by its author" },
      { ...column("Formatted", "integer", ".spec.value"), format: "int32", priority: 1 },
      column("Named", "string", ".metadata.name"),
      column("Kind", "string", ".kind"),
    ],
    objects: values("x", 3),
  },
  {
    name: "shows values that are null",
    columns: typed("spec.value"),
    objects: values(null),
  },
];

function column(name: string, type: string, jsonPath: string) {
  return { name, type, jsonPath };
}

/** A column of every type. */
function typed(path: string): readonly object[] {
  const types = ["string", "integer", "number", "boolean", "date"];
  return types.map((type) => column(`As ${type}`, type, `.${path}`));
}

function values(...all: readonly unknown[]): readonly object[] {
  return all.map((value) => ({ spec: { value } }));
}

/** The schema lets everything through; `value` may be null. */
const properties = {
  spec: {
    type: "object",
    "x-kubernetes-preserve-unknown-fields": true,
    properties: { value: { "x-kubernetes-preserve-unknown-fields": true, nullable: true } },
  },
  status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};

describe("crdTable, beside the API server's own", function () {
  this.timeout(60_000);

  const cases = kinds.map((each) => {
    const kind = aKind();
    return { ...each, kind, crd: crdOf(kind, { columns: each.columns, properties }) };
  });
  let client: Client;

  before(async function () {
    this.timeout(120_000);
    const { kubeconfigPath } = await testEnv();
    client = connect(await loadConfig({ kubeconfig: kubeconfigPath }));
    await Promise.all(cases.map(({ crd }) => install(client, crd)));
  });
  after(async () => {
    await Promise.all(cases.map(({ kind }) => uninstall(client, kind)));
    await client[Symbol.asyncDispose]();
  });

  for (const { name, objects, kind, crd } of cases) {
    it(`agrees about a kind that ${name}`, async () => {
      const { group } = kind;
      const collection = `/apis/${group}/v1/namespaces/default/${kind.plural}`;
      for (const [index, object] of objects.entries()) {
        const metadata = { ...mapAt(object, "metadata"), name: `object-${index}` };
        const sent = { ...object, apiVersion: `${group}/v1`, kind: kind.kind, metadata };
        await eventually(() => send(client, "POST", collection, sent), { within: 20_000 });
      }

      const table = await tableOf(client, collection);
      const ours = crdTable(crd.spec.versions[0]);

      expect(ours.columns).to.deep.equal(listAt(table, "columnDefinitions"));
      const types = ours.columns.map(({ type }) => type);
      for (const row of listAt(table, "rows")) {
        const cells = ours.cells(at(row, "object"));
        const theirs = listAt(row, "cells");
        expect(asTheirs(cells, types, theirs), JSON.stringify(at(row, "object"))).to.deep.equal(
          theirs,
        );
      }
      expect(listAt(table, "rows")).to.have.length(objects.length);
    });
  }
});

async function tableOf(client: Client, path: string): Promise<unknown> {
  const { body } = await client.request({
    ...{ method: "GET", path: `${path}?includeObject=Object` },
    headers: { Accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
  });
  return JSON.parse(body.toString("utf8"));
}

/** Dates are ours on purpose; we only look whether theirs is the time since then. */
function asTheirs(
  cells: readonly Cell[],
  types: readonly string[],
  theirs: readonly unknown[],
): readonly unknown[] {
  return cells.map((cell, index) => {
    const isDate = types[index] === "date" && typeof cell === "string" && !cell.startsWith("<");
    if (!isDate) return cell;
    const age = Date.now() - Date.parse(textAt({ cell: cell.replace("T5:", "T05:") }, "cell"));
    const possible = [0, 1_000, 2_000, 5_000, 10_000].map((late) => humanDuration(age - late));
    const seen = theirs[index];
    return isAbout(seen, possible) ? seen : cell;
  });
}

function isAbout(seen: unknown, possible: readonly string[]): boolean {
  return typeof seen === "string" && (possible.includes(seen) || /^\d+s$/.test(seen));
}
