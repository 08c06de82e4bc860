import { expect } from "chai";
import {
  clusterInFinalizer,
  clusterInFinalizers,
  clusterLifecycleNames,
  isClusterFinalizer,
  isObjectName,
  lifecycleNames,
  safeConcatName,
  wranglerFinalizer,
} from "./names.ts";

describe("safeConcatName", () => {
  const a = (count: number): string => "a".repeat(count);
  for (const { name, parts, expected } of [
    { name: "joins", parts: ["c-m-abcdefgh", "p-xyz12"], expected: "c-m-abcdefgh-p-xyz12" },
    { name: "keeps 63 characters", parts: [a(63)], expected: a(63) },
    { name: "hashes 64 characters", parts: [a(64)], expected: `${a(57)}-ffe05` },
    { name: "cuts after a letter", parts: [a(70)], expected: `${a(57)}-6bd5e` },
    { name: "cuts before a hyphen", parts: [a(56), "b".repeat(20)], expected: `${a(56)}-8d638d` },
    {
      name: "cuts before a capital",
      parts: [`${a(56)}B${a(20)}`],
      expected: `${a(56)}-e89877`,
    },
  ]) {
    it(name, () => expect(safeConcatName(...parts)).to.equal(expected));
  }

  it("never passes 63 characters", () => {
    for (let length = 60; length < 90; length++) {
      expect(safeConcatName(a(length)).length).to.be.at.most(63);
      expect(safeConcatName(a(30), a(length)).length).to.be.at.most(63);
    }
  });
});

describe("finalizers", () => {
  it("of a management controller name the handler", () => {
    expect(lifecycleNames("namespace-auth")).to.deep.equal({
      finalizer: "controller.cattle.io/namespace-auth",
      created: "lifecycle.cattle.io/create.namespace-auth",
    });
  });

  it("of a downstream controller name handler and cluster", () => {
    expect(clusterLifecycleNames("project-namespace-auth", "c-abcde")).to.deep.equal({
      finalizer: "clusterscoped.controller.cattle.io/project-namespace-auth_c-abcde",
      created: "lifecycle.cattle.io/create.project-namespace-auth_c-abcde",
    });
  });

  it("of a wrangler-style controller name the handler", () => {
    expect(wranglerFinalizer("grb-sync")).to.equal("wrangler.cattle.io/grb-sync");
  });

  it("of one cluster are told from those of others", () => {
    const { finalizer } = clusterLifecycleNames("cluster-prtb-sync", "c-abcde");

    expect(isClusterFinalizer(finalizer, "c-abcde")).to.equal(true);
    expect(isClusterFinalizer(finalizer, "abcde")).to.equal(false);
    expect(isClusterFinalizer("controller.cattle.io/x_c-abcde", "c-abcde")).to.equal(false);
  });

  it("fit into a finalizer, however long the name of the cluster is", () => {
    const [one, other] = [`${"c".repeat(62)}1`, `${"c".repeat(62)}2`];

    const { finalizer } = clusterLifecycleNames("project-namespace-auth", one);

    expect(finalizer.split("/")[1]?.length).to.be.at.most(63);
    expect(isClusterFinalizer(finalizer, one)).to.equal(true);
    expect(isClusterFinalizer(finalizer, other)).to.equal(false);
  });

  it("of a cluster are found by what they say of it", () => {
    const long = "c".repeat(60);

    for (const cluster of ["c-abcde", long]) {
      const { finalizer } = clusterLifecycleNames("project-namespace-auth", cluster);
      expect(clusterInFinalizers(cluster)).to.include(clusterInFinalizer(finalizer));
    }
    const { finalizer } = lifecycleNames("x_c-abcde");
    expect(clusterInFinalizer(finalizer)).to.equal(undefined);
  });
});

describe("isObjectName", () => {
  for (const name of ["a", "a-b", "a.b-c.0", "0", "a".repeat(253)])
    it(`takes ${name.slice(0, 20)}`, () => expect(isObjectName(name)).to.equal(true));

  for (const name of [
    "",
    "A",
    "-a",
    "a-",
    "a..b",
    ".a",
    "a/b",
    "a b",
    "a\n",
    "a%2fb",
    "a".repeat(254),
  ])
    it(`refuses ${JSON.stringify(name.slice(0, 20))}`, () => {
      expect(isObjectName(name)).to.equal(false);
    });
});
