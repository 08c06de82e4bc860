import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "@drover/env";
import { expect } from "chai";
import { type Client, connect, loadConfig } from "kopf-ts";
import { parseAllDocuments } from "yaml";
import { at, isTrueAt, listAt, textAt } from "../tree.ts";
import { shown } from "./cell.ts";
import { printedKinds, printerOf } from "./printers.ts";

/** Objects of every kind with a printer, one for every branch of it; with the status that a controller would have written. */
const folder = join(import.meta.dirname, "../../../src/v1/printers/samples");
const samples = readdirSync(folder).flatMap((file) =>
  parseAllDocuments(readFileSync(join(folder, file), "utf8")).map(
    (document) => document.toJS() as Readonly<Record<string, unknown>>,
  ),
);

/** Controllers that would change or remove samples: Nodes and Pods without a kubelet, StorageVersions of servers that are not there. */
const idle = [
  ...["node-lifecycle-controller", "taint-eviction-controller", "pod-garbage-collector-controller"],
  ...["storageversion-garbage-collector-controller", "storage-version-migrator-controller"],
];

/** What the server has to be told to serve kinds that are not on by default. */
const gated = {
  featureGates: {
    ...{ ClusterTrustBundle: true, PodCertificateRequest: true, CoordinatedLeaderElection: true },
    ...{ DRADeviceTaints: true, DRADeviceTaintRules: true, GenericWorkload: true },
    ...{ MutatingAdmissionPolicy: true, StorageVersionAPI: true, StorageVersionMigrator: true },
  },
  flags: {
    apiServer: [`--runtime-config=${groups().join(",")}`],
    controllerManager: [`--controllers=*,${idle.map((name) => `-${name}`).join(",")}`],
  },
};

/** Groups and versions of the samples that are not served otherwise. */
function groups(): readonly string[] {
  const versions = samples.map((sample) => textAt(sample, "apiVersion"));
  return [...new Set(versions.filter((version) => /(alpha|beta)\d+$/.test(version)))].map(
    (version) => `${version}=true`,
  );
}

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
    plane = await startControlPlane({ name: "printers", ...gated });
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

  async function make({
    status,
    approval,
    ...object
  }: Readonly<Record<string, unknown>>): Promise<string> {
    const collection = await collectionOf(object);
    await send("POST", collection, object);
    const path = `${collection}/${textAt(object, "metadata", "name")}`;
    if (approval !== undefined) await send("PATCH", `${path}/approval`, { status: approval });
    if (status !== undefined) await send("PATCH", `${path}/status`, { status });
    return path;
  }

  /** Of one object, or of all in a collection. */
  async function rows(path: string): Promise<readonly Row[]> {
    const from = Date.now();
    const { body } = await client.request({
      ...{ method: "GET", path: `${path}?includeObject=Object`, headers: asTable },
    });
    const between = [from, Date.now()] as const;
    return listAt(JSON.parse(body.toString()), "rows").map((each) => {
      return { cells: listAt(each, "cells"), object: at(each, "object"), between };
    });
  }

  for (const sample of samples) {
    it(`agree about ${textAt(sample, "kind")} ${textAt(sample, "metadata", "name")}`, async () => {
      const found = await rows(await make(sample));

      expect(found).to.have.length(1);
      expect(found.map(print)).to.deep.equal(found.map(({ cells }) => cells));
    });
  }

  it("agree about ComponentStatuses, which nobody can make", async () => {
    const found = await rows("/api/v1/componentstatuses");

    expect(found).not.to.have.length(0);
    expect(found.map(print)).to.deep.equal(found.map(({ cells }) => cells));
  });

  it("have a sample of every kind with a printer", () => {
    const sampled = new Set(samples.map(kindOf));

    expect(printedKinds.filter((kind) => !sampled.has(kind))).to.deep.equal(["ComponentStatus"]);
  });
});

/** `Pod`, `apps/Deployment`. */
function kindOf(object: unknown): string {
  const [group, version] = textAt(object, "apiVersion").split("/");
  const kind = textAt(object, "kind");
  return version === undefined ? kind : `${group}/${kind}`;
}

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
