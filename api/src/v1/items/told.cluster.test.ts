import { freshNamespace, testEnv } from "@drover/env";
import { expect } from "chai";
import { type Client, connect, Informers, loadConfig } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { at } from "../tree.ts";
import type { ResourceType } from "../types/resource-type.ts";
import { send } from "../types/testing.test.support.ts";
import { toldCells } from "../types/told.ts";
import { parseShape } from "./shape.ts";
import { aContext, aWriter, collectionOf, configMaps, typesOf } from "./testing.test.support.ts";

/** The same type, as if nobody but the server knew its cells. */
const told: ResourceType = { ...configMaps, cells: toldCells };

describe("items whose cells come with the objects", function () {
  this.timeout(60_000);

  let client: Client;
  let informers: Informers;
  let namespace: string;
  before(async () => {
    const plane = await testEnv();
    client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
    informers = new Informers(client, { managedFields: "cold" });
    namespace = await freshNamespace(plane);
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    for (const data of [{}, { a: "1" }, { a: "1", b: "é\n" }]) {
      const metadata = { name: `map-${Object.keys(data).length}`, labels: { l: "x" } };
      await send(client, "POST", path, { apiVersion: "v1", kind: "ConfigMap", metadata, data });
    }
  });
  after(async () => {
    await informers?.dispose();
    await client?.[Symbol.asyncDispose]();
  });

  /** The items of the objects, as texts. */
  async function itemsOf(type: ResourceType, query: string): Promise<readonly string[]> {
    using share = informers.acquire(type.kind, { namespace, table: type === told });
    await share.whenSynced();
    const keys = [0, 1, 2].map((count) => `${namespace}/map-${count}`);
    await eventually(() => keys.every((key) => share.cache.has(key)), { within: 20_000 });
    const shape = parseShape(new URLSearchParams(query));
    const writer = aWriter(aContext(type, { shape }), { types: typesOf(type) });
    return keys.map((key) => textOf(writer.ofKey(collectionOf(type, share.cache), key)));
  }

  for (const query of [
    "",
    "exclude=metadata.managedFields",
    "include=metadata.fields",
    "exclude=metadata.fields",
    "excludeValues=data",
    "include=metadata&exclude=metadata.state",
  ]) {
    it(`are those of a type with a printer, asked with ?${query}`, async () => {
      expect(await itemsOf(told, query)).to.deep.equal(await itemsOf(configMaps, query));
    });
  }

  it("have their cells", async () => {
    const [, one] = await itemsOf(told, "");
    expect(at(JSON.parse(one ?? ""), "metadata", "fields")).to.deep.include.members(["map-1", 1]);
    expect(at(JSON.parse(one ?? ""), "metadata", "managedFields")).to.have.length(1);
  });

  it("have none where the server made no table", async () => {
    using share = informers.acquire(told.kind, { namespace });
    await share.whenSynced();
    const writer = aWriter(aContext(told), { types: typesOf(told) });
    const text = textOf(writer.ofKey(collectionOf(told, share.cache), `${namespace}/map-1`));
    expect(at(JSON.parse(text), "metadata")).to.not.have.property("fields");
  });
});

function textOf(parts: readonly Uint8Array[] | undefined): string {
  return Buffer.concat(parts ?? []).toString();
}
