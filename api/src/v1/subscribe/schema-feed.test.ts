import { expect } from "chai";
import { Background, connect, defineKind, silentLogger, systemClock } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { type Access, nothing } from "../access/access.ts";
import { Schemas } from "../schemas/index.ts";
import { KnownTypes } from "../types/index.ts";
import type { ResourceType } from "../types/resource-type.ts";
import { countsFeed } from "./counts-feed.ts";
import { schemaFeed } from "./schema-feed.ts";
import type { SpecialEvent } from "./special.ts";

function typeOf(kind: string, description = ""): ResourceType {
  const plural = `${kind.toLowerCase()}s`;
  return {
    ...{ id: kind.toLowerCase(), pluralName: plural, verbs: ["list", "get", "update"] },
    kind: defineKind({ group: "", version: "v1", plural, kind, scope: "Namespaced" }),
    ...{ columns: [], cells: undefined, table: true, columnPaths: undefined, description },
    ...{ preferredVersion: undefined, preferredGroup: undefined, schema: undefined },
    ...{ crd: false, aggregated: false, observesGeneration: false },
  };
}

/** Somebody who may do some things with some resources. */
function accessTo(verbs: readonly string[], ...plurals: readonly string[]): Access {
  const may = (verb: string, plural: string): boolean =>
    verbs.includes(verb) && plurals.includes(plural);
  return {
    fingerprint: JSON.stringify([verbs, plurals]),
    may: (verb, { plural }) => may(verb, plural),
    reach: (asked, { plural }) => (asked.some((verb) => may(verb, plural)) ? "all" : nothing),
    listed: ({ plural }) => (may("list", plural) ? "all" : nothing),
    mayVisit: () => false,
  };
}

describe("schemaFeed", () => {
  const [apple, pear, plum] = [typeOf("Apple"), typeOf("Pear"), typeOf("Plum")];

  function watched(access: Access) {
    const types = new KnownTypes(silentLogger);
    types.replace([apple, pear]);
    const background = new Background(silentLogger);
    const client = connect({ server: "http://127.0.0.1:1" }); // is asked nothing
    const parts = { types, client, clock: systemClock, log: silentLogger };
    const feed = schemaFeed({ types, schemas: new Schemas(parts), background });
    const told: SpecialEvent[] = [];
    const caller = { username: "somebody", groups: [] };
    const watch = feed({ caller, access, base: "https://here" }, (event) => told.push(event));
    const course = (): readonly string[] =>
      told.map(({ name, item }) => `${name} ${JSON.parse(String(Buffer.concat(item))).id}`);
    return { types, watch, course, told, background };
  }

  const settled = ({ background }: { readonly background: Background }): Promise<unknown> =>
    eventually(() => background.size === 0);

  it("tells of types that come, change and go, within the caller's rights", async () => {
    const all = watched(accessTo(["list"], "apples", "plums"));

    all.types.replace([typeOf("Apple", "another"), typeOf("Pear", "another"), plum]);
    await settled(all);
    all.types.replace([plum]);
    await settled(all);

    expect(all.course()).to.deep.equal([
      ...["resource.change apple", "resource.create plum", "resource.remove apple"],
    ]);
    expect(JSON.parse(String(all.told[0]?.item[0]))).to.include({ type: "schema" });
  });

  it("tells what rights change", async () => {
    const all = watched(accessTo(["list"], "apples"));

    all.watch.accessChanged(accessTo(["list", "update"], "apples", "pears"));
    await settled(all);
    all.watch.accessChanged(accessTo(["list", "update"], "pears"));
    await settled(all);

    expect(all.course()).to.deep.equal([
      ...["resource.change apple", "resource.create pear", "resource.remove apple"],
    ]);
  });

  it("tells nothing when it has ended", async () => {
    const all = watched(accessTo(["list"], "apples"));

    all.types.replace([]);
    all.watch[Symbol.dispose]();
    await settled(all);
    all.types.replace([apple]);
    await settled(all);

    expect(all.course()).to.deep.equal([]);
  });
});

describe("countsFeed", () => {
  it("makes items of counts", () => {
    const told: SpecialEvent[] = [];
    let ended = false;
    const feed = countsFeed<number>(
      {
        subscribe: (_access, listener) => {
          listener(3);
          return { accessChanged: () => undefined, [Symbol.dispose]: () => (ended = true) };
        },
      },
      (counts, base) => ({ counts, base }),
    );
    const asker = { caller: { username: "a", groups: [] }, access: accessTo([]), base: "b" };

    feed(asker, (event) => told.push(event))[Symbol.dispose]();

    expect(told.map(({ name, item }) => [name, String(item[0])])).to.deep.equal([
      ["resource.change", '{"counts":3,"base":"b"}'],
    ]);
    expect(ended).to.equal(true);
  });
});
