import { constants, inflateRawSync } from "node:zlib";
import { expect } from "chai";
import { parseSelector } from "kopf-ts";
import { nothing, type Reach } from "../access/access.ts";
import { type Event, errorEvent, itemEvent, plainEvent } from "./events.ts";
import { Frame } from "./frame.ts";
import { keyOf, MessageError, readMessage, requirementsOf, unsaid } from "./message.ts";
import { isSameScope, nameFor, narrowOf, type Scope, type ScopedChange } from "./scope.ts";

describe("readMessage", () => {
  it("reads what is there, and nothing else", () => {
    const text = '{"resourceType":"pods","debounceMs":5,"mode":"resource.changes","more":1}';

    expect(readMessage(text)).to.deep.equal({
      ...{ ...unsaid, resourceType: "pods", debounceMs: 5, mode: "resource.changes" },
    });
  });

  it("takes null for nothing", () => {
    expect(readMessage('{"resourceType":"pods","namespace":null}').namespace).to.equal("");
  });
});

describe("requirementsOf", () => {
  it("takes no more than every change can be asked", () => {
    const selector = Array(64).fill("!a").join(",");

    expect(requirementsOf({ ...unsaid, selector })).to.have.length(64);
    expect(() => requirementsOf({ ...unsaid, selector: `${selector},!a` })).to.throw(
      "invalid selector: it must be one of at most 64 requirements",
    );
  });
});

describe("requirementsOf what no label can be", () => {
  for (const [selector, why] of [
    ["-a!=b", "'-a' is no key of a label"],
    ["a notin (b,-c)", "'-c' is no value of a label"],
  ] as const) {
    it(`throws for ${selector}`, () => {
      expect(() => requirementsOf({ ...unsaid, selector })).to.throw(`invalid selector: ${why}`);
    });
  }
});

describe("readMessage, with an id", () => {
  for (const id of ["a/b/c", "/", "a/", "//a"]) {
    it(`refuses ${id}, which nothing can have`, () => {
      expect(() => readMessage(JSON.stringify({ resourceType: "pods", id }))).to.throw(
        MessageError,
        "invalid id: it must be a name, or a namespace and a name",
      );
    });
  }

  for (const id of ["", "a", "ns/a", "/a"]) {
    it(`takes "${id}"`, () => {
      expect(readMessage(JSON.stringify({ resourceType: "pods", id })).id).to.equal(id);
    });
  }
});

describe("keyOf", () => {
  const message = readMessage('{"resourceType":"pods","id":"a"}');

  it("does not depend on revision and stop", () => {
    expect(keyOf({ ...message, resourceVersion: "7", stop: true })).to.equal(keyOf(message));
  });

  for (const other of [
    ...[{ resourceType: "pod" }, { namespace: "a" }, { id: "b" }, { selector: "a" }],
    ...[{ mode: "resource.changes" as const }, { debounceMs: 7 }],
  ]) {
    it(`depends on ${Object.keys(other)}`, () => {
      expect(keyOf({ ...message, ...other })).not.to.equal(keyOf(message));
    });
  }

  it("cannot be mistaken for another one", () => {
    const one = keyOf({ ...unsaid, namespace: "a/b", id: "" });
    const other = keyOf({ ...unsaid, namespace: "a", id: "b/" });

    expect(one).not.to.equal(other);
  });
});

describe("events", () => {
  const message = { ...unsaid, resourceType: "pods", id: "a" };

  const parsed = (event: Event): unknown => JSON.parse(String(Buffer.concat(event)));

  it("echo the subscription and leave out what is empty", () => {
    expect(parsed(plainEvent("resource.changes", message, "7"))).to.deep.equal({
      ...{ name: "resource.changes", resourceType: "pods", id: "a", revision: "7" },
      data: { type: "subscribe", links: {} },
    });
    expect(parsed(errorEvent({ message: unsaid }, 'a "b"'))).to.deep.equal({
      ...{ name: "resource.error", data: { error: 'a "b"' } },
    });
  });

  it("carry items as they are", () => {
    const parts = itemEvent("resource.create", { message }, "7", [Buffer.from('{"n":1.0}')]);

    expect(String(Buffer.concat(parts))).to.equal(
      '{"name":"resource.create","resourceType":"pods","id":"a","revision":"7","data":{"n":1.0}}',
    );
  });
});

