import { expect } from "chai";
import { accessOf, itemOf, projects, type Sent, shape } from "./testing.test.support.ts";

describe("checkPermissions", () => {
  const project = {
    ...{ apiVersion: "management.cattle.io/v3", kind: "Project" },
    metadata: { name: "p-1", namespace: "c-1" },
  };
  const asked = (
    object: Sent,
    held: Readonly<Record<string, readonly string[]>>,
    query: string,
  ): unknown =>
    itemOf(object, projects, { access: accessOf(held), ...shape(query) }).resourcePermissions;

  it("tells rights in the namespace that an object stands for", () => {
    const url = "https://host/api/v1/namespaces/c-1-p-1/pods";

    expect(
      asked(project, { "c-1-p-1": ["get,list,watch pods"] }, "checkPermissions=pods,nope,node"),
    ).to.deep.equal({
      pods: { get: url, list: url, watch: url },
    });
  });

  it("takes the backing namespace where there is one", () => {
    const url = "https://host/v1/management.cattle.io.projects/other";
    const backed = { ...project, status: { backingNamespace: "other" } };

    expect(
      asked(
        backed,
        { other: ["create projects"] },
        "checkPermissions=management.cattle.io.projects",
      ),
    ).to.deep.equal({
      "management.cattle.io.projects": { create: url },
    });
  });

  it("tells of nothing where there are no rights, whatever is excluded", () => {
    expect(asked(project, {}, "checkPermissions=pod&exclude=resourcePermissions")).to.deep.equal(
      {},
    );
  });
});
