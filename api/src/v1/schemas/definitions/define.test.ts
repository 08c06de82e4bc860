import { expect } from "chai";
import { type DefinedField, define, type SchemaSource } from "./define.ts";

const models: Readonly<Record<string, unknown>> = {
  "io.Meta": {
    ...{ type: "object", description: "Of any object." },
    properties: { name: { type: "string" }, self: { $ref: "#/components/schemas/io.Meta" } },
  },
  "io.Time": { type: "string", format: "date-time", description: "A time." },
  "io.Quantity": { oneOf: [{ type: "string" }, { type: "number" }] },
  "io.Fields": { type: "object", description: "Anything." },
  "io.Endless": { type: "array", items: { $ref: "#/components/schemas/io.Endless" } },
};

const openApi: SchemaSource = { model: (name) => models[name], definesMaps: false };
const crd: SchemaSource = { model: () => undefined, definesMaps: true };
const now = async (): Promise<void> => undefined;

function ref(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}

/** The field of a model that has but one. */
async function fieldOf(property: unknown, source: SchemaSource): Promise<DefinedField | undefined> {
  const schema = { type: "object", properties: { field: property } };
  const definitions = await define({ name: "io.Thing", schema }, source, now);
  return definitions.get("io.Thing")?.resourceFields.field;
}

describe("define", () => {
  const object = { type: "object", properties: { a: { type: "string" } } };
  for (const { property, expected, source = openApi } of [
    {
      property: { type: "string", description: "d" },
      expected: { type: "string", description: "d" },
    },
    { property: { type: "boolean" }, expected: { type: "boolean" } },
    { property: { type: "integer" }, expected: { type: "int" } },
    { property: { type: "number" }, expected: { type: "int" } },
    { property: {}, expected: { type: "string" } },
    { property: { "x-kubernetes-int-or-string": true }, expected: { type: "string" } },
    {
      property: { type: "array", items: { type: "integer" } },
      expected: { type: "array", subtype: "int" },
    },
    { property: { type: "array" }, expected: { type: "array", subtype: "string" } },
    {
      property: { type: "array", items: { type: "array", items: object } },
      expected: { type: "array", subtype: "array" },
    },
    {
      property: { type: "array", items: ref("io.Meta") },
      expected: { type: "array", subtype: "io.Meta" },
    },
    {
      property: { type: "object", additionalProperties: { type: "string" } },
      expected: { type: "map", subtype: "string" },
    },
    {
      property: { type: "object", additionalProperties: { allOf: [ref("io.Quantity")] } },
      expected: { type: "map", subtype: "string" },
    },
    {
      property: { type: "object", additionalProperties: object },
      expected: { type: "map", subtype: "io.Thing.field" },
    },
    {
      property: { type: "object", additionalProperties: true },
      expected: { type: "map", subtype: "string" },
    },
    { property: { type: "object" }, expected: { type: "map", subtype: "string" } },
    {
      property: { type: "object" },
      source: crd,
      expected: { type: "map", subtype: "io.Thing.field" },
    },
    { property: object, expected: { type: "io.Thing.field" } },
    { property: ref("io.Meta"), expected: { type: "io.Meta" } },
    {
      property: { allOf: [ref("io.Meta")], default: {}, description: "Its own." },
      expected: { type: "io.Meta", description: "Its own." },
    },
    { property: { allOf: [ref("io.Time")] }, expected: { type: "string" } },
    { property: ref("io.Fields"), expected: { type: "map", subtype: "string" } },
    { property: ref("io.Unknown"), expected: { type: "io.Unknown" } },
    { property: { $ref: "https://elsewhere.test/x" }, expected: { type: "string" } },
    { property: "no schema", expected: { type: "string" } },
    { property: null, expected: { type: "string" } },
  ]) {
    it(`tells ${JSON.stringify(property)} as ${JSON.stringify(expected)}`, async () => {
      expect(await fieldOf(property, source)).to.deep.equal(expected);
    });
  }

  it("defines all models that a model refers to, once, and says what is required", async () => {
    const spec = {
      ...{ type: "object", description: "Wanted.", required: ["size"] },
      properties: { size: { type: "integer" }, deep: { type: "object", properties: { a: {} } } },
    };
    const properties = { metadata: { allOf: [ref("io.Meta")] }, spec };
    const schema = { type: "object", description: "A thing.", properties };

    const definitions = await define({ name: "io.Thing", schema }, openApi, now);

    expect(Object.fromEntries(definitions)).to.deep.equal({
      "io.Thing": {
        ...{ type: "io.Thing", description: "A thing." },
        resourceFields: {
          metadata: { type: "io.Meta" },
          spec: { type: "io.Thing.spec", description: "Wanted." },
        },
      },
      "io.Thing.spec": {
        ...{ type: "io.Thing.spec", description: "Wanted." },
        resourceFields: {
          size: { type: "int", required: true },
          deep: { type: "io.Thing.spec.deep" },
        },
      },
      "io.Thing.spec.deep": {
        ...{ type: "io.Thing.spec.deep", description: "" },
        resourceFields: { a: { type: "string" } },
      },
      "io.Meta": {
        ...{ type: "io.Meta", description: "Of any object." },
        resourceFields: { name: { type: "string" }, self: { type: "io.Meta" } },
      },
    });
  });

  it("comes to an end where models go round in circles", async () => {
    const field = await fieldOf(ref("io.Endless"), openApi);

    expect(field).to.deep.equal({ type: "array", subtype: "array" });
  });
});
