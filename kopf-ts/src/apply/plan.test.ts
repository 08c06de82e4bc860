import { expect } from "chai";
import { TemporaryError } from "../base/index.ts";
import { defineKind, type KubeObject, keyOf } from "../kube/index.ts";
import { AppliedForms } from "./applied-forms.ts";
import { dress, inAnyVersion } from "./desired.ts";
import { claimOf, marksOf } from "./marks.ts";
import { type MemberCache, membersInCache } from "./members.ts";
import { plan } from "./plan.ts";

const ConfigMap = defineKind({
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  scope: "Namespaced",
});
const owner = { apiVersion: "v1", kind: "Namespace", metadata: { name: "owner", uid: "u-1" } };
const marks = marksOf({ id: "x", owner });
const set = { hash: marks.hash, adopts: () => true };

type Meta = Partial<KubeObject["metadata"]>;

function wantedOf(name: string, data: Record<string, string> = {}): KubeObject {
  const metadata = { name, namespace: "default" };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
  return dress(object, { marks, owner, ownerReference: "controller" });
}

/** An object as the server has it. */
function liveOf(object: KubeObject, meta: Meta = {}, more: object = {}): KubeObject {
  const metadata = { ...object.metadata, uid: "u-7", resourceVersion: "5", ...meta };
  return { ...object, ...more, metadata };
}

function foreignOf(name: string): KubeObject {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } };
  const other = marksOf({ id: "other", owner });
  return liveOf(dress(object, { marks: other, owner, ownerReference: "none" }));
}

function cacheOf(live: readonly KubeObject[], state: Partial<MemberCache> = {}): MemberCache {
  return {
    synced: true,
    watchState: { phase: "live" },
    get: (key) => live.find((object) => keyOf(object) === key),
    byIndex: () => live.filter((object) => claimOf(object) !== undefined),
    ...state,
  };
}

function keptOf(wanted: readonly KubeObject[]): ReadonlySet<string> {
  return new Set(wanted.map(inAnyVersion));
}

function planOf(wanted: readonly KubeObject[], cache: MemberCache, prune = true) {
  const view = membersInCache(ConfigMap, cache, marks.hash);
  const result = plan({ wanted, kept: keptOf(wanted), view, set, prune });
  return {
    ...result,
    names: {
      send: result.send.map(({ object }) => object.metadata.name),
      unchanged: result.unchanged.map(({ metadata }) => metadata.name),
      terminating: result.terminating.map(({ metadata }) => metadata.name),
      prune: result.prune.map(({ metadata }) => metadata.name),
    },
  };
}

const nothing = { send: [], unchanged: [], terminating: [], prune: [] };

describe("plan", () => {
  it("sends what is not there", () => {
    const { names } = planOf([wantedOf("a")], cacheOf([]));

    expect(names).to.deep.equal({ ...nothing, send: ["a"] });
  });

  it("leaves what is as it should be, whatever others added", () => {
    const wanted = wantedOf("a", { k: "v" });
    const live = liveOf(wanted, { finalizers: ["theirs"] }, { data: { k: "v", theirs: "v" } });

    const { names } = planOf([wanted], cacheOf([live]));

    expect(names).to.deep.equal({ ...nothing, unchanged: ["a"] });
  });

  it("sends what somebody changed", () => {
    const wanted = wantedOf("a", { k: "v" });
    const live = liveOf(wanted, {}, { data: { k: "drifted" } });

    expect(planOf([wanted], cacheOf([live])).names.send).to.deep.equal(["a"]);
  });

  it("sends an object that lost a field of ours, though what is left agrees", () => {
    const live = liveOf(wantedOf("a", { k: "v", old: "v" }));

    expect(planOf([wantedOf("a", { k: "v" })], cacheOf([live])).names.send).to.deep.equal(["a"]);
  });

  it("sends an object whose marks somebody removed", () => {
    const wanted = wantedOf("a");
    const live = liveOf(wanted, { labels: {}, annotations: {} });

    expect(planOf([wanted], cacheOf([live])).names.send).to.deep.equal(["a"]);
  });

  it("leaves what the server stores in its own form, until that form changes", () => {
    const wanted = wantedOf("a", { cpu: "1000m" });
    const stored = liveOf(wanted, {}, { data: { cpu: "1" } });
    const drifted = liveOf(wanted, {}, { data: { cpu: "2" } });
    const view = membersInCache(ConfigMap, cacheOf([stored]), marks.hash);
    view.forms.learn(wanted, stored);

    const question = { wanted: [wanted], kept: keptOf([wanted]), set, prune: true };

    const settled = plan({ ...question, view });
    const changed = plan({ ...question, view: { ...view, get: () => drifted } });

    expect(settled.unchanged).to.deep.equal([stored]);
    expect(changed.send).to.have.length(1);
  });

  it("waits for what is on its way out", () => {
    const wanted = wantedOf("a");
    const live = liveOf(wanted, { deletionTimestamp: "2026-01-01T00:00:00Z" });

    expect(planOf([wanted], cacheOf([live])).names).to.deep.equal({
      ...nothing,
      terminating: ["a"],
    });
  });

  it("refuses an object of another set and says whose it is", () => {
    const { names, failures } = planOf([wantedOf("a"), wantedOf("b")], cacheOf([foreignOf("a")]));

    expect(names).to.deep.equal({ ...nothing, send: ["b"] });
    expect(failures).to.have.length(1);
    expect(failures[0]?.error)
      .to.be.instanceOf(TemporaryError)
      .with.property(
        "message",
        "ConfigMap default/a belongs to set other of /v1, Kind=Namespace owner",
      );
  });

  it("adopts an object without marks", () => {
    const bare = liveOf({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a", namespace: "default" },
    });

    expect(planOf([wantedOf("a")], cacheOf([bare])).names.send).to.deep.equal(["a"]);
  });

  it("leaves an object without marks that is not adopted, and shows it", () => {
    const metadata = { name: "a", namespace: "default" };
    const bare = liveOf({ apiVersion: "v1", kind: "ConfigMap", metadata });
    const wanted = [wantedOf("a"), wantedOf("ours", { k: "v" })];
    const ours = liveOf(wantedOf("ours"));
    const view = membersInCache(ConfigMap, cacheOf([bare, ours]), marks.hash);
    const none = { hash: marks.hash, adopts: () => false };

    const { send, failures } = plan({ wanted, kept: keptOf(wanted), view, set: none, prune: true });

    expect(send.map(({ object }) => object.metadata.name)).to.deep.equal(["ours"]);
    expect(failures).to.have.length(1);
    expect(failures[0]).to.include({ what: "ConfigMap default/a", stranger: bare });
    expect(failures[0]?.error).to.be.instanceOf(TemporaryError);
  });
});

