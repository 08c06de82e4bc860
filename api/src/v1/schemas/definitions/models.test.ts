import { expect } from "chai";
import { Models } from "./models.ts";
import { members } from "./scan.ts";

const now = async (): Promise<void> => undefined;

describe("members", () => {
  for (const { json, expected } of [
    { json: "{}", expected: [] },
    {
      json: ' { "a" : 1 , "b" : [ 1 , 2 ] } ',
      expected: [
        ["a", "1"],
        ["b", "[ 1 , 2 ]"],
      ],
    },
    {
      json: '{"a":{"b":"}]\\""},"c":"\\\\"}',
      expected: [
        ["a", '{"b":"}]\\""}'],
        ["c", '"\\\\"'],
      ],
    },
    {
      json: '{"a":true,"b":null,"c":-1.5e3}',
      expected: [
        ["a", "true"],
        ["b", "null"],
        ["c", "-1.5e3"],
      ],
    },
    { json: '{"\\u0061\\"":0}', expected: [['a"', "0"]] },
    { json: '{"é":"ü"}', expected: [["é", '"ü"']] },
    { json: "[1]", expected: [] },
    { json: "", expected: [] },
  ]) {
    it(`of ${JSON.stringify(json)}`, () => {
      const bytes = Buffer.from(json);

      const found = [...members(bytes, 0)].map(({ key, start, end }) => {
        return [key, bytes.toString("utf8", start, end)];
      });

      expect(found).to.deep.equal(expected);
    });
  }

  for (const json of ['{"a', '{"a":"b', '{"a":[1,2', '{"a":{"b":1', '{"a":"\\"}']) {
    it(`ends with an error where JSON breaks off: ${json}`, () => {
      expect(() => [...members(Buffer.from(json), 0)]).to.throw(SyntaxError);
    });
  }
});

describe("Models", () => {
  const gvk = [{ group: "example.com", version: "v1", kind: "Thing" }];
  const document = {
    openapi: "3.0.0",
    paths: { "/x": { get: { description: 'tricky "components": {"schemas": {' } } },
    components: {
      securitySchemes: { a: {} },
      schemas: {
        "com.example.v1.Thing": { type: "object", "x-kubernetes-group-version-kind": gvk },
        "com.example.v1.Part": { type: "object" },
      },
    },
  };

  it("finds the model of a kind, and models by name", async () => {
    const models = await Models.read(Buffer.from(JSON.stringify(document)), now);

    expect(models.nameOf("example.com", "v1", "Thing")).to.equal("com.example.v1.Thing");
    expect(models.nameOf("example.com", "v2", "Thing")).to.equal(undefined);
    expect(models.get("com.example.v1.Part")).to.deep.equal({ type: "object" });
    expect(models.get("com.example.v1.Missing")).to.equal(undefined);
  });

  it("has none where a document has none", async () => {
    const models = await Models.read(Buffer.from("{}"), now);

    expect(models.nameOf("", "v1", "Pod")).to.equal(undefined);
  });
});
