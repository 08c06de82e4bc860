import { expect } from "chai";
import { Background, type Cache, Store, silentLogger, systemClock } from "kopf-ts";
import { scanObject } from "kopf-ts/watch";
import type { Access } from "../access/access.ts";
import { accessOf, aRule } from "../access/held.test.support.ts";
import { everything } from "../access/held-access.ts";
import type { Collection } from "../collections/collection.ts";
import { Fields } from "../fields/index.ts";
import { parseListQuery } from "../query/list-query.ts";
import { Slices } from "../slices.ts";
import { typeOf } from "../writes/served.test.support.ts";
import { Resolver } from "./resolve.ts";

const kind = {
  ...{ group: "example.com", version: "v1", plural: "things", kind: "Thing" },
  scope: "Namespaced",
} as const;
const type = typeOf(kind, "example.com.thing");

describe("Resolver", () => {
  const slices = new Slices(systemClock, new AbortController().signal);
  const query = parseListQuery(new URLSearchParams("filter=spec.extra=1"));
  let resolver: Resolver;

  beforeEach(() => {
    resolver = new Resolver(new Fields(systemClock), undefined);
  });

  /** A cache as lists without resourceVersion fill it. */
  function cacheOf(...objects: readonly object[]): Store {
    const store = new Store(kind, { background: new Background(silentLogger) });
    list(store, ...objects);
    return store;
  }

  function list(store: Store, ...objects: readonly object[]): void {
    store.begin();
    for (const [index, spec] of objects.entries()) {
      const metadata = { namespace: "a", name: `n${index}`, uid: `u${index}` };
      const bytes = Buffer.from(
        JSON.stringify({ apiVersion: "example.com/v1", kind: "Thing", metadata, spec }),
      );
      const object = scanObject(bytes, 0, bytes.length);
      if (object !== undefined) store.item(object);
    }
    store.end("");
  }

  async function isFound(cache: Cache, access: Access = everything): Promise<boolean> {
    const collection = { type, cache } as unknown as Collection;
    const place = { type, access, reach: access.listed(kind), collection, slices };
    return resolver.resolve(query, place).then(
      () => true,
      () => false,
    );
  }

  it("finds a field that was missing once an object has it, though lists have no resourceVersion", async () => {
    const store = cacheOf({ size: 1 });
    expect([await isFound(store), await isFound(store)]).to.deep.equal([false, false]);

    list(store, { size: 1 }, { extra: "1" });
    expect(await isFound(store)).to.equal(true);
  });

  it("looks anew for who may see another object, of so many that nobody compares them", async () => {
    const store = cacheOf({ size: 1 }, { extra: "1" });
    const names = Array.from({ length: 12_000 }, (_, index) => `other${index}`);
    const sees = (name: string): Access =>
      accessOf({
        a: [{ ...aRule("list,get", "things", name, ...names), apiGroups: [kind.group] }],
      });

    expect(await isFound(store, sees("n0"))).to.equal(false);
    expect(await isFound(store, sees("n1"))).to.equal(true);
  });

  it("looks anew in another cache of the type", async () => {
    expect(await isFound(cacheOf({ size: 1 }))).to.equal(false);

    expect(await isFound(cacheOf({ extra: "1" }))).to.equal(true);
  });
});