describe("Frame", () => {
  for (const [length, head] of [
    [0, 2],
    [125, 2],
    [126, 4],
    [65_535, 4],
    [65_536, 10],
  ] as const) {
    it(`of ${length} bytes has a head of ${head}`, () => {
      const { plain } = new Frame([Buffer.alloc(length, "x")]);

      expect(plain.length).to.equal(head + length);
      expect(plain[0]).to.equal(0x81);
      const told = [
        ...[plain[1], plain.length > 4 && plain.readUInt16BE(2)],
        plain.length > 10 && Number(plain.readBigUInt64BE(2)),
      ];
      expect(told).to.include(length);
    });
  }

  it("packs long messages, each on its own", () => {
    const text = "abc".repeat(10_000);
    const { packed } = new Frame([Buffer.from(text)]);
    const body = Buffer.concat([
      packed.subarray(packed[1] === 126 ? 4 : 2),
      Buffer.from([0, 0, 255, 255]),
    ]);

    expect(packed[0]).to.equal(0xc1);
    const unpacked = inflateRawSync(body, { finishFlush: constants.Z_SYNC_FLUSH });
    expect(String(unpacked)).to.equal(text);
  });

  it("leaves short ones as they are", () => {
    const frame = new Frame([Buffer.from("abc")]);

    expect(frame.packed).to.equal(frame.plain);
  });
});

