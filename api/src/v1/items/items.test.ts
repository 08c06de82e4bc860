import { expect } from "chai";
import { at } from "../tree.ts";
import { CachedItems } from "./items.ts";
import {
  aContext,
  allTypes,
  aType,
  bytesOf,
  configMap,
  configMaps,
  itemOf,
  metadata,
  pod,
  pods,
  read,
  secrets,
  shape,
} from "./testing.test.support.ts";

describe("an item", () => {
  it("is the object with what /v1 adds", () => {
    const url = "https://host/v1/configmaps/ns/thing";

    expect(itemOf(configMap, configMaps)).to.deep.equal({
      ...{ id: "ns/thing", type: "configmap" },
      links: {
        ...{ self: url, update: url, remove: url, patch: url },
        view: "https://host/api/v1/namespaces/ns/configmaps/thing",
      },
      ...configMap,
      metadata: {
        ...metadata,
        fields: ["thing", 2, "60m"],
        relationships: null,
        state: {
          ...{ error: false, message: "Resource is always ready", name: "active" },
          transitioning: false,
        },
      },
    });
  });

  it("begins with its own members, then has the object's in their order", () => {
    expect(Object.keys(itemOf(configMap, configMaps))).to.deep.equal([
      ...["id", "type", "links", "apiVersion", "kind", "metadata", "data"],
    ]);
  });

  it("renames what would be taken for its own, and what it hid before", () => {
    const renamed = itemOf(
      { ...configMap, id: 1, type: "Opaque", links: [], actions: {}, _type: "hidden", _other: 1 },
      secrets,
    );

    expect(renamed).to.deep.include({ id: "ns/thing", type: "secret", _id: 1, _links: [] });
    expect(renamed).to.deep.include({ _type: "Opaque", _actions: {}, _other: 1 });
    expect(renamed).not.to.have.property("actions");
  });

  it("says what it is where a list of the server did not", () => {
    const { apiVersion: _, kind: __, ...bare } = configMap;

    expect(itemOf(bare, configMaps)).to.include({ apiVersion: "v1", kind: "ConfigMap" });
    expect(itemOf(bare, configMaps, shape("include=kind"))).to.include({ kind: "ConfigMap" });
  });

  it("keeps numbers that JavaScript cannot hold, in any shape", () => {
    const text = JSON.stringify(configMap).replace(
      '"data":{',
      '"big":12345678901234567890,"data":{',
    );
    for (const query of ["", "exclude=data.a", "truncate=5"]) {
      const writer = new CachedItems({ types: allTypes }).writer(
        aContext(configMaps, shape(query)),
      );

      expect(String(Buffer.concat(writer.ofObject(Buffer.from(text))))).to.contain(
        '"big":12345678901234567890',
      );
    }
  });

  it("shows objects nested deeper than JavaScript can write, whole", () => {
    const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    const text = JSON.stringify(configMap).replace('"1"', deep);
    const context = aContext(configMaps, shape("exclude=data.b"));
    const writer = new CachedItems({ types: allTypes }).writer(context);

    expect(String(Buffer.concat(writer.ofObject(Buffer.from(text))))).to.contain(`${deep},"b"`);
  });

  for (const { title, fields, expected } of [
    { title: "those that it can compute", fields: undefined, expected: ["thing", 2, "60m"] },
    {
      title: "those that the server told",
      fields: ["thing", 9, "1h"],
      expected: ["thing", 9, "1h"],
    },
    { title: "none for writes", fields: "none" as const, expected: undefined },
  ]) {
    it(`has as fields ${title}`, () => {
      const writer = new CachedItems({ types: allTypes }).writer(aContext(configMaps));
      const item = read(writer.ofObject(bytesOf(configMap), fields));

      expect(at(item, "metadata", "fields")).to.deep.equal(expected);
    });
  }

  it("has no fields where only the server can make them", () => {
    const item = itemOf(configMap, aType({ group: "x.io", kind: "X", plural: "xs" }));

    expect(item.metadata).not.to.have.property("fields");
  });

  it("has the state of a kind whose schema has an observed generation", () => {
    const thing = {
      apiVersion: "x.io/v1",
      kind: "X",
      metadata: { ...metadata, generation: 2 },
      status: {},
    };
    const stateOf = (observesGeneration: boolean): unknown =>
      at(
        itemOf(thing, aType({ group: "x.io", kind: "X", plural: "xs" }, { observesGeneration })),
        "metadata",
        "state",
        "name",
      );

    expect(stateOf(false)).to.equal("active");
    expect(["active", "in-progress"]).to.include(stateOf(true));
  });
});

