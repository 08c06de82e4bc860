import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "@drover/env";
import { expect } from "chai";
import { type Client, connect, loadConfig } from "kopf-ts";
import { parseAllDocuments } from "yaml";
import { at, isTrueAt, listAt, textAt } from "../tree.ts";
import { shown } from "./cell.ts";
import { printerOf } from "./printers.ts";

/** Objects of every kind with a printer, one for every branch of it; with the status that a controller would have written. */
const folder = join(import.meta.dirname, "../../../src/v1/printers/samples");
const samples = readdirSync(folder).flatMap((file) =>
  parseAllDocuments(readFileSync(join(folder, file), "utf8")).map(
    (document) => document.toJS() as Readonly<Record<string, unknown>>,
  ),
);

const asTable = { Accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };

/** One row as the API server prints it, and its object. */
interface Row {
  readonly cells: readonly unknown[];
  readonly object: unknown;
  /** When it was asked for and answered, milliseconds since the Unix epoch. */
  readonly between: readonly [from: number, to: number];
}

describe("printers, beside the API server's own", function () {
  this.timeout(60_000);

  let plane: ControlPlane;
  let client: Client;

  before(async () => {
    plane = await startControlPlane({ name: "printers" });
    client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
  });
  after(async () => {
    await client?.[Symbol.asyncDispose]();
    await plane?.[Symbol.asyncDispose]();
  });

  async function send(method: "GET" | "POST" | "PATCH", path: string, sent?: unknown) {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const body = sent === undefined ? {} : { body: JSON.stringify(sent) };
    const answer = await client.request({
      ...{ method, path, ...body },
      headers: { "Content-Type": type },
    });
    const object: unknown = JSON.parse(answer.body.toString());
    expect(answer.status, JSON.stringify(object)).to.be.within(200, 201);
    return object;
  }

  /** Where objects of a kind are, in namespace `default` if they are in any. */
  async function collectionOf(object: unknown): Promise<string> {
    const version = textAt(object, "apiVersion");
    const root = version.includes("/") ? `/apis/${version}` : `/api/${version}`;
    const resource = listAt(await send("GET", root), "resources").find(
      (each) =>
        textAt(each, "kind") === textAt(object, "kind") && !textAt(each, "name").includes("/"),
    );
    const place = isTrueAt(resource, "namespaced") ? "/namespaces/default" : "";
    return `${root}${place}/${textAt(resource, "name")}`;
  }

  async function make({ status, ...object }: Readonly<Record<string, unknown>>): Promise<string> {
    const collection = await collectionOf(object);
    await send("POST", collection, object);
    const path = `${collection}/${textAt(object, "metadata", "name")}`;
    if (status !== undefined) await send("PATCH", `${path}/status`, { status });
    return path;
  }

  async function row(path: string): Promise<Row> {
    const from = Date.now();
    const { body } = await client.request({
      ...{ method: "GET", path: `${path}?includeObject=Object`, headers: asTable },
    });
    const [only] = listAt(JSON.parse(body.toString()), "rows");
    const between = [from, Date.now()] as const;
    return { cells: listAt(only, "cells"), object: at(only, "object"), between };
  }

  for (const sample of samples) {
    it(`agree about ${textAt(sample, "kind")} ${textAt(sample, "metadata", "name")}`, async () => {
      const found = await row(await make(sample));

      const ours = print(found);

      expect(ours).to.deep.equal(found.cells);
    });
  }
});

/** Our cells; of the ages that a cell had between question and answer, the one that the server found. */
function print({ cells, object, between: [from, to] }: Row): readonly unknown[] {
  const [group = "", version] = textAt(object, "apiVersion").split("/");
  const kind = textAt(object, "kind");
  const printer = printerOf(version === undefined ? "" : group, version ?? group, kind);
  if (printer === undefined) throw new Error(`no printer for ${kind}`);
  return printer(object).map((cell, index) => {
    for (let now = from; now < to; now++) {
      if (shown(cell, now) === cells[index]) return cells[index];
    }
    return shown(cell, to);
  });
}
