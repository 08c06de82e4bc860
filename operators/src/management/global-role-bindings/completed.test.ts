import { aGlobalRole, aGlobalRoleBinding } from "@drover/crds/testing";
import { expect } from "chai";
import type { ObjectMeta } from "kopf-ts";
import { completed } from "./completed.ts";

const role = aGlobalRole({ metadata: { name: "viewer", uid: "role-1" } });
const noted = { "authz.management.cattle.io/crb-name": "cattle-globalrolebinding-grb-1" };
const reference = {
  apiVersion: "management.cattle.io/v3",
  kind: "GlobalRole",
  name: "viewer",
  uid: "role-1",
};
const bindingWith = (metadata: Partial<ObjectMeta>) =>
  aGlobalRoleBinding({ metadata: { name: "grb-1", resourceVersion: "7", ...metadata } });

describe("completed", () => {
  it("is nothing when nothing is missing", () => {
    const binding = bindingWith({ annotations: noted, ownerReferences: [reference] });

    expect(completed(binding, {}, role)).to.equal(undefined);
  });

  it("fills in all at once, in the very version that was looked at", () => {
    const fields = { userPrincipalName: "local://u-ada" };

    expect(completed(bindingWith({}), fields, role)).to.deep.equal({
      ...fields,
      metadata: { annotations: noted, ownerReferences: [reference], resourceVersion: "7" },
    });
  });

  it("keeps other owners, and replaces a role of the same name that is no more", () => {
    const other = { ...reference, kind: "Something", uid: "x" };
    const old = { ...reference, uid: "role-0" };
    const binding = bindingWith({ annotations: noted, ownerReferences: [other, old] });

    expect(completed(binding, {}, role)).to.deep.equal({
      metadata: { ownerReferences: [other, reference], resourceVersion: "7" },
    });
  });

  it("leaves the owners alone when there is no role", () => {
    expect(completed(bindingWith({ annotations: noted }), {}, undefined)).to.equal(undefined);
  });

  it("does not tie it to a role that is being deleted, whose bindings may be meant to stay", () => {
    const metadata = { ...role.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" };

    expect(completed(bindingWith({ annotations: noted }), {}, { ...role, metadata })).to.equal(
      undefined,
    );
  });

  it("puts a wrong name of the ClusterRoleBinding right", () => {
    const annotations = { "authz.management.cattle.io/crb-name": "cluster-admin" };

    expect(completed(bindingWith({ annotations }), {}, undefined)).to.deep.equal({
      metadata: { annotations: noted, resourceVersion: "7" },
    });
  });
});
