import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { eventually } from "kopf-ts/testing";
import { at, listAt, textAt } from "../tree.ts";
import { aKind, crdOf, install, send } from "../types/testing.test.support.ts";
import { idsOf } from "./gizmos.test.support.ts";
import { type Answer, ListServer } from "./harness.test.support.ts";

const kind = aKind("meter");
const plural = `${kind.group}.meters`;
const namespace = uniqueName("integers");

const properties = {
  spec: {
    type: "object",
    properties: {
      big: { type: "integer", format: "int64" },
      bigs: { type: "array", items: { type: "integer", format: "int64" } },
      any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    },
  },
};
const columns = [
  { name: "Big", type: "integer", jsonPath: ".spec.big" },
  { name: "Text", type: "string", jsonPath: ".spec.big" },
  { name: "Exactly", type: "string", jsonPath: ".spec.bigs[?(@ == 9007199254740993)]" },
];

/** By their names, in the order of their values; the last have none. */
const values: readonly (readonly [name: string, value?: bigint])[] = [
  ["least", -9223372036854775808n],
  ["m3", -9007199254740993n],
  ["m2", -9007199254740992n],
  ["minus", -5n],
  ["seven", 7n],
  ["safe", 9007199254740991n],
  ["p2", 9007199254740992n],
  ["p3", 9007199254740993n],
  ["p4", 9007199254740994n],
  ["next", 9223372036854775806n],
  ["most", 9223372036854775807n],
  ["none"],
];

/** The names of those that pass. */
function where(test: (value: bigint) => boolean): readonly string[] {
  return values.filter(([, value]) => value !== undefined && test(value)).map(([name]) => name);
}

/** In a filter on an integer, `f` is the field. */
const filters: readonly (readonly [filter: string, test: (value: bigint) => boolean])[] = [
  ["f=9007199254740993", (value) => value === 9007199254740993n],
  ["f=9007199254740992", (value) => value === 9007199254740992n],
  ["f='-9007199254740993'", (value) => value === -9007199254740993n],
  ["f=9223372036854775807", (value) => value === 9223372036854775807n],
  ["f in (9007199254740993,7)", (value) => value === 9007199254740993n || value === 7n],
  ["f>9007199254740991", (value) => value > 9007199254740991n],
  ["f>9007199254740992", (value) => value > 9007199254740992n],
  ["f>9007199254740993", (value) => value > 9007199254740993n],
  ["f<9007199254740993", (value) => value < 9007199254740993n],
  ["f<9007199254740992", (value) => value < 9007199254740992n],
  ["f<'-9007199254740992'", (value) => value < -9007199254740992n],
  ["f gt 9223372036854775806", (value) => value > 9223372036854775806n],
  ["f gt '-9223372036854775808'", (value) => value > -9223372036854775808n],
  ["f>7", (value) => value > 7n],
];

