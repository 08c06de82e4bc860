import { expect } from "chai";
import { eventually } from "kopf-ts/testing";
import {
  active,
  type Case,
  general,
  goesOn,
  is,
  ofKinds,
  type Shape,
} from "../../summary/cases.test.support.ts";
import {
  each,
  errors,
  flags,
  untilTrue,
  whileFalse,
  whileTrue,
} from "../../summary/conditions.test.support.ts";
import { special } from "../../summary/special.test.support.ts";
import { at, listAt } from "../../tree.ts";
import { aKind, type TestKind } from "../../types/testing.test.support.ts";
import { StateBed, stateLike, stateOf, type Tree } from "./bed.test.support.ts";

/** Stands for every kind that has no rules of its own. */
const thing = aKind("thing");

/** The kind of an object, as a CustomResourceDefinition with one version, and that. */
function kindOf({
  apiVersion = "example.com/v1",
  kind = "Thing",
}: Shape): readonly [kind: TestKind, version: string] {
  const [group = "", version = ""] = apiVersion.split("/");
  if (kind === "Thing") return [thing, "v1"];
  const plural = `${kind.toLowerCase()}s`;
  return [{ group, kind, plural, crd: `${plural}.${group}` }, version];
}

const observedGeneration = { type: "integer" };

/** Members of metadata that no client can write: an API server's own, and those of norman, which an API server drops. */
const ofServers = ["generation", "removed", "created", "deletionTimestamp"];
const isSendable = ([, { metadata = {} }]: Case): boolean =>
  !ofServers.some((key) => key in metadata);
const isCustom = ([, { apiVersion = "" }]: Case): boolean => apiVersion.includes(".cattle.io/");

/** Its schema tells that its controller notes the generation that it has seen. */
const watched = aKind("watched");

/** An object with one condition. */
const withCondition = (apiVersion: string, kind: string, condition: unknown): Shape => ({
  ...{ apiVersion, kind },
  status: { conditions: [condition] },
});
const ofThing = (type: string, status: string): Shape =>
  withCondition("example.com/v1", "Thing", is(type, status, "m", "Why"));
const inState = (state: string, error: boolean, transitioning: boolean) => ({
  ...{ state, error, transitioning },
});

const ofConditions: readonly Case[] = [
  ...each(untilTrue).flatMap(([state, type]): readonly Case[] => [
    [`${type}=False`, ofThing(type, "False"), inState(state, true, false)],
    [`${type}=Unknown`, ofThing(type, "Unknown"), inState(state, false, true)],
  ]),
  ...each(whileTrue).map(
    ([state, type]): Case => [`${type}=True`, ofThing(type, "True"), inState(state, false, true)],
  ),
  ...each(whileFalse).flatMap(([state, type]): readonly Case[] => [
    [`${type}=False`, ofThing(type, "False"), inState(state, false, true)],
    [`${type}=Unknown`, ofThing(type, "Unknown"), inState(state, true, false)],
  ]),
  ...errors
    .filter(([apiVersion]) => apiVersion.includes("."))
    .flatMap(([apiVersion, kind, ...conditions]) =>
      conditions.map((condition): Case => {
        const [type = "", status = ""] = condition.split("=");
        const object = withCondition(apiVersion, kind, is(type, status));
        return [`${kind} ${condition}`, object, inState("error", true, false)];
      }),
    ),
];

const rows: readonly Case[] = [
  ...[...general, ...special, ...ofKinds.filter(isCustom)].filter(isSendable),
  ...ofConditions,
  [
    "a generation that nobody has seen, of a server's own",
    { status: { observedGeneration: 7 } },
    goesOn("in-progress", "Thing generation is 1, but latest observed generation is 7"),
  ],
];