describe("plan, pruning", () => {
  const left = liveOf(wantedOf("left"));

  for (const { name, live, expected } of [
    { name: "deletes a member that left", live: left, expected: ["left"] },
    { name: "does not delete members of other sets", live: foreignOf("left"), expected: [] },
    {
      name: "does not delete a member twice",
      live: liveOf(left, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
      expected: [],
    },
    {
      name: "spares a member with the prune label false, as wrangler does",
      live: liveOf(left, {
        labels: { ...left.metadata.labels, "objectset.rio.cattle.io/prune": "false" },
      }),
      expected: [],
    },
    {
      name: "does not delete a copy of a member",
      live: liveOf(left, { name: "copy" }),
      expected: [],
    },
  ]) {
    it(name, () => expect(planOf([], cacheOf([live])).names.prune).to.deep.equal(expected));
  }

  it("does not delete what is wanted in another version", () => {
    const view = membersInCache(ConfigMap, cacheOf([left]), marks.hash);
    const kept = keptOf([{ ...left, apiVersion: "v2" }]);

    const here = plan({ wanted: [], kept, view, set, prune: true });

    expect(here.prune).to.deep.equal([]);
  });

  it("deletes nothing of a kind that is only kept", () => {
    expect(planOf([], cacheOf([left]), false).names).to.deep.equal(nothing);
  });

  const unusable: readonly {
    readonly name: string;
    readonly state: Partial<MemberCache>;
    readonly message: string;
  }[] = [
    { name: "never was complete", state: { synced: false }, message: "not synced yet" },
    {
      name: "lost its watch",
      state: { watchState: { phase: "degraded", reason: "Forbidden", message: "no" } },
      message: "out of touch with the server",
    },
  ];
  for (const { name, state, message } of unusable) {
    it(`deletes nothing by a cache that ${name}, and says so`, () => {
      const { names, failures } = planOf([], cacheOf([left], state));

      expect(names.prune).to.deep.equal([]);
      expect(failures).to.have.length(1);
      expect(failures[0]?.error).to.be.instanceOf(TemporaryError);
      expect(String(failures[0]?.error)).to.contain(message);
    });
  }

  it("has nothing to say about such a cache when nothing left", () => {
    const { failures } = planOf([wantedOf("a")], cacheOf([], { synced: false }));

    expect(failures).to.deep.equal([]);
  });
});

describe("AppliedForms", () => {
  it("forgets the oldest beyond its limit", () => {
    const forms = new AppliedForms({ max: 2 });
    for (const name of ["a", "b", "c"]) {
      forms.learn(wantedOf(name, { k: "v" }), liveOf(wantedOf(name)));
    }

    expect(forms.get(wantedOf("a", { k: "v" }))).to.equal(undefined);
    expect(forms.get(wantedOf("c", { k: "v" }))).to.be.a("string");
  });

  it("keeps nothing for an object that came back as it was sent", () => {
    const forms = new AppliedForms();

    forms.learn(wantedOf("a"), liveOf(wantedOf("a")));

    expect(forms.get(wantedOf("a"))).to.equal(undefined);
  });

  it("does not take the form of one content for that of another", () => {
    const forms = new AppliedForms();

    forms.learn(wantedOf("a", { k: "1000m" }), liveOf(wantedOf("a", { k: "1" })));

    expect(forms.get(wantedOf("a", { k: "2000m" }))).to.equal(undefined);
  });
});