describe("integers of 64 bits in lists of a real API server", function () {
  this.timeout(60_000);

  let lists: ListServer;

  before(async () => {
    lists = await ListServer.start();
    await install(lists.client, crdOf(kind, { columns, properties }));
    await send(lists.client, "POST", "/api/v1/namespaces", { metadata: { name: namespace } });
    for (const [name, value] of values) await create(name, value);
    await eventually(() => lists.type(`${kind.group}.meter`) !== undefined, { within: 20_000 });
    const isComplete = async () => (await ids("")).length === values.length;
    await eventually(isComplete, { within: 20_000 });
  });
  after(() => lists?.[Symbol.asyncDispose]());

  async function create(name: string, value: bigint | undefined): Promise<void> {
    const spec =
      value === undefined
        ? "{}"
        : `{"big":${value},"bigs":[${value},1],"any":{"n":${value},"deep":{"n":${value}}}}`;
    const path = `/apis/${kind.group}/v1/namespaces/${namespace}/meters`;
    const headers = { "Content-Type": "application/json" };
    const body = `{"apiVersion":"${kind.group}/v1","kind":"Meter","metadata":{"name":"${name}"},"spec":${spec}}`;
    await lists.client.request({ method: "POST", path, headers, body });
  }

  const get = (query: string): Promise<Answer> => lists.get(`${plural}?${query}`);

  async function body(query: string): Promise<unknown> {
    const { status, text } = await get(query);
    expect(status, text).to.equal(200);
    return JSON.parse(text);
  }

  /** In the order of the list. */
  async function ids(query: string): Promise<readonly string[]> {
    return idsOf(await body(query)).map((id) => id.slice(id.indexOf("/") + 1));
  }

  for (const field of ["spec.big", "spec.any.n", "metadata.fields[1]", "metadata.fields[2]"]) {
    describe(`${field}`, () => {
      for (const [filter, test] of filters) {
        const asked = filter.replace("f", field);

        it(`has those for which ${asked}`, async () => {
          const found = await ids(`filter=${encodeURIComponent(asked)}`);

          expect(found.toSorted()).to.deep.equal(where(test).toSorted());
        });
      }

      it("has all others where one is excluded", async () => {
        const found = await ids(
          `filter=${encodeURIComponent(`${field} notin (9007199254740993)`)}`,
        );

        const others = values.map(([name]) => name).filter((name) => name !== "p3");
        expect(found.toSorted()).to.deep.equal(others.toSorted());
      });

      it("counts each value", async () => {
        const [entry] = listAt(await body(`summary=${encodeURIComponent(field)}`), "summary");
        const counts = Object.keys((at(entry, "counts") ?? {}) as object);

        const written = values.flatMap(([, value]) => (value === undefined ? [] : [`${value}`]));
        const none = field === "metadata.fields[2]" ? ["<no value>"] : [];
        expect(counts.filter((each) => !none.includes(each)).toSorted()).to.deep.equal(
          written.toSorted(),
        );
      });
    });
  }

  for (const field of ["spec.big", "spec.any.n", "metadata.fields[1]"]) {
    it(`are in order of ${field}`, async () => {
      const names = values.map(([name]) => name);

      expect(await ids(`sort=${field}`)).to.deep.equal(names);
      expect(await ids(`sort=-${field}`)).to.deep.equal(names.toReversed());
    });

    it(`are in order of ${field} on pages that go on`, async () => {
      const found: string[] = [];
      for (let next = ""; found.length < values.length; ) {
        const page = await body(`sort=${field}&limit=2${next}`);
        found.push(...idsOf(page).map((id) => id.slice(id.indexOf("/") + 1)));
        next = `&continue=${encodeURIComponent(textAt(page, "continue"))}`;
      }

      expect(found).to.deep.equal(values.map(([name]) => name));
    });
  }

  it("are members of lists, and parts of maps", async () => {
    expect(await ids("filter=spec.bigs+contains+9007199254740993")).to.deep.equal(["p3"]);
    expect(await ids("filter=spec.bigs[0]%3E9007199254740993")).to.have.members([
      ...["p4", "next", "most"],
    ]);
    const deep = encodeURIComponent(`spec.any.deep~'9007199254740993'`);
    expect(await ids(`filter=${deep}`)).to.have.members(["p3", "m3"]);
  });

  it("are shown as they are, in cells too", async () => {
    const { text } = await get("filter=metadata.name=p3");

    expect(text).to.contain(
      '"fields":["p3",9007199254740993,"9007199254740993","9007199254740993"]',
    );
    expect(text).to.contain('"big":9007199254740993');
  });

  for (const integer of ["9223372036854775808", "-9223372036854775809", "1".repeat(1000)]) {
    it(`are none beyond 64 bits: ${integer.slice(0, 20)}`, async () => {
      const { status, text } = await get(`filter=${encodeURIComponent(`spec.big>'${integer}'`)}`);

      expect(status).to.equal(422);
      expect(JSON.parse(text)).to.include({ code: "InvalidFormat", fieldName: "filter" });
      expect(textAt(JSON.parse(text), "message")).to.contain("expected: an integer of 64 bits");
    });
  }
});
