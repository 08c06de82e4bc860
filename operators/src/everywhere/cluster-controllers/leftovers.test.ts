import { createHash } from "node:crypto";
import { expect } from "chai";
import { apiVersionOf, type ObjectMeta } from "kopf-ts";
import { Namespace, Role } from "kopf-ts/kinds";
import { isMadeFor, isOwnAccess, ourNamespaces, stripped, unclaimed } from "./leftovers.ts";

const namespace = (metadata: Partial<ObjectMeta> = {}): Namespace => ({
  apiVersion: "v1",
  kind: Namespace.kind,
  metadata: { name: "apps", resourceVersion: "7", ...metadata },
});
const role = (metadata: Partial<ObjectMeta> = {}): Role => ({
  apiVersion: apiVersionOf(Role),
  kind: Role.kind,
  metadata: { name: "x", ...metadata },
});

describe("what is taken off a namespace", () => {
  for (const { title, metadata, expected } of [
    { title: "nothing of one that was not managed", metadata: {}, expected: undefined },
    {
      title: "nothing that people wrote",
      metadata: { labels: { team: "blue" }, annotations: { note: "x" }, finalizers: ["a/b"] },
      expected: undefined,
    },
    {
      title: "label and annotation of its project",
      metadata: {
        labels: { "field.cattle.io/projectId": "p", team: "blue" },
        annotations: { "field.cattle.io/projectId": "c:p" },
      },
      expected: {
        resourceVersion: "7",
        labels: { "field.cattle.io/projectId": null },
        annotations: { "field.cattle.io/projectId": null },
      },
    },
    {
      title: "what controllers said of it",
      metadata: {
        annotations: {
          "cattle.io/status": "{}",
          "field.cattle.io/creatorId": "u",
          "field.cattle.io/resourceQuotaTemplateId": "t",
          "lifecycle.cattle.io/create.namespace-auth": "true",
        },
      },
      expected: {
        resourceVersion: "7",
        annotations: {
          "cattle.io/status": null,
          "field.cattle.io/creatorId": null,
          "field.cattle.io/resourceQuotaTemplateId": null,
          "lifecycle.cattle.io/create.namespace-auth": null,
        },
      },
    },
    {
      title: "our finalizer, and no other",
      metadata: { finalizers: ["a/b", "controller.cattle.io/namespace-auth"] },
      expected: { resourceVersion: "7", finalizers: ["a/b"] },
    },
  ]) {
    it(`is ${title}`, () => {
      const merge = stripped(namespace(metadata));

      expect(merge).to.deep.equal(expected && { metadata: expected });
    });
  }
});

describe("what carries our marks", () => {
  const marked = (id: string): Role =>
    role({
      labels: { "objectset.rio.cattle.io/hash": "x" },
      annotations: { "objectset.rio.cattle.io/id": id },
    });
  /** As `claim` writes it. */
  const claimed = (...claims: readonly string[]): Role => {
    const names = claims.map((value) => {
      const hash = createHash("sha256").update(`Role x ${value}`).digest("hex").slice(0, 16);
      return [`claim.drover.dev/${hash}`, value] as const;
    });
    return role({ annotations: Object.fromEntries(names) });
  };

  it("is what a set was made for in this very cluster", () => {
    expect(isMadeFor(marked("concern@c-1"), "c-1")).to.equal(true);
    expect(isMadeFor(marked("concern@xc-1"), "c-1")).to.equal(false);
    expect(isMadeFor(marked("concern"), "c-1")).to.equal(false);
    expect(isMadeFor(role(), "c-1")).to.equal(false);
  });

  it("is what nobody claims but owners of this very cluster", () => {
    expect(isMadeFor(claimed("GlobalRoleBinding c-1 grb-a"), "c-1")).to.equal(true);
    expect(isMadeFor(claimed("GlobalRoleBinding c-2 grb-a"), "c-1")).to.equal(false);
    const both = claimed("GlobalRoleBinding c-1 grb-a", "GlobalRoleBinding c-2 grb-a");
    expect(isMadeFor(both, "c-1")).to.equal(false);
  });

  it("loses the claims of this cluster where others have theirs, so that it goes with the last one", () => {
    const own = "GlobalRoleBinding c-1 grb-a";
    const [name = ""] = Object.keys(claimed(own).metadata.annotations ?? {});

    const merge = unclaimed(claimed(own, "GlobalRoleBinding c-2 grb-a"), "c-1");

    expect(merge).to.deep.equal({
      metadata: { resourceVersion: undefined, annotations: { [name]: null } },
    });
    expect(unclaimed(claimed(own), "c-1")).to.equal(undefined); // it goes as a whole
    expect(unclaimed(claimed("GlobalRoleBinding c-2 grb-a"), "c-1")).to.equal(undefined);
  });

  it("is not what lets us in, which goes with the last namespace", () => {
    expect(isOwnAccess(role({ name: "cattle-admin" }))).to.equal(true);
    expect(isOwnAccess(role({ name: "cattle-admin-binding" }))).to.equal(true);
    expect(isOwnAccess(role({ name: "cattle-other" }))).to.equal(false);
    expect(ourNamespaces.at(-1)).to.equal("cattle-system");
  });
});