describe("nameFor", () => {
  const some: Reach = {
    namespaces: new Set(["ours"]),
    names: new Map([
      ["theirs", new Set(["shared"])],
      ["", new Set(["known"])],
    ]),
  };
  const change = (
    type: ScopedChange["type"],
    key: string,
    labels: object | undefined = {},
    before?: object,
  ): ScopedChange => {
    const [namespace = "", name = ""] = key.split("/");
    return {
      ...{ type, namespace, name },
      labels: () => labels && { ...labels },
      labelsBefore: () => before && { ...before },
    };
  };
  const scope = (message: object, reach: Reach = "all"): Scope => {
    const whole = { ...unsaid, ...message };
    return { reach, narrow: narrowOf(whole), requirements: parseSelector(whole.selector) };
  };

  const cases: readonly (readonly [string, Scope, ScopedChange, string | undefined])[] = [
    ["all", scope({}), change("ADDED", "a/b"), "create"],
    ["a change", scope({}), change("MODIFIED", "a/b"), "change"],
    ["a removal", scope({}), change("DELETED", "a/b"), "remove"],
    ["a namespace", scope({ namespace: "a" }), change("ADDED", "a/b"), "create"],
    ["another namespace", scope({ namespace: "a" }), change("ADDED", "c/b"), undefined],
    ["an id", scope({ id: "a/b" }), change("ADDED", "a/b"), "create"],
    ["another id", scope({ id: "a/b" }), change("ADDED", "c/b"), undefined],
    ["a name", scope({ id: "b" }), change("ADDED", "c/b"), "create"],
    [
      "a name in a namespace",
      scope({ id: "b", namespace: "a" }),
      change("ADDED", "c/b"),
      undefined,
    ],
    ["contradictions", scope({ id: "a/b", namespace: "c" }), change("ADDED", "a/b"), undefined],
    ["a namespace within reach", scope({}, some), change("ADDED", "ours/b"), "create"],
    ["a name within reach", scope({}, some), change("ADDED", "theirs/shared"), "create"],
    ["a name everywhere", scope({}, some), change("ADDED", "any/known"), "create"],
    ["what is out of reach", scope({}, some), change("ADDED", "theirs/b"), undefined],
    ["no reach", scope({}, nothing), change("ADDED", "a/b"), undefined],
    ["a match", scope({ selector: "a" }), change("ADDED", "a/b", { a: "1" }), "create"],
    ["no match", scope({ selector: "a" }), change("ADDED", "a/b"), undefined],
    [
      "what still matches",
      scope({ selector: "a" }),
      change("MODIFIED", "a/b", { a: "2" }, { a: "1" }),
      "change",
    ],
    [
      "what begins to match",
      scope({ selector: "a" }),
      change("MODIFIED", "a/b", { a: "2" }, {}),
      "create",
    ],
    [
      "what ceases to match",
      scope({ selector: "a" }),
      change("MODIFIED", "a/b", {}, { a: "2" }),
      "remove",
    ],
    ["what never matched", scope({ selector: "a" }), change("MODIFIED", "a/b", {}, {}), undefined],
    ["what may have matched", scope({ selector: "a" }), change("MODIFIED", "a/b", {}), "remove"],
    ["a removed match", scope({ selector: "a" }), change("DELETED", "a/b", { a: "1" }), "remove"],
    ["a removed stranger", scope({ selector: "a" }), change("DELETED", "a/b"), undefined],
  ];

  for (const [title, of, what, name] of cases) {
    it(`judges ${title}`, () => {
      expect(nameFor(of, what)).to.equal(name && `resource.${name}`);
    });
  }

  const vanished = { ...change("DELETED", "a/b"), labels: () => undefined };
  const mine = { "cattle.io/user-id": "me" };
  const theirs = { "cattle.io/user-id": "them" };
  const own = (selector = ""): Scope => ({ ...scope({ selector }), owner: "me" });
  for (const [title, of, what, name] of [
    ["one's own", own(), change("ADDED", "a/b", mine), "create"],
    ["another's", own(), change("ADDED", "a/b", theirs), undefined],
    ["nobody's", own(), change("ADDED", "a/b"), undefined],
    ["one's own that is selected", own("a"), change("ADDED", "a/b", { ...mine, a: "" }), "create"],
    ["one's own that is not selected", own("a"), change("ADDED", "a/b", mine), undefined],
    ["another's that is selected", own("!a"), change("ADDED", "a/b", theirs), undefined],
    ["what is given", own(), change("MODIFIED", "a/b", mine, theirs), "create"],
    ["what is given away", own(), change("MODIFIED", "a/b", theirs, mine), "remove"],
    ["what was another's", own(), change("MODIFIED", "a/b", theirs, theirs), undefined],
    ["another's that was unseen before", own(), change("MODIFIED", "a/b", theirs), undefined],
    ["one's own that goes", own(), change("DELETED", "a/b", mine), "remove"],
    ["another's that goes", own(), change("DELETED", "a/b", theirs), undefined],
    ["what goes unseen", own(), vanished, undefined],
    ["what goes unseen of a selector", own("!a"), vanished, undefined],
  ] as const) {
    it(`judges ${title}, where people are told of their own alone`, () => {
      expect(nameFor(of, what)).to.equal(name && `resource.${name}`);
    });
  }

  it("tells of what vanished unseen", () => {
    expect(nameFor(scope({ selector: "a" }), vanished)).to.equal("resource.remove");
  });
});

