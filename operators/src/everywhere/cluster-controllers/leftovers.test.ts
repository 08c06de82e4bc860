import { expect } from "chai";
import { apiVersionOf, type ObjectMeta } from "kopf-ts";
import { Namespace, Role } from "kopf-ts/kinds";
import { isMarkedFor, isOwnAccess, ourNamespaces, stripped } from "./leftovers.ts";

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
  const marked = (id: string): Role => role({ annotations: { "objectset.rio.cattle.io/id": id } });

  it("is what a set was made for in this very cluster", () => {
    expect(isMarkedFor(marked("concern@c-1"), "c-1")).to.equal(true);
    expect(isMarkedFor(marked("concern@xc-1"), "c-1")).to.equal(false);
    expect(isMarkedFor(marked("concern"), "c-1")).to.equal(false);
    expect(isMarkedFor(role(), "c-1")).to.equal(false);
  });

  it("is not what lets us in, which goes with the last namespace", () => {
    expect(isOwnAccess(role({ name: "cattle-admin" }))).to.equal(true);
    expect(isOwnAccess(role({ name: "cattle-admin-binding" }))).to.equal(true);
    expect(isOwnAccess(role({ name: "cattle-other" }))).to.equal(false);
    expect(ourNamespaces.at(-1)).to.equal("cattle-system");
  });
});
