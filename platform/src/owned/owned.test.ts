import { aGlobalRole } from "@drover/crds/testing";
import { expect } from "chai";
import {
  ApiError,
  ApplyError,
  type CacheAccess,
  type Client,
  type Kind,
  type KubeObject,
  marksOf,
  setLabel,
  TemporaryError,
} from "kopf-ts";
import { ConfigMap, type RoleRef } from "kopf-ts/kinds";
import { belongsTo, labelIndex, ownedForm } from "./ownership.ts";
import { nameTaken, problemsIn, tell, throwForRetry } from "./problem.ts";
import { grantsAnotherRole, settle } from "./settle.ts";

const owner = aGlobalRole({ metadata: { name: "viewer", uid: "1" } });
const label = { key: "gr-owner", value: "viewer" };
const anObject = (metadata: object) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "x", namespace: "ns", ...metadata },
});
const reference = { apiVersion: "management.cattle.io/v3", kind: "GlobalRole", uid: "old" };

describe("belongsTo", () => {
  for (const { name, metadata, expected } of [
    { name: "the label", metadata: { labels: { "gr-owner": "viewer" } }, expected: true },
    {
      name: "a reference, also to an owner of the name before this one",
      metadata: { ownerReferences: [{ ...reference, name: "viewer" }] },
      expected: true,
    },
    { name: "another's label", metadata: { labels: { "gr-owner": "other" } }, expected: false },
    {
      name: "a reference to another",
      metadata: { ownerReferences: [{ ...reference, name: "other" }] },
      expected: false,
    },
    { name: "nothing", metadata: {}, expected: false },
    {
      name: "marks that were copied from another object's set",
      metadata: { labels: { "objectset.rio.cattle.io/hash": "x" } },
      expected: false,
    },
  ]) {
    it(`is ${expected} by ${name}`, () => {
      expect(belongsTo(anObject(metadata), { owner, label })).to.equal(expected);
    });
  }
});

describe("belongsTo in a cluster of a hub", () => {
  const marked = (scope: string | undefined, of: KubeObject = owner) => {
    const { hash, annotations } = marksOf({ id: "part", owner: of, scope });
    const labels = { "gr-owner": "viewer", [setLabel]: hash };
    return anObject({ labels, annotations });
  };
  const other = aGlobalRole({ metadata: { name: "other" } });

  for (const { name, object, expected } of [
    { name: "marks of this cluster", object: marked("c-1"), expected: true },
    { name: "marks of another hub, whatever its label", object: marked("local"), expected: false },
    { name: "marks of the cluster's own concerns", object: marked(undefined), expected: false },
    { name: "marks of another owner", object: marked("c-1", other), expected: false },
    {
      name: "the label alone",
      object: anObject({ labels: { "gr-owner": "viewer" } }),
      expected: true,
    },
    {
      name: "a reference, which means an owner of the cluster",
      object: anObject({ ownerReferences: [{ ...reference, name: "viewer" }] }),
      expected: false,
    },
  ]) {
    it(`is ${expected} by ${name}`, () => {
      expect(belongsTo(object, { owner, label }, "c-1")).to.equal(expected);
    });
  }
});

describe("belongsTo, in a managed cluster", () => {
  const labelled = { labels: { "gr-owner": "viewer" } };
  const marked = (owned: typeof owner, scope?: string) => {
    const { hash, annotations } = marksOf({ id: "part", owner: owned, scope });
    return anObject({ labels: { ...labelled.labels, [setLabel]: hash }, annotations });
  };
  const other = aGlobalRole({ metadata: { name: "other", uid: "2" } });

  for (const { name, object, expected } of [
    {
      name: "marks of this owner, made for this cluster",
      object: marked(owner, "c-1"),
      expected: true,
    },
    {
      name: "marks of another owner, whatever the label says",
      object: marked(other, "c-1"),
      expected: false,
    },
    {
      name: "marks of another hub's owner of the name",
      object: marked(owner, "local"),
      expected: false,
    },
    { name: "marks of an owner in the cluster itself", object: marked(owner), expected: false },
    { name: "the label alone, as a Rancher left it", object: anObject(labelled), expected: true },
  ]) {
    it(`is ${expected} by ${name}`, () => {
      expect(belongsTo(object, { owner, label }, "c-1")).to.equal(expected);
    });
  }
});