describe("states of custom resources, of a real API server", function () {
  this.timeout(120_000);

  let bed: StateBed;
  const installed = new Map<string, TestKind>();

  before(async () => {
    bed = await StateBed.start();
    for (const [, object] of [
      ...rows,
      ["", withCondition("helm.cattle.io/v1", "HelmChart", {})],
    ] as const) {
      const [kind, version] = kindOf(object);
      if (installed.has(kind.crd)) continue;
      installed.set(kind.crd, kind);
      await bed.install(kind, { name: version });
    }
  });
  after(async () => {
    for (const kind of installed.values()) await bed.uninstall(kind);
    await bed?.[Symbol.asyncDispose]();
  });

  /** Creates an object under a name of our choice. */
  async function make(name: string, object: Shape, more: Tree = {}): Promise<void> {
    const [kind, version] = kindOf(object);
    const path = `/apis/${kind.group}/${version}/namespaces/${bed.namespace}/${kind.plural}`;
    const metadata = { ...object.metadata, ...more, name };
    await bed.make(path, {
      ...{ ...object, apiVersion: `${kind.group}/${version}`, kind: kind.kind, metadata },
    });
  }

  const listOf = (object: Shape): string => {
    const [{ group, plural }] = kindOf(object);
    return `${group}.${plural}/${bed.namespace}`;
  };

  describe("are those of the tables", () => {
    let items: ReadonlyMap<string, unknown>;
    const nameOf = (index: number): string => `row-${index}`;

    before(async () => {
      for (const [index, [, object]] of rows.entries()) await make(nameOf(index), object);
      const lists = [...new Set(rows.map(([, object]) => listOf(object)))];
      const all = async () =>
        (await Promise.all(lists.map((list) => bed.items(list)))).flatMap((found) => [...found]);
      await eventually(async () => (await all()).length >= rows.length, { within: 30_000 });
      items = new Map(await all());
    });

    for (const [index, [title, , expected]] of rows.entries()) {
      it(title, () => {
        expect(stateOf(items.get(nameOf(index)))).to.deep.include(stateLike(expected));
      });
    }
  });

  describe("have conditions that tell of themselves", () => {
    for (const [index, [title, apiVersion, condition, error, transitioning]] of flags.entries()) {
      it(title, async () => {
        const isRanchers = apiVersion.includes("cattle.io");
        const object = isRanchers
          ? withCondition("helm.cattle.io/v1", "HelmChart", condition)
          : withCondition("example.com/v1", "Thing", condition);
        await make(`flags-${index}`, object);
        const item = await bed.itemWhere(
          listOf(object),
          `flags-${index}`,
          (found) => found !== undefined,
        );

        expect(listAt(item, "status", "conditions")).to.deep.equal([
          { ...(condition as Tree), error, transitioning, lastUpdateTime: "" },
        ]);
      });
    }
  });

  it("are current before anybody asks for the generation that their controller has seen, as upstream", async () => {
    const properties = { status: { type: "object", properties: { observedGeneration } } };
    installed.set(watched.crd, watched);
    await bed.install(watched, { properties });
    await bed.make(`/apis/${watched.group}/v1/namespaces/${bed.namespace}/${watched.plural}`, {
      ...{ apiVersion: `${watched.group}/v1`, kind: watched.kind, metadata: { name: "unseen" } },
    });
    const list = `${watched.group}.${watched.plural}/${bed.namespace}`;
    const item = await bed.itemWhere(list, "unseen", (found) => found !== undefined);

    expect(at(item, "metadata", "generation")).to.equal(1);
    expect(stateOf(item)).to.deep.include(
      stateLike({ ...active, messages: ["Resource is current"] }),
    );
  });

  it("do not depend on what norman alone writes, as an API server keeps none of it", async () => {
    const metadata = { created: "2099-01-01T00:00:00Z", removed: "2025-12-31T23:00:00Z" };
    const kind = { apiVersion: "helm.cattle.io/v1", kind: "HelmChart" };
    const object: Shape = { ...kind, metadata, status: { conditions: [] } };
    await make("of-norman", object);
    const item = await bed.itemWhere(listOf(object), "of-norman", (found) => found !== undefined);

    expect(at(item, "metadata")).not.to.have.any.keys("created", "removed");
    expect(stateOf(item)).to.deep.include(stateLike(active));
  });

  it("are removing while a finalizer keeps what was deleted", async () => {
    const object: Shape = {};
    await make("going", object, { finalizers: ["example.com/held"] });
    const path = `/apis/${thing.group}/v1/namespaces/${bed.namespace}/${thing.plural}/going`;
    await bed.send("DELETE", path);
    const item = await bed.itemWhere(
      listOf(object),
      "going",
      (found) => stateOf(found)?.name === "removing",
    );

    expect(stateOf(item)).to.deep.include(
      stateLike(goesOn("removing", "Resource scheduled for deletion")),
    );
    await bed.send("PATCH", path, { metadata: { finalizers: null } });
  });
});
