import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { connect, silentLogger, systemClock } from "kopf-ts";
import { accessOf, aRule } from "../access/held.test.support.ts";
import { everything } from "../access/held-access.ts";
import type { KeptAnswer } from "../answers/answer.ts";
import { listAt, textAt } from "../tree.ts";
import { aType } from "../types/a-type.test.support.ts";
import { KnownTypes } from "../types/known-types.ts";
import type { ResourceType } from "../types/resource-type.ts";
import { Schemas } from "./schemas.ts";

const base = "https://drover.test";
const pod = aType({ kind: "Pod" });
const column = { name: "Name", type: "string", format: "name", description: "d", priority: 1 };
const gadget = aType({
  ...{ group: "example.com", kind: "Gadget", scope: "Cluster", crd: true, description: "Does it." },
  ...{ columns: [column], columnPaths: { Name: "{.metadata.name}" }, observesGeneration: true },
  ...{ aggregated: true, table: false, preferredGroup: "apps", preferredVersion: "v2" },
});
const cluster = aType({ group: "management.cattle.io", version: "v3", kind: "Cluster" });

/** Nothing is asked of it: descriptions are learned only once they are started. */
const nowhere = connect({ server: "http://127.0.0.1:9" });

function schemasOf(...types: readonly ResourceType[]): { types: KnownTypes; schemas: Schemas } {
  const known = new KnownTypes(silentLogger);
  known.replace(types);
  const parts = { types: known, client: nowhere, clock: systemClock, log: silentLogger };
  return { types: known, schemas: new Schemas(parts) };
}

function ids({ plain }: KeptAnswer): readonly string[] {
  return listAt(JSON.parse(plain.toString()), "data").map((each) => textAt(each, "id"));
}

describe("Schemas", () => {
  after(() => nowhere[Symbol.asyncDispose]());

  it("writes a type as Steve does, with everything that is known of it", () => {
    const { schemas } = schemasOf(gadget);

    const schema = schemas.one("example.com.gadget", everything, base);

    expect(JSON.parse(schema ?? "")).to.deep.equal({
      id: "example.com.gadget",
      type: "schema",
      links: {
        collection: `${base}/v1/example.com.gadgets`,
        self: `${base}/v1/schemas/example.com.gadget`,
      },
      description: "Does it.",
      pluralName: "example.com.gadgets",
      resourceMethods: ["GET", "PUT", "PATCH", "DELETE"],
      resourceFields: null,
      collectionMethods: ["GET", "POST"],
      attributes: {
        aggregated: true,
        columns: [{ ...column, field: "$.metadata.fields[0]" }],
        crd: true,
        crdJSONPathParsers: { Name: "{.metadata.name}" },
        group: "example.com",
        hasObservedGeneration: true,
        kind: "Gadget",
        namespaced: false,
        preferredGroup: "apps",
        preferredVersion: "v2",
        resource: "gadgets",
        table: "false",
        verbs: gadget.verbs,
        version: "v1",
      },
    });
  });

  it("leaves out what is not known of a type, and what a caller has not", () => {
    const { schemas } = schemasOf(pod);
    const access = accessOf({ a: [aRule("delete", "pods")] });

    const schema = schemas.one("pod", access, base);

    const { verbs } = pod;
    expect(JSON.parse(schema ?? "")).to.deep.equal({
      ...{ id: "pod", type: "schema", links: { self: `${base}/v1/schemas/pod` } },
      ...{ pluralName: "pods", resourceMethods: ["DELETE"], resourceFields: null },
      attributes: {
        ...{ group: "", kind: "Pod", namespaced: true, resource: "pods", verbs, version: "v1" },
      },
    });
  });

  it("says which methods are blocked for anybody", () => {
    const { schemas } = schemasOf(cluster);

    const schema: unknown = JSON.parse(schemas.one(cluster.id, everything, base) ?? "");

    expect(schema).to.have.nested.property("attributes.disallowMethods.PUT", true);
    expect(schema).to.have.deep.property("collectionMethods", ["GET", "blocked-POST"]);
  });

  for (const { name, found } of [
    { name: "Pods", found: "pod" },
    { name: "schemas", found: "schema" },
    { name: "SCHEMADEFINITION", found: "schemaDefinition" },
    { name: "error", found: "error" },
    { name: "collection", found: "collection" },
    { name: "subscribe", found: "subscribe" },
    { name: "nodes", found: undefined },
    { name: "constructor", found: undefined },
  ]) {
    it(`finds ${found ?? "nothing"} as ${name}`, () => {
      const { schemas } = schemasOf(pod);

      const schema = schemas.one(name, everything, base);

      expect(schema && textAt(JSON.parse(schema), "id")).to.equal(found);
    });
  }

  it("lists what has methods for a caller, and not what only describes answers", async () => {
    const { schemas } = schemasOf(pod, gadget, cluster);
    const ours = [
      ...["apiRoot", "apigroup", "count", "schema", "schemaDefinition", "subscribe"],
      "userpreference",
    ];

    const admins = await schemas.all(everything, base);
    const readers = await schemas.all(accessOf({ a: [aRule("get", "pods")] }), base);
    const nobodys = await schemas.all(accessOf({}), base);

    expect(ids(admins)).to.deep.equal([...ours, "example.com.gadget", cluster.id, "pod"]);
    expect(ids(readers)).to.deep.equal([...ours, cluster.id, "pod"]);
    expect(ids(nobodys)).to.deep.equal([...ours, cluster.id]);
    expect(gunzipSync(admins.gzipped).equals(admins.plain)).to.equal(true);
  });

  it("makes an answer once for equal rights and anew when types or the base change", async () => {
    const { schemas, types } = schemasOf(pod);
    const [one, other] = [
      accessOf({ a: [aRule("get", "pods")] }),
      accessOf({ a: [aRule("get", "pods")] }),
    ];

    const [first, second] = await Promise.all([schemas.all(one, base), schemas.all(other, base)]);
    expect(await schemas.all(other, base)).to.equal(first);
    const elsewhere = await schemas.all(one, "https://elsewhere.test");
    types.replace([pod, gadget]);
    const later = await schemas.all(one, base);

    expect(second).to.equal(first);
    expect(elsewhere.plain.toString()).to.include('"https://elsewhere.test/v1/pods"');
    expect(later).not.to.equal(first);
  });

  it("changes what a caller sees with the types", async () => {
    const { schemas, types } = schemasOf(pod);
    expect(schemas.visible(everything).map(({ type }) => type.id)).to.deep.equal(["pod"]);

    types.replace([gadget]);

    expect(schemas.visible(everything).map(({ type }) => type.id)).to.deep.equal([gadget.id]);
    expect(schemas.visible(everything)).to.equal(schemas.visible(everything));
    expect(await schemas.seen(everything)).to.equal(schemas.visible(everything));
    expect(schemas.typeNamed("pod", everything)).to.equal(undefined);
    expect(schemas.typeNamed("example.com.gadgets", accessOf({}))).to.equal(undefined);
  });
});
