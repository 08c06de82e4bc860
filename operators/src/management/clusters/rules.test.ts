import { annotations } from "@drover/crds";
import { aCluster, aProject } from "@drover/crds/testing";
import { expect } from "chai";
import { ApiError, ApplyError, ownerReference } from "kopf-ts";
import { lackingTemplates } from "./creator.ts";
import { remaining } from "./let-go.ts";
import { desiredNamespace, isForCluster, nameProblem } from "./namespace.ts";
import { attempt, holds } from "./step.ts";

describe("the name of a cluster", () => {
  for (const { name, problem } of [
    { name: "c-abcde", problem: undefined },
    { name: "c".repeat(63), problem: undefined },
    { name: "c".repeat(64), problem: "64 characters are more than the 63" },
    { name: "eu.production", problem: 'a-z, 0-9 and "-"' },
  ]) {
    const title = name.length > 20 ? `${name.length} characters` : name;
    it(`${problem === undefined ? "may" : "cannot"} be ${title}`, () => {
      if (problem === undefined) expect(nameProblem(name)).to.equal(undefined);
      else expect(nameProblem(name)).to.include(problem);
    });
  }
});

describe("the namespace of a cluster", () => {
  const cluster = aCluster({ metadata: { name: "c-prod", uid: "u-1" } });
  const annotated = { [annotations.systemNamespace]: "true" };
  const withName = (name: string) => aCluster({ metadata: { name, uid: "u-2" } });

  for (const { title, owner, metadata, expected } of [
    { title: "one that Rancher annotated", metadata: { annotations: annotated }, expected: true },
    { title: "one without any sign", metadata: {}, expected: false },
    {
      title: "one that says it is not the system's",
      metadata: { annotations: { [annotations.systemNamespace]: "false" } },
      expected: false,
    },
    {
      title: "one that the cluster owns",
      metadata: { ownerReferences: [ownerReference(cluster)] },
      expected: true,
    },
    {
      title: "one that another cluster owns, annotated or not",
      metadata: { ownerReferences: [ownerReference(withName("c-test"))], annotations: annotated },
      expected: false,
    },
    {
      title: "one of the system's, annotated or not",
      owner: withName("cattle-system"),
      metadata: { annotations: annotated },
      expected: false,
    },
    {
      title: "one that the setting counts as the system's",
      owner: withName("ingress-nginx"),
      metadata: { annotations: annotated },
      expected: false,
    },
    {
      title: "Kubernetes' own",
      owner: withName("kube-system"),
      metadata: { annotations: annotated },
      expected: false,
    },
  ]) {
    it(`is ${expected ? "" : "not "}${title}`, () => {
      const { name } = (owner ?? cluster).metadata;
      const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name, ...metadata } };

      const answer = isForCluster(namespace, owner ?? cluster, new Set(["ingress-nginx"]));

      expect(answer).to.equal(expected);
    });
  }

  it("carries what people want on all namespaces", () => {
    const more = { labels: { team: "a" }, annotations: { [annotations.systemNamespace]: "false" } };

    expect(desiredNamespace(cluster, more).metadata).to.deep.equal({
      name: "c-prod",
      labels: { team: "a" },
      annotations: annotated,
    });
  });
});

describe("what a creator lacks", () => {
  const text = JSON.stringify({ created: ["a"], required: ["a", "b"] });
  const settled = ["CreatorMadeOwner", "InitialRolesPopulated"].map(
    (type) => ({ type, status: "True" }) as const,
  );
  for (const { title, note, fields, metadata, expected } of [
    { title: "nothing that is not required", expected: [] },
    { title: "what is required and not given", note: text, expected: ["b"] },
    { title: "nothing that nobody can read", note: "{", expected: [] },
    {
      title: "nothing once all was given",
      note: text,
      fields: { status: { conditions: settled } },
      expected: [],
    },
    {
      title: "nothing at its cluster's end",
      note: text,
      metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" },
      expected: [],
    },
  ]) {
    it(`is ${title}`, () => {
      const notes = note === undefined ? {} : { [annotations.creatorRoleBindings]: note };
      const cluster = aCluster({ ...fields, metadata: { ...metadata, annotations: notes } });

      expect(lackingTemplates(cluster)).to.deep.equal(expected);
    });
  }
});

describe("the finalizers that stay when a cluster goes", () => {
  const own = "clusterscoped.controller.cattle.io/project-namespace-auth_c-prod";
  const another = "clusterscoped.controller.cattle.io/project-namespace-auth_c-test";
  for (const { title, finalizers, expected } of [
    { title: "no change where there is none", finalizers: undefined, expected: undefined },
    { title: "no change where all are others'", finalizers: [another], expected: undefined },
    { title: "those of others", finalizers: [own, another, "x/y"], expected: [another, "x/y"] },
    { title: "none where all were the cluster's", finalizers: [own], expected: [] },
  ]) {
    it(`are ${title}`, () => {
      const metadata = finalizers === undefined ? {} : { finalizers };

      expect(remaining(aProject({ metadata }), "c-prod")).to.deep.equal(expected);
    });
  }
});

describe("a step", () => {
  const { signal } = new AbortController();
  const failing = (thrown: unknown) => attempt("A", () => Promise.reject(thrown), { signal });
  const conflict = new ApiError({
    code: 409,
    reason: "Conflict",
    message: "changed",
    method: "PATCH",
    path: "/",
  });

  it("is what its work says", async () => {
    expect(await attempt("A", async () => holds("A"), { signal })).to.deep.equal(holds("A"));
  });

  it("tells what was thrown, and asks for another run", async () => {
    const error = new Error("no such thing");

    const step = await failing(error);

    const told = { type: "A", status: "False", reason: "Error", message: "no such thing" };
    expect(step).to.deep.equal({ condition: told, error });
  });

  for (const { title, thrown } of [
    { title: "a conflict", thrown: conflict },
    {
      title: "a conflict among other failures",
      thrown: new ApplyError([{ verb: "apply", what: "x", error: conflict }], {
        created: [],
        changed: [],
        unchanged: [],
        pruned: [],
        terminating: [],
      }),
    },
  ]) {
    it(`does not tell ${title}`, async () => {
      const outcome = await failing(thrown).catch((error: unknown) => error);

      expect(outcome).to.equal(thrown);
    });
  }

  it("does not tell that its run has come to an end", async () => {
    const reason = new Error("stopped");
    const ended = attempt("A", () => Promise.reject(reason), { signal: AbortSignal.abort() });

    expect(await ended.catch((error: unknown) => error)).to.equal(reason);
  });
});
