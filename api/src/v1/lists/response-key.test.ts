import { expect } from "chai";
import type { ResponseKey } from "../answers/response-cache.ts";
import type { Collection } from "../collections/collection.ts";
import { parseShape } from "../items/shape.ts";
import { keyOfItems, type ListRequest, responseKeyOf } from "./response-key.ts";

/** All that an answer may depend on. */
const usual = {
  ...{ objects: 1, resourceVersion: "1", others: 1, types: 1 },
  ...{ url: "/v1/pods?page=1", accept: "*/*", encoding: "", rights: "a" },
  ...{ base: "https://host", user: "ann", group: "", kind: "Pod", mayAll: false },
};

function keyOf(
  more: Partial<typeof usual> & { readonly tag?: string } = {},
): ResponseKey | undefined {
  const all = { ...usual, ...more };
  const cache = { ...source, revision: all.objects, resourceVersion: all.resourceVersion };
  const { url, accept, encoding, tag } = { tag: undefined, ...all };
  const headers = {
    ...{ accept, "accept-encoding": encoding },
    ...(tag !== undefined && { "if-none-match": tag }),
  };
  const query = new URL(url, all.base).searchParams;
  const login = { caller: { username: all.user, groups: [] } };
  const exchange = { request: { url, headers }, query, login };
  const access = { told: all.rights, may: () => all.mayAll };
  const type = { kind: { group: all.group, kind: all.kind } };
  return responseKeyOf(
    { types: { revision: all.types }, inventory: { revision: all.others } },
    { exchange, type, access, base: all.base } as unknown as ListRequest,
    { cache } as unknown as Collection,
  );
}

/** By what the items of some Pods are found. */
function itemsKey(
  keys: readonly string[],
  more: { readonly query?: string; readonly rights?: string } = {},
): string {
  const { query = "", rights = "a" } = more;
  const exchange = { request: { headers: {} }, query: new URLSearchParams(query) };
  const of = { exchange, access: { told: rights }, base: usual.base };
  return keyOfItems(of as unknown as ListRequest, parseShape(exchange.query), keys);
}

const source = {};
const own = { group: "ext.cattle.io", kind: "Token" };

describe("responseKeyOf", () => {
  const textOf = (key: ResponseKey | undefined): unknown => ({ ...key, source: undefined });

  it("is the same for the same", () => {
    expect(textOf(keyOf())).to.deep.equal(textOf(keyOf()));
  });

  for (const more of [
    ...[{ objects: 2 }, { resourceVersion: "2" }, { others: 2 }, { types: 2 }],
    ...[{ url: "/v1/pods?page=2" }, { accept: "application/yaml" }, { encoding: "gzip" }],
    ...[{ rights: "b" }, { base: "https://other" }],
  ]) {
    it(`is another one with ${JSON.stringify(more)}`, () => {
      expect(textOf(keyOf(more))).to.not.deep.equal(textOf(keyOf()));
    });
  }

  it("tells people with the same rights apart where they see their own alone", () => {
    const of = (user: string, more = {}): unknown => textOf(keyOf({ user, ...more }));

    expect(of("ann")).to.deep.equal(of("bob"));
    expect(of("ann", own)).to.not.deep.equal(of("bob", own));
    expect(of("ann", { ...own, mayAll: true })).to.deep.equal(of("bob", { ...own, mayAll: true }));
  });

  it("is nothing for who has an answer already", () => {
    expect(keyOf({ tag: '"a"' })).to.equal(undefined);
  });
});

describe("keyOfItems", () => {
  const pods = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `n/p${index}`);

  it("is the same for the same objects", () => {
    expect(itemsKey(pods(100))).to.equal(itemsKey(pods(100)));
  });

  it("is another one for others, in another order or shape, or for who is told otherwise", () => {
    const few = pods(8);
    const keys = [
      ...[few, few.toReversed(), few.slice(1), pods(9), [...few, "n/other"]].map((each) =>
        itemsKey(each),
      ),
      ...few.map((_, index) => itemsKey(few.with(index, "n/other"))),
      itemsKey(few, { query: "exclude=status" }),
      itemsKey(few, { rights: "b" }),
    ];

    expect(new Set(keys).size).to.equal(keys.length);
  });

  it("names the first, the last and some between of many, and how many there are", () => {
    const many = pods(1000);
    const key = itemsKey(many);

    for (const index of [0, 143, 285, 428, 571, 714, 856, 999])
      expect(itemsKey(many.with(index, "n/other")), String(index)).to.not.equal(key);
    expect(itemsKey(many.with(1, "n/other"))).to.equal(key);
    expect(itemsKey(many.toSpliced(1, 1))).to.not.equal(key);
    expect(key.length).to.be.below(512);
  });
});
