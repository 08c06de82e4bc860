import { RoleTemplate, roleTemplateNames } from "@drover/crds";
import { aGlobalRole, aRoleTemplate } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { RunningAdmission } from "../../testing/admission.ts";
import {
  accepted,
  anyVersion,
  aPerson,
  may,
  mayWrite,
  type Person,
  refusal,
} from "../testing/people.ts";
import { roleTemplateValidator } from "./index.ts";

describe("role templates, as the API server accepts them", function () {
  this.timeout(60_000);

  let running: RunningAdmission;
  let reader: Person;
  let escalator: Person;

  before(async () => {
    running = await RunningAdmission.open({ webhooks: [roleTemplateValidator] });
    reader = await aPerson(running, [mayWrite(RoleTemplate), may("get", "nodes")]);
    escalator = await aPerson(running, [
      mayWrite(RoleTemplate),
      mayWrite(RoleTemplate, "escalate"),
    ]);
  });
  after(() => running[Symbol.asyncDispose]());

  const nodes = [may("get", "nodes")];
  const secrets = [may("get", "secrets")];

  it("lets people write what they hold", async () => {
    const template = await accepted(() => reader.client.create(aRoleTemplate({ rules: nodes })));

    const named = await reader.client.patch(template, { merge: { displayName: "Nodes" } });
    await reader.client.delete(named);
  });

  it("refuses what the writer does not hold, and says what that is", async () => {
    const name = uniqueName("rt");
    const template = aRoleTemplate({ metadata: { name }, rules: [...nodes, ...secrets] });

    const { code, message } = await refusal(reader.client.create(template));

    expect(code).to.equal(403);
    expect(message).to.contain(
      `role template ${name} grants what user ${reader.name} does not hold: in the whole local cluster`,
    );
    expect(message).to.contain('Resources:["secrets"]');
  });

  it("refuses to widen a template, or to inherit one that allows more", async () => {
    const wide = await running.own.create(aRoleTemplate({ rules: secrets }));
    const template = await accepted(() => reader.client.create(aRoleTemplate({ rules: nodes })));

    const widened = await refusal(reader.client.patch(template, { merge: { rules: secrets } }));
    const heir = await refusal(
      reader.client.patch(template, { merge: { roleTemplateNames: [wide.metadata.name] } }),
    );

    expect([widened.code, heir.code]).to.deep.equal([403, 403]);
    expect(heir.message).to.contain('Resources:["secrets"]');
  });

  it("lets who has the verb escalate write anything", async () => {
    await accepted(() => escalator.client.create(aRoleTemplate({ rules: secrets })));
  });

  it("takes externalRules from nobody without the verb escalate, even if they hold them", async () => {
    const external = () => aRoleTemplate({ external: true, externalRules: nodes, rules: [] });

    const { code, message } = await refusal(reader.client.create(external()));
    await accepted(() => escalator.client.create(external()));

    expect(code).to.equal(403);
    expect(message).to.contain("externalRules can only be set by who has the verb escalate");
  });

  for (const { name, template, problem } of [
    { name: "builtin", template: { builtin: true }, problem: "builtin must not be true" },
    {
      name: "administrative in a project",
      template: { context: "project", administrative: true },
      problem: "administrative must not be true",
    },
    {
      name: "given to creators of projects in a cluster",
      template: { projectCreatorDefault: true },
      problem: "projectCreatorDefault must not be true",
    },
    {
      name: "with rules of a ClusterRole but not external",
      template: { externalRules: nodes },
      problem: "externalRules must not be set unless external is true",
    },
    {
      name: "with a rule on nothing",
      template: { rules: [{ verbs: ["get"] }] },
      problem: "rules[0].apiGroups is empty",
    },
    {
      name: "that inherits one that does not exist",
      template: { roleTemplateNames: ["nowhere"] },
      problem: "roleTemplateNames cannot be resolved",
    },
    {
      name: "of a ClusterRole that does not exist",
      template: { external: true, rules: [] },
      problem: "does not exist",
    },
  ] as const) {
    it(`refuses one ${name}, whoever writes it`, async () => {
      const { code, message } = await refusal(running.client.create(aRoleTemplate(template)));

      expect(code).to.equal(400);
      expect(message).to.contain(problem);
    });
  }

  for (const { title, suffix, of } of [
    { title: "x-aggregator beside x", suffix: "-aggregator", of: "x" },
    { title: "x-promoted beside x", suffix: "-promoted", of: "x" },
    { title: "x-cluster-mgmt beside x", suffix: "-cluster-mgmt", of: "x" },
    { title: "what a longer name is cut to", suffix: "", of: "x".repeat(60) },
  ]) {
    it(`refuses a name that shares ClusterRoles with another: ${title}`, async () => {
      const wide = aRoleTemplate({ metadata: { name: uniqueName(of) }, rules: secrets });
      const { name } = (await running.own.create(wide)).metadata;
      const rival = { name: `${roleTemplateNames.clusterRole(name)}${suffix}` };

      await accepted(async () => {
        const { code, message } = await refusal(
          reader.client.create(aRoleTemplate({ metadata: rival, rules: nodes }), { dryRun: true }),
        );
        expect(code).to.equal(400);
        expect(message).to.contain(`would share ClusterRoles with role template ${name}`);
      });
      await running.own.delete(wide, { preconditions: "none" });
      await accepted(() =>
        reader.client.create(aRoleTemplate({ metadata: rival, rules: nodes }), { dryRun: true }),
      );
    });
  }

  it("refuses templates that inherit each other in a circle", async () => {
    const first = await running.client.create(aRoleTemplate());
    const second = await running.client.create(
      aRoleTemplate({ roleTemplateNames: [first.metadata.name] }),
    );

    const { code, message } = await refusal(
      running.client.patch(first, { merge: { roleTemplateNames: [second.metadata.name] } }),
    );

    expect(code).to.equal(400);
    expect(message).to.contain(`${first.metadata.name} inherits itself`);
  });

  it("lets a template inherit one that was made a moment ago", async () => {
    for (let round = 0; round < 10; round++) {
      const { metadata } = await running.client.create(aRoleTemplate());
      await running.client.create(aRoleTemplate({ roleTemplateNames: [metadata.name] }));
    }
  });

  it("lets only defaults, the lock and metadata of a builtin template change", async () => {
    const builtin = await running.own.create(aRoleTemplate({ builtin: true }));

    await running.client.patch(builtin, { merge: { locked: true, clusterCreatorDefault: true } });
    const named = await refusal(running.client.patch(builtin, { merge: { displayName: "Mine" } }));
    const freed = await refusal(running.client.patch(builtin, { merge: { builtin: false } }));

    expect([named.code, freed.code]).to.deep.equal([400, 400]);
    expect(named.message).to.contain("displayName of a builtin role template cannot be changed");
    expect(freed.message).to.contain("builtin is immutable");
  });

  it("lets labels and finalizers of templates change that are older than the rules", async () => {
    const old = await running.own.create(
      aRoleTemplate({
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

    expect(await running.own.find(RoleTemplate, old.metadata.name)).to.equal(undefined);
  });

  it("keeps a template that another template or a global role inherits, until those are gone", async () => {
    const parent = await running.client.create(aRoleTemplate());
    const { name } = parent.metadata;
    const child = await running.client.create(aRoleTemplate({ roleTemplateNames: [name] }));
    const role = await running.own.create(aGlobalRole({ inheritedClusterRoles: [name] }));
    const remove = () => running.client.delete(parent, { dryRun: true });
    const refused = async (heir: string) =>
      accepted(async () => {
        const { code, message } = await refusal(remove());
        expect(code).to.equal(400);
        expect(message).to.contain(`role template ${name} cannot be deleted: ${heir} inherits it`);
      });

    await refused(`RoleTemplate ${child.metadata.name}`);
    await running.client.delete(child);
    await refused(`GlobalRole ${role.metadata.name}`);
    await running.own.delete(role);

    await remove();
  });

  it("lets nobody widen a template that a finalizer keeps from going", async () => {
    const held = await accepted(() =>
      reader.client.create(
        aRoleTemplate({ metadata: { finalizers: ["drover.test/hold"] }, rules: nodes }),
      ),
    );
    const reference = anyVersion(held);
    await reader.client.delete(reference);

    for (const merge of [{ rules: secrets }, { external: true, externalRules: [] }]) {
      const { code } = await refusal(reader.client.patch(reference, { merge }));
      expect(code).to.equal(403);
    }
    await reader.client.patch(reference, { merge: { metadata: { finalizers: null } } });
  });

  for (const name of ["", "..", "../secrets", "a%2Fb", "a b"]) {
    it(`says that it cannot inherit "${name}"`, async () => {
      const template = aRoleTemplate({ roleTemplateNames: [name] });

      const { code, message } = await refusal(running.client.create(template));

      expect(code).to.equal(400);
      expect(message).to.match(/roleTemplateNames cannot be resolved: .* which does not exist/);
    });
  }

  it("judges a dry run the same, and stores nothing", async () => {
    const good = aRoleTemplate();

    await running.client.create(good, { dryRun: true });
    const bad = await refusal(
      running.client.create(aRoleTemplate({ builtin: true }), { dryRun: true }),
    );

    expect(bad.code).to.equal(400);
    expect(await running.own.find(RoleTemplate, good.metadata.name)).to.equal(undefined);
  });
});