describe("ownedForm", () => {
  it("indexes by the label", () => {
    const index = ownedForm("gr-owner").indexes[labelIndex("gr-owner")];

    expect(index?.(anObject({ labels: { "gr-owner": "viewer" } }))).to.deep.equal(["viewer"]);
    expect(index?.(anObject({}))).to.deep.equal([]);
  });
});

const invalid = new ApiError({
  code: 422,
  reason: "Invalid",
  message: "x".repeat(900),
  method: "PATCH",
  path: "/",
});
const report = { created: [], changed: [], unchanged: [], pruned: [], terminating: [] };

describe("grantsAnotherRole", () => {
  const apiGroup = "rbac.authorization.k8s.io";
  const aBinding = (roleRef: Partial<RoleRef> = {}) => ({
    ...anObject({}),
    roleRef: { apiGroup, kind: "ClusterRole", name: "view", ...roleRef },
  });

  for (const { name, live, expected } of [
    { name: "the same role", live: aBinding(), expected: false },
    { name: "another role", live: aBinding({ name: "cluster-admin" }), expected: true },
    { name: "a Role", live: aBinding({ kind: "Role" }), expected: true },
    { name: "a role of another group", live: aBinding({ apiGroup: "x" }), expected: true },
    { name: "none", live: anObject({}), expected: true },
  ]) {
    it(`is ${expected} for a binding of ${name}`, () => {
      expect(grantsAnotherRole(live, aBinding())).to.equal(expected);
    });
  }

  it("is false for what is no binding", () => {
    expect(grantsAnotherRole(anObject({}), anObject({ labels: {} }))).to.equal(false);
  });
});

describe("problems", () => {
  it("tell what failed, cut, and ask for another run unless the server found it invalid", () => {
    const failures = [
      { verb: "apply", what: "Role ns/x", error: invalid },
      { verb: "prune", what: "Role ns/y", error: new Error("no answer") },
    ] as const;

    const [first, second] = problemsIn(new ApplyError(failures, report));

    expect(first).to.include({ reason: "Invalid" });
    expect(first?.message).to.match(/^cannot apply Role ns\/x: x+…$/);
    expect(first?.message).to.have.length(500);
    expect(first?.error).to.equal(undefined);
    expect(second).to.include({ reason: "ApplyFailed" });
    expect(second?.error?.message).to.equal("no answer");
  });

  it("tell of a name that somebody else was faster to take as of any that is taken", () => {
    const stranger = anObject({});
    const error = new TemporaryError("made by somebody else");
    const failures = [{ verb: "apply", what: "ConfigMap ns/x", error, stranger }] as const;

    const [problem] = problemsIn(new ApplyError(failures, report));

    expect(problem?.reason).to.equal("NameTaken");
    expect(problem?.message).to.equal(
      "ConfigMap ns/x was made by somebody else: rename or delete it",
    );
    expect(problem?.error).to.include({ delay: 60_000 });
  });

  it("are thrown together when one asks for another run", () => {
    const taken = nameTaken(anObject({}));

    expect(() => throwForRetry([{ reason: "Invalid", message: "no" }])).not.to.throw();
    expect(() => throwForRetry([taken, { reason: "Invalid", message: "no" }]))
      .to.throw(AggregateError)
      .with.nested.property("errors[0]")
      .that.is.instanceOf(TemporaryError)
      .with.property("delay", 60_000);
  });

  it("are one reason and one sentence, of three and the number of the others", () => {
    const problem = (message: string) => ({ reason: `R${message}`, message });
    const others = ["b", "c", "d", "e"].map(problem);

    expect(tell([problem("a")])).to.deep.equal({ reason: "Ra", message: "a" });
    expect(tell([problem("a"), ...others])).to.deep.equal({
      reason: "Ra",
      message: "a; b; c; and 2 more",
    });
  });
});

