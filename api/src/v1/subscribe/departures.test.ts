import { expect } from "chai";
import { Background, parseSelector, Store, silentLogger } from "kopf-ts";
import { ConfigMap } from "kopf-ts/kinds";
import { scanObject } from "kopf-ts/watch";
import { nothing, type Reach } from "../access/access.ts";
import { departures, untoldDepartures } from "./departures.ts";
import { unsaid } from "./message.ts";
import { narrowOf, type Scope } from "./scope.ts";

/** An object by its key, with labels. */
type Labelled = readonly [key: string, labels?: Readonly<Record<string, string>>];

const front = { tier: "front" };
const back = { tier: "back" };

function bytesOf([key, labels]: Labelled, resourceVersion: string): Buffer {
  const [namespace = "", name = ""] = key.split("/");
  const metadata = { name, namespace, uid: key, resourceVersion, labels };
  return Buffer.from(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata }));
}

function scanned(...of: Parameters<typeof bytesOf>): NonNullable<ReturnType<typeof scanObject>> {
  const bytes = bytesOf(...of);
  const object = scanObject(bytes, 0, bytes.length);
  if (object === undefined) throw new Error("the scanner does not trust the fixture");
  return object;
}

function storeOf(objects: readonly Labelled[]): Store {
  const store = new Store(ConfigMap, { background: new Background(silentLogger) }) as Store;
  store.keepHistory();
  store.begin();
  for (const each of objects) store.item(scanned(each, "1"));
  store.end("1");
  return store;
}

function scopeOf(message: object, reach: Reach = "all"): Scope {
  const whole = { ...unsaid, ...message };
  return { reach, narrow: narrowOf(whole), requirements: parseSelector(whole.selector) };
}

/** Where some whole namespaces can be seen. */
const namespaces = (...some: readonly string[]): Reach => ({
  namespaces: new Set(some),
  names: new Map(),
});

const isKey = (key: unknown): key is string => key !== undefined;

describe("departures", () => {
  const objects: readonly Labelled[] = [
    ["ours/front", front],
    ["ours/back", back],
    ["ours/bare"],
    ["theirs/front", front],
    ["theirs/back", back],
  ];

  for (const [title, message, after, expected] of [
    ["everything", {}, nothing, objects.map(([key]) => key)],
    ["a namespace that is seen no more", {}, namespaces("ours"), ["theirs/front", "theirs/back"]],
    ["a selector", { selector: "tier=front" }, nothing, ["ours/front", "theirs/front"]],
    ["labels that are absent", { selector: "!tier" }, nothing, ["ours/bare"]],
    ["a namespace", { namespace: "ours", selector: "tier" }, nothing, ["ours/front", "ours/back"]],
    ["an id", { id: "ours/back" }, nothing, ["ours/back"]],
    ["an id that is not selected", { id: "ours/back", selector: "tier=front" }, nothing, []],
    ["more rights", { selector: "tier=front" }, "all", []],
  ] as const) {
    it(`are those of ${title}`, () => {
      const [before, scope] = [scopeOf(message), scopeOf(message, after)];

      const left = [...departures(storeOf(objects), before, () => scope)].filter(isKey);

      expect(left).to.deep.equal(expected);
    });
  }

  it("are also of what more of the selector leaves out, now that labels are seen", () => {
    const after = scopeOf({ selector: "tier!=back" });

    const left = [...departures(storeOf(objects), scopeOf({}), () => after)].filter(isKey);

    expect(left).to.deep.equal(["ours/back", "theirs/back"]);
  });

  it("are none of what has gone meanwhile, nor of what ceased to match", () => {
    const store = storeOf(objects);
    const steps = departures(store, scopeOf({ selector: "tier=front" }), () =>
      scopeOf({}, nothing),
    );

    const first = steps.next().value;
    store.change("MODIFIED", scanned(["theirs/front", back], "2"));
    store.change("DELETED", scanned(["ours/front", front], "3"));

    expect([first, ...steps].filter(isKey)).to.deep.equal(["ours/front"]);
  });
});

describe("untoldDepartures", () => {
  it("are what ceased to match, or went, and is out of reach, but not what came before it went", () => {
    const store = storeOf([
      ["ours/left", front],
      ["theirs/left", front],
      ["theirs/gone", front],
      ["theirs/stranger", back],
      ["theirs/stays", front],
    ]);
    store.change("MODIFIED", scanned(["ours/left", back], "2"));
    store.change("MODIFIED", scanned(["theirs/left", back], "3"));
    store.change("DELETED", scanned(["theirs/gone", front], "4"));
    store.change("MODIFIED", scanned(["theirs/stranger"], "5"));
    store.change("MODIFIED", scanned(["theirs/stays", { ...front, n: "1" }], "6"));
    store.change("ADDED", scanned(["theirs/brief", front], "7"));
    store.change("DELETED", scanned(["theirs/brief", front], "8"));
    store.change("ADDED", scanned(["theirs/gone", front], "9"));
    const before = scopeOf({ selector: "tier=front" });
    const after = { ...before, reach: namespaces("ours") };

    const left = [...untoldDepartures(store.changesSince("1") ?? [], before, () => after)];

    expect(left.filter(isKey)).to.deep.equal(["theirs/left", "theirs/gone"]);
  });
});
