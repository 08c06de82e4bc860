import { expect } from "chai";
import { parse } from "yaml";
import { Served } from "../../listener/testing/served.ts";
import { jsonOf, sendCollection, sendObject } from "./answer.ts";

const item = { id: "a", text: "x: y" };
const envelope = { type: "collection", links: { self: "/" } };

describe("answers of /v1", () => {
  let served: Served;
  before(async () => {
    served = await Served.open([
      async (exchange) => {
        const { path } = exchange;
        if (path === "/object") return sendObject(exchange, JSON.stringify(item), 201);
        const items = path === "/empty" ? [] : [item, item];
        await sendCollection(exchange, { envelope, items: jsonOf(items) });
      },
    ]);
  });
  after(() => served[Symbol.asyncDispose]());

  for (const [path, expected] of [
    ["/object", item],
    ["/some", { ...envelope, data: [item, item] }],
    ["/empty", { ...envelope, data: [] }],
  ] as const) {
    for (const { query, accept = "*/*", type = "yaml" } of [
      { query: "_format=yaml" },
      { query: "_format=YAML" },
      { query: "", accept: "text/html, application/yaml" },
      { query: "_format=html", accept: "application/yaml" },
      { query: "_format=json", accept: "application/yaml", type: "json" },
      { query: "", accept: "application/yaml;q=0, */*", type: "json" },
      { query: "", accept: "application/json, application/yaml;q=0.5" },
      { query: "", type: "json" },
    ]) {
      it(`are ${type} at ${path}?${query} for ${accept}`, async () => {
        const { status, headers, body } = await served.call(`${path}?${query}`, {
          headers: { accept },
        });

        expect(status).to.equal(path === "/object" ? 201 : 200);
        expect(headers["content-type"]).to.equal(`application/${type}`);
        expect(type === "json" ? JSON.parse(body) : parse(body)).to.deep.equal(expected);
        if (type === "yaml") expect(body).not.to.match(/^\{/);
      });
    }
  }

  it("are lines of JSON, with an empty one at the end of a collection", async () => {
    const object = await served.call("/object?_format=jsonl");
    const some = await served.call("/some", { headers: { accept: "application/jsonl" } });

    expect(JSON.parse(object.body)).to.deep.equal(item);
    const [first, ...lines] = some.body.split("\n");
    expect(JSON.parse(first ?? "")).to.deep.equal(envelope);
    expect(lines).to.deep.equal([JSON.stringify(item), JSON.stringify(item), "", ""]);
  });
});
