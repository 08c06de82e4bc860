import { expect } from "chai";
import type { ResponseKey } from "../answers/response-cache.ts";
import type { Collection } from "../collections/collection.ts";
import { type ListRequest, responseKeyOf } from "./response-key.ts";

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