describe("isSameScope", () => {
  const reach = (
    namespaces: readonly string[],
    names: Record<string, readonly string[]> = {},
  ): Reach => ({
    namespaces: new Set(namespaces),
    names: new Map(Object.entries(names).map(([key, some]) => [key, new Set(some)])),
  });
  const scope = (of: Reach, message: object = {}, kind?: "Cluster"): Scope => {
    const narrow = narrowOf({ ...unsaid, ...message }, kind);
    return { reach: of, narrow, requirements: [] };
  };
  const one = reach(["a"], { b: ["c"] });

  for (const [other, same] of [
    [reach(["a"], { b: ["c"] }), true],
    [reach(["b"], { b: ["c"] }), false],
    [reach(["a", "b"], { b: ["c"] }), false],
    [reach(["a"], { b: ["d"] }), false],
    [reach(["a"], { c: ["c"] }), false],
    [reach(["a"], {}), false],
    ["all", false],
  ] as const) {
    it(`tells ${same ? "equal" : "different"} reaches`, () => {
      expect(isSameScope(scope(one), scope(other))).to.equal(same);
      expect(isSameScope(scope(other), scope(one))).to.equal(same);
    });
  }

  const a = { namespace: "a" };
  for (const [title, message, before, after, same, kind] of [
    ["a namespace: another one", a, reach(["a"]), reach(["a", "b"]), true],
    ["a namespace: all others", a, reach(["a"]), "all", true],
    [
      "a namespace: names in another one",
      a,
      reach([], { a: ["x"] }),
      reach([], { a: ["x"], b: ["x"] }),
      true,
    ],
    [
      "a namespace: names that can be seen there",
      a,
      reach(["a"]),
      reach(["a"], { a: ["x"], "": ["y"] }),
      true,
    ],
    [
      "a namespace: names that can be seen there by another right",
      a,
      reach([], { a: ["x"] }),
      reach([], { "": ["x"] }),
      true,
    ],
    ["a namespace: itself", a, reach(["b"]), reach(["a", "b"]), false],
    ["a namespace: names in it", a, reach([], { a: ["x"] }), reach([], { a: ["x", "y"] }), false],
    ["a namespace: names everywhere", a, reach([]), reach([], { "": ["x"] }), false],
    ["a namespace: the rest of it", a, reach([], { a: ["x"] }), reach(["a"]), false],
    ["an id: its namespace", { id: "a/x" }, reach([], { a: ["x"] }), reach(["a"]), true],
    [
      "an id: another name",
      { id: "a/x" },
      reach([], { a: ["x"] }),
      reach([], { a: ["x", "y"] }),
      true,
    ],
    ["an id: itself", { id: "a/x" }, reach([], { a: ["y"] }), reach([], { a: ["x", "y"] }), false],
    [
      "a namespace and a name: another name",
      { ...a, id: "x" },
      reach([]),
      reach([], { a: ["y"], b: ["x"] }),
      true,
    ],
    [
      "a namespace and a name: itself",
      { ...a, id: "x" },
      reach([]),
      reach([], { "": ["x"] }),
      false,
    ],
    [
      "a name: another name",
      { id: "x" },
      reach(["a"], { b: ["x"] }),
      reach(["a"], { b: ["x", "y"], c: ["y"] }),
      true,
    ],
    ["a name: its namespace", { id: "x" }, reach(["a"], { b: ["x"] }), reach(["a", "b"]), true],
    ["a name: another namespace", { id: "x" }, reach(["a"]), reach(["a", "b"]), false],
    ["a name: it everywhere", { id: "x" }, reach(["a"]), reach(["a"], { "": ["x"] }), false],
    ["a name: it everywhere, by another right", { id: "x" }, reach([], { "": ["x"] }), "all", true],
    ["a contradiction: anything", { ...a, id: "b/x" }, reach([]), "all", true],
    [
      "what is outside of namespaces: a namespace",
      {},
      reach([], { "": ["x"] }),
      reach(["a"], { "": ["x"] }),
      true,
      "Cluster",
    ],
    [
      "what is outside of namespaces: a name",
      {},
      reach([], { "": ["x"] }),
      reach([], { "": ["x", "y"] }),
      false,
      "Cluster",
    ],
    [
      "what is outside of namespaces: everything",
      { id: "x" },
      reach([], { "": ["x"] }),
      "all",
      true,
      "Cluster",
    ],
  ] as const) {
    it(`is ${same} for ${title}`, () => {
      const [one, other] = [scope(before, message, kind), scope(after, message, kind)];

      expect([isSameScope(one, other), isSameScope(other, one)]).to.deep.equal([same, same]);
    });
  }

  it("is false where more of each object is shown", () => {
    const before = { ...scope("all", { id: "x" }, "Cluster"), isStranger: true };

    expect(isSameScope(before, { ...before, isStranger: false })).to.equal(false);
  });
});
