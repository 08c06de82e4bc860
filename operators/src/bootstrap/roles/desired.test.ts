import { type GlobalRole, labels, type RoleTemplate } from "@drover/crds";
import { expect } from "chai";
import { globalRole, projectTemplate } from "./data/role.ts";
import { create, view } from "./data/rule.ts";
import { desiredRoles, terminating } from "./desired.ts";
import { bootstrappedAnnotation } from "./names.ts";

const wanted = globalRole("reader", "Reader", { rules: [view.on("", "pods", "secrets")] });
const stored = asStored(wanted);
const nothing = { create: [], update: [], remove: [] };

/** A role as the API server would show it. */
function asStored<T extends GlobalRole | RoleTemplate>(role: T, fields: object = {}): T {
  const metadata = { ...role.metadata, uid: "u", resourceVersion: "7", creationTimestamp: "t" };
  return { ...role, metadata, ...fields };
}

function withMetadata<T extends GlobalRole | RoleTemplate>(role: T, metadata: object): T {
  return { ...role, metadata: { ...role.metadata, ...metadata } };
}

describe("desiredRoles", () => {
  it("makes what is missing", () => {
    expect(desiredRoles([wanted], [])).to.deep.equal({ ...nothing, create: [wanted] });
  });

  for (const { name, fields } of [
    { name: "as it is wanted", fields: {} },
    { name: "with other metadata", fields: { metadata: { ...stored.metadata, annotations: {} } } },
    { name: "that new users get", fields: { newUserDefault: true } },
    { name: "with a description", fields: { description: "mine" } },
    { name: "with a status", fields: { status: { summary: "Completed" } } },
    { name: "that says false or nothing", fields: { namespacedRules: {}, newUserDefault: false } },
    { name: "that lists nothing", fields: { inheritedClusterRoles: [] } },
    {
      name: "whose keys come in another order",
      fields: {
        rules: [
          { resources: ["pods", "secrets"], apiGroups: [""], verbs: wanted.rules?.[0]?.verbs },
        ],
      },
    },
  ]) {
    it(`leaves a role ${name} alone`, () => {
      expect(desiredRoles([wanted], [asStored(wanted, fields)])).to.deep.equal(nothing);
    });
  }

  for (const { name, fields } of [
    { name: "rules", fields: { rules: [create.on("", "pods")] } },
    { name: "missing rules", fields: { rules: undefined } },
    { name: "one more resource", fields: { rules: [view.on("", "pods", "secrets", "nodes")] } },
    { name: "another group", fields: { rules: [view.on("apps", "pods", "secrets")] } },
    { name: "a display name", fields: { displayName: "Writer" } },
    { name: "builtin", fields: { builtin: false } },
    { name: "namespaced rules", fields: { namespacedRules: { default: [create.on("", "pods")] } } },
    { name: "inherited roles", fields: { inheritedClusterRoles: ["cluster-owner"] } },
    {
      name: "inherited namespaced rules",
      fields: { inheritedNamespacedRules: { default: [create.on("", "pods")] } },
    },
    {
      name: "fleet workspace permissions",
      fields: { inheritedFleetWorkspacePermissions: { workspaceVerbs: ["*"] } },
    },
  ]) {
    it(`resets ${name}, and keeps what is people's`, () => {
      const changed = asStored(wanted, { ...fields, newUserDefault: true, description: "mine" });

      const { create: made, update, remove } = desiredRoles([wanted], [changed]);

      expect([made, remove]).to.deep.equal([[], []]);
      expect(update).to.deep.equal([{ ...stored, newUserDefault: true, description: "mine" }]);
    });
  }

  it("takes over a role that has the name and puts the label back, beside other labels", () => {
    const theirs = asStored(withMetadata(wanted, { labels: { team: "a" } }));

    const { update } = desiredRoles([wanted], [theirs]);

    expect(update[0]?.metadata.labels).to.deep.equal({
      team: "a",
      [labels.bootstrapping]: "default-globalrole",
    });
  });

  it("removes only what has our label and nobody knows", () => {
    const retired = withMetadata(stored, { name: "catalogs-manage" });
    const custom = withMetadata(stored, { name: "custom", labels: {} });
    const others = withMetadata(stored, { name: "x", labels: { [labels.bootstrapping]: "other" } });
    const leaving = withMetadata(retired, { name: "old", deletionTimestamp: "t" });

    const changes = desiredRoles([wanted], [stored, retired, custom, others, leaving]);

    expect(changes).to.deep.equal({ ...nothing, remove: [retired] });
  });

  it("leaves a built-in role that is being deleted alone, and tells of it", () => {
    const leaving = asStored(withMetadata(wanted, { deletionTimestamp: "t" }), { rules: [] });
    const other = withMetadata(leaving, { name: "custom" });

    expect(desiredRoles([wanted], [leaving])).to.deep.equal(nothing);
    expect(terminating([wanted], [leaving, other])).to.deep.equal([leaving]);
  });
});

describe("default flags", () => {
  const marked = { [bootstrappedAnnotation]: "true" };
  const user = globalRole("user", "User", { rules: [view.on("", "pods")] });
  const owner = projectTemplate("project-owner", "Project Owner", { inherits: ["admin"] });

  it("are set where a role is made", () => {
    const [made] = desiredRoles([user], []).create;

    expect(made).to.deep.include({ newUserDefault: true });
    expect(made?.metadata.annotations).to.deep.equal(marked);
  });

  it("are set once on a role that is there, in the write that says so", () => {
    const [updated] = desiredRoles([owner], [asStored(owner)]).update;

    expect(updated).to.deep.include({ projectCreatorDefault: true });
    expect(updated?.metadata).to.deep.include({ resourceVersion: "7", annotations: marked });
    expect(desiredRoles([owner], [updated ?? owner])).to.deep.equal(nothing);
  });

  it("that people took away stay away, also when rules are reset", () => {
    const without = asStored(withMetadata(user, { annotations: marked }), {
      newUserDefault: false,
    });

    expect(desiredRoles([user], [without])).to.deep.equal(nothing);
    const [updated] = desiredRoles([user], [{ ...without, rules: [] }]).update;
    expect(updated).to.deep.equal(without);
  });

  it("are of one kind: a RoleTemplate of the name gets none", () => {
    const template = projectTemplate("user", "User", {});

    expect(desiredRoles([template], []).create).to.deep.equal([template]);
  });
});