describe("settle", () => {
  const part = { id: "part", kinds: [ConfigMap], objects: [] };
  const leftover = anObject({ labels: { "gr-owner": "viewer" } });

  /** A cache in a state, with one object that bears the label and nothing else. */
  const showing = (phase: "watching" | "degraded", object: KubeObject = leftover) => {
    const byIndex = (index: string) => (index === labelIndex("gr-owner") ? [object] : []);
    const cache = {
      synced: true,
      watchState: { phase, message: "" },
      get: () => undefined,
      byIndex,
    };
    return (() => cache) as unknown as CacheAccess;
  };
  const run = (phase: "watching" | "degraded", client: Partial<Client>) => ({
    client: { fieldManager: "test", ...client } as Client,
    cache: showing(phase),
    signal: new AbortController().signal,
  });

  it("deletes nothing by a cache that lost its watch, and says so", async () => {
    const silent = {}; // every request would throw

    const [problems] = await settle([part], { owner, label }, run("degraded", silent));

    expect(problems?.map(({ reason }) => reason)).to.deep.equal(["DeleteFailed"]);
    expect(problems?.[0]?.message).to.match(/^the cache of configmaps is out of touch/);
    expect(problems?.[0]?.error).to.be.instanceOf(TemporaryError);
  });

  it("deletes nothing by its label alone in a cluster of a hub, which may have owners of the same names", async () => {
    const sets = { scope: "c-1", ownersElsewhere: true };

    const [problems] = await settle([part], { owner, label }, run("watching", { sets })); // every request would throw

    expect(problems).to.deep.equal([]);
  });

  it("leaves a copy alone that somebody made of an object of ours, with all its labels", async () => {
    const labels = { "gr-owner": "viewer", "objectset.rio.cattle.io/hash": "x" };
    const silent = run("watching", {}); // every request would throw
    const cache = showing("watching", anObject({ labels }));

    const [problems] = await settle([part], { owner, label }, { ...silent, cache });

    expect(problems).to.deep.equal([]);
  });

  it("leaves a stranger's object alone that its cache does not show yet, and tells of it", async () => {
    const [wanted, theirs] = [anObject({}), anObject({ labels: { made: "meanwhile" } })];
    const refused = { code: 409, reason: "Conflict", message: "no", method: "PATCH", path: "/" };
    const client = {
      apply: () => Promise.reject(new ApiError(refused)), // once; nothing is forced
      find: () => Promise.resolve(theirs),
    } as Partial<Client>;
    const objects = { ...part, objects: [wanted] };
    const { cache, ...others } = run("watching", client);
    const nothing = ((kind: Kind) => ({ ...cache(kind), byIndex: () => [] })) as CacheAccess;

    const [problems] = await settle([objects], { owner, label }, { ...others, cache: nothing });

    expect(problems?.map(({ reason }) => reason)).to.deep.equal(["NameTaken"]);
  });

  it("answers what cannot be deleted, but throws a conflict, which is gone with the next run", async () => {
    const refuse = (code: number) => ({
      delete: () =>
        Promise.reject(
          new ApiError({ code, reason: "", message: "no", method: "DELETE", path: "/" }),
        ),
    });

    const [problems] = await settle([part], { owner, label }, run("watching", refuse(403)));
    const thrown = await settle([part], { owner, label }, run("watching", refuse(409))).catch(
      (error) => error,
    );

    expect(problems?.[0]).to.include({ reason: "DeleteFailed" });
    expect(problems?.[0]?.message).to.match(/^cannot delete ConfigMap ns\/x: /);
    expect(thrown).to.include({ code: 409 });
  });
});
