import { GlobalRole, globalRoleNames } from "@drover/crds";
import { aGlobalRole, aGlobalRoleBinding, aRoleTemplate } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { RunningAdmission } from "../../testing/admission.ts";
import { give } from "../../testing/give.ts";
import {
  accepted,
  anyVersion,
  aPerson,
  may,
  mayWrite,
  type Person,
  refusal,
} from "../testing/people.ts";
import { globalRoleValidator } from "./index.ts";

describe("global roles, as the API server accepts them", function () {
  this.timeout(60_000);

  const pods = [may("get", "pods")];
  const secrets = [may("get", "secrets")];
  let running: RunningAdmission;
  let reader: Person;

  before(async () => {
    running = await RunningAdmission.open({ webhooks: [globalRoleValidator] });
    reader = await aPerson(running, [mayWrite(GlobalRole), ...pods]);
  });
  after(() => running[Symbol.asyncDispose]());

  it("lets people write what they hold, everywhere and in any namespace", async () => {
    const role = aGlobalRole({ rules: pods, namespacedRules: { [uniqueName("ns")]: pods } });

    const made = await accepted(() => reader.client.create(role));

    await reader.client.patch(made, { merge: { displayName: "Pods" } });
  });

  it("refuses the name that a longer one is cut to, whose ClusterRole it would hand out", async () => {
    const wide = { metadata: { name: uniqueName("x".repeat(60)) }, rules: secrets };
    const { metadata } = await running.own.create(aGlobalRole(wide));
    const name = globalRoleNames.clusterRole(metadata.name).slice("cattle-globalrole-".length);
    const create = () => reader.client.create(aGlobalRole({ metadata: { name }, rules: pods }));

    await accepted(async () => {
      const { code, message } = await refusal(create());
      expect(code).to.equal(400);
      expect(message).to.contain(`would share ClusterRoles with global role ${metadata.name}`);
    });
  });

  for (const { field, where, role } of [
    { field: "rules", where: "in the whole local cluster", role: { rules: secrets } },
    {
      field: "namespacedRules",
      where: "in namespace vault",
      role: { rules: [], namespacedRules: { vault: secrets } },
    },
    {
      field: "inheritedNamespacedRules",
      where: "in namespace vault of every managed cluster",
      role: { rules: [], inheritedNamespacedRules: { vault: pods } },
    },
    {
      field: "inheritedFleetWorkspacePermissions.resourceRules",
      where: "in every fleet workspace",
      role: { rules: [], inheritedFleetWorkspacePermissions: { resourceRules: secrets } },
    },
    {
      field: "inheritedFleetWorkspacePermissions.workspaceVerbs",
      where: "on every fleet workspace",
      role: { rules: [], inheritedFleetWorkspacePermissions: { workspaceVerbs: ["get"] } },
    },
  ]) {
    it(`refuses ${field} that the writer does not hold, unless they have the verb escalate on the role`, async () => {
      const name = uniqueName("gr");
      const writer = await aPerson(running, [mayWrite(GlobalRole)]);
      const wanted = () => aGlobalRole({ ...role, metadata: { name } });

      const { code, message } = await refusal(reader.client.create(wanted()));
      await give(running.own, writer.name, [
        { ...mayWrite(GlobalRole, "escalate"), resourceNames: [name] },
      ]);
      await accepted(() => writer.client.create(wanted()));

      expect(code).to.equal(403);
      expect(message).to.contain(
        `global role ${name} grants what user ${reader.name} does not hold`,
      );
      expect(message).to.contain(where);
    });
  }

  it("refuses inheritedClusterRoles that the writer's own global roles do not bring along", async () => {
    const template = await running.own.create(aRoleTemplate({ rules: pods }));
    const inheriting = () =>
      aGlobalRole({ rules: [], inheritedClusterRoles: [template.metadata.name] });

    const { code, message } = await refusal(reader.client.create(inheriting()));
    const role = await running.own.create(inheriting());
    await running.own.create(
      aGlobalRoleBinding({ userName: reader.name, globalRoleName: role.metadata.name }),
    );
    await accepted(() => reader.client.create(inheriting()));

    expect(code).to.equal(403);
    expect(message).to.contain("in every managed cluster");
  });

  for (const { name, role, problem } of [
    {
      name: "inherits a template that does not exist",
      role: { inheritedClusterRoles: ["nowhere"] },
      problem: "inheritedClusterRoles names role template nowhere, which does not exist",
    },
    {
      name: "has a rule without resources",
      role: { rules: [{ verbs: ["get"], apiGroups: [""] }] },
      problem: "rules[0].resources is empty",
    },
    {
      name: "allows URLs in a namespace",
      role: { namespacedRules: { ns: [{ verbs: ["get"], nonResourceURLs: ["/healthz"] }] } },
      problem: "namespacedRules[ns][0].nonResourceURLs is set",
    },
    {
      name: "has an empty list of verbs on workspaces",
      role: { inheritedFleetWorkspacePermissions: { workspaceVerbs: [] } },
      problem: "inheritedFleetWorkspacePermissions.workspaceVerbs is empty",
    },
  ]) {
    it(`refuses one that ${name}`, async () => {
      const { code, message } = await refusal(running.client.create(aGlobalRole(role)));

      expect(code).to.equal(400);
      expect(message).to.contain(problem);
    });
  }

  for (const { name, template, problem } of [
    { name: "of context project", template: { context: "project" }, problem: "of context cluster" },
    { name: "that is locked", template: { locked: true }, problem: "that are not locked" },
  ] as const) {
    it(`refuses to inherit a template ${name}, and keeps what was inherited before`, async () => {
      const { metadata } = await running.own.create(aRoleTemplate(template));
      const role = aGlobalRole({ inheritedClusterRoles: [metadata.name] });

      const { code, message } = await refusal(running.client.create(role));
      const old = await running.own.create(role);
      await running.client.patch(old, { merge: { newUserDefault: true } });

      expect(code).to.equal(400);
      expect(message).to.contain(`inheritedClusterRoles must name role templates ${problem}`);
    });
  }

  it("lets a role inherit a template that was made a moment ago", async () => {
    for (let round = 0; round < 10; round++) {
      const { metadata } = await running.own.create(aRoleTemplate());
      await running.client.create(aGlobalRole({ inheritedClusterRoles: [metadata.name] }));
    }
  });

  it("case 71: lets only newUserDefault of a builtin role change, refuses its deletion with 403 and new builtin ones", async () => {
    const builtin = await running.own.create(aGlobalRole({ builtin: true }));
    const changes = [{ displayName: "Mine" }, { description: "mine" }, { rules: secrets }];

    await running.client.patch(builtin, { merge: { newUserDefault: true } });
    const changed = await Promise.all(
      changes.map((merge) => refusal(running.client.patch(anyVersion(builtin), { merge }))),
    );
    const deleted = await refusal(running.client.delete(anyVersion(builtin)));
    const created = await refusal(running.client.create(aGlobalRole({ builtin: true })));

    expect(changed.map(({ code }) => code)).to.deep.equal([400, 400, 400]);
    expect(changed[0]?.message).to.contain(
      "displayName of a builtin global role cannot be changed",
    );
    expect(deleted.code).to.equal(403);
    expect(deleted.message).to.contain("cannot delete builtin global roles");
    expect(created.code).to.equal(400);
    expect(created.message).to.contain("builtin must not be true");
  });

  it("does not let a role become builtin, nor cease to be", async () => {
    const role = await running.client.create(aGlobalRole());

    const { code, message } = await refusal(
      running.client.patch(role, { merge: { builtin: true } }),
    );

    expect(code).to.equal(400);
    expect(message).to.contain("builtin is immutable");
  });

  it("lets labels and finalizers change, and deletes, what is older than the rules", async () => {
    const old = await running.own.create(
      aGlobalRole({
        metadata: { finalizers: ["drover.test/hold"] },
        rules: [{ verbs: ["get"] }, ...secrets],
      }),
    );
    const reference = anyVersion(old);

    await accepted(() =>
      reader.client.patch(reference, { merge: { metadata: { labels: { a: "b" } } } }),
    );
    await reader.client.delete(reference);
    await reader.client.patch(reference, { merge: { metadata: { finalizers: null } } });

    expect(await running.own.find(GlobalRole, old.metadata.name)).to.equal(undefined);
  });

  it("lets nobody widen a role that a finalizer keeps from going", async () => {
    const held = await running.own.create(
      aGlobalRole({ metadata: { finalizers: ["drover.test/hold"] } }),
    );
    const reference = anyVersion(held);
    await running.own.delete(reference);
    const wider = [
      { rules: secrets },
      { namespacedRules: { default: secrets } },
      { inheritedNamespacedRules: { default: secrets } },
      { inheritedFleetWorkspacePermissions: { resourceRules: secrets } },
    ];

    for (const merge of wider) {
      const { code } = await refusal(reader.client.patch(reference, { merge }));
      expect(code).to.equal(403);
    }
    await reader.client.patch(reference, { merge: { metadata: { finalizers: null } } });
  });

  it("says that it cannot inherit what nothing can be called", async () => {
    for (const name of ["", "../secrets"]) {
      const role = aGlobalRole({ inheritedClusterRoles: [name] });

      const { code, message } = await refusal(running.client.create(role));

      expect(code).to.equal(400);
      expect(message).to.contain(`names role template ${name}, which does not exist`);
    }
  });

  it("judges a dry run the same, and stores nothing", async () => {
    const good = aGlobalRole();

    await running.client.create(good, { dryRun: true });
    const bad = await refusal(
      running.client.create(aGlobalRole({ builtin: true }), { dryRun: true }),
    );

    expect(bad.code).to.equal(400);
    expect(await running.own.find(GlobalRole, good.metadata.name)).to.equal(undefined);
  });
});