describe("rights that items are written by", () => {
  it("are noted whoever has them written: what is drawn is kept for all", () => {
    const items = new CachedItems({ types: allTypes });
    const context = aContext(pods, shape(""));
    const before = items.rightsFor(context).told;

    items.writer(context);

    expect(items.rightsFor(context).told).to.not.equal(before);
  });
});

describe("the conditions of an item", () => {
  const when = "2026-11-21T10:00:00Z";
  const conditionsOf = (...conditions: readonly unknown[]): unknown =>
    at(
      itemOf(
        { apiVersion: "x.io/v1", kind: "X", metadata, status: { conditions } },
        aType({ group: "x.io", kind: "X", plural: "xs" }),
      ),
      "status",
      "conditions",
    );

  for (const { title, condition, expected } of [
    {
      title: "get flags and the time of their last update",
      condition: { type: "Ready", status: "True", lastTransitionTime: when },
      expected: { error: false, transitioning: false, lastUpdateTime: when },
    },
    {
      title: "keep the time of their last update",
      condition: {
        type: "Ready",
        status: "True",
        lastUpdateTime: "2025-01-01T00:00:00Z",
        lastTransitionTime: when,
      },
      expected: { error: false, transitioning: false },
    },
    {
      title: "have an empty time where there is none",
      condition: { type: "Ready", status: "True" },
      expected: { error: false, transitioning: false, lastUpdateTime: "" },
    },
    {
      title: "have a time instead of null",
      condition: { type: "Ready", status: "True", lastUpdateTime: null, lastTransitionTime: when },
      expected: { error: false, transitioning: false, lastUpdateTime: when },
    },
    {
      title: "have flags of ours instead of others",
      condition: { type: "Stalled", status: "True", error: "x", transitioning: 1 },
      expected: { error: true, transitioning: false, lastUpdateTime: "" },
    },
    {
      title: "tell what goes on",
      condition: { type: "Reconciling", status: "True", lastTransitionTime: when },
      expected: { error: false, transitioning: true, lastUpdateTime: when },
    },
  ]) {
    it(title, () => {
      const text = JSON.stringify(conditionsOf(condition));

      expect(conditionsOf(condition)).to.deep.equal([{ ...condition, ...expected }]);
      expect(text.match(/lastUpdateTime/g)).to.have.length(1);
    });
  }

  it("may be anything", () => {
    expect(conditionsOf(7, null, ["a"], "b")).to.deep.equal([7, null, ["a"], "b"]);
  });
});

describe("the state of a Pod", () => {
  const stateOf = (query: string, fields?: "none"): unknown => {
    const writer = new CachedItems({ types: allTypes }).writer(aContext(pods, shape(query)));
    return at(read(writer.ofObject(bytesOf(pod), fields)), "metadata", "state", "name");
  };

  for (const { title, query, fields, expected } of [
    { title: "is its STATUS", query: "", fields: undefined, expected: "crashLoopBackOff" },
    {
      title: "is its phase in answers of writes",
      query: "",
      fields: "none" as const,
      expected: "running",
    },
    {
      title: "is its phase without fields",
      query: "exclude=metadata.fields",
      fields: undefined,
      expected: "running",
    },
    {
      title: "is its phase where it alone is included",
      query: "include=metadata.state",
      fields: undefined,
      expected: "running",
    },
    {
      title: "is its STATUS where both are included",
      query: "include=metadata.state&include=metadata.fields",
      fields: undefined,
      expected: "crashLoopBackOff",
    },
    {
      title: "comes back with the fields",
      query: "exclude=metadata.state",
      fields: undefined,
      expected: "crashLoopBackOff",
    },
    {
      title: "is not there where nothing is",
      query: "include=spec",
      fields: undefined,
      expected: undefined,
    },
  ]) {
    it(title, () => {
      expect(stateOf(query, fields)).to.equal(expected);
    });
  }
});
