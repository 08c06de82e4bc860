import { GlobalRole, GlobalRoleBinding } from "@drover/crds";
import { aGlobalRole, aGlobalRoleBinding, aRoleTemplate } from "@drover/crds/testing";
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
import { globalRoleBindingMutator, globalRoleBindingValidator } from "./index.ts";

describe("global role bindings, as the API server accepts them", function () {
  this.timeout(60_000);

  const pods = [may("get", "pods")];
  const secrets = [may("get", "secrets")];
  let running: RunningAdmission;
  let reader: Person;
  let readsPods: GlobalRole;

  before(async () => {
    running = await RunningAdmission.open({
      webhooks: [globalRoleBindingValidator, globalRoleBindingMutator],
    });
    reader = await aPerson(running, [mayWrite(GlobalRoleBinding), ...pods]);
    readsPods = await running.own.create(aGlobalRole({ rules: pods }));
  });
  after(() => running[Symbol.asyncDispose]());

  const to = (role: GlobalRole) => aGlobalRoleBinding({ globalRoleName: role.metadata.name });

  it("lets people hand out what they hold, and makes the binding a dependent of its role", async () => {
    const role = await running.own.create(aGlobalRole({ rules: pods }));

    const binding = await accepted(() => reader.client.create(to(role)));

    expect(binding.metadata.ownerReferences).to.deep.equal([
      {
        apiVersion: "management.cattle.io/v3",
        kind: "GlobalRole",
        name: role.metadata.name,
        uid: role.metadata.uid,
      },
    ]);
  });

  it("refuses what the maker does not hold, unless they have the verb bind on the role", async () => {
    const role = await running.own.create(aGlobalRole({ rules: [...pods, ...secrets] }));
    const binder = await aPerson(running, [mayWrite(GlobalRoleBinding)]);

    const { code, message } = await refusal(reader.client.create(to(role)));
    await give(running.own, binder.name, [
      { ...mayWrite(GlobalRole, "bind"), resourceNames: [role.metadata.name] },
    ]);
    await accepted(() => binder.client.create(to(role)));

    expect(code).to.equal(403);
    expect(message).to.contain(
      `globalRoleName ${role.metadata.name} grants what user ${reader.name} does not hold`,
    );
    expect(message).to.contain('Resources:["secrets"]');
  });

  it("counts what the role inherits in managed clusters", async () => {
    const template = await running.own.create(aRoleTemplate({ rules: pods }));
    const role = await running.own.create(
      aGlobalRole({ rules: [], inheritedClusterRoles: [template.metadata.name] }),
    );

    const { code, message } = await refusal(reader.client.create(to(role)));

    expect(code).to.equal(403);
    expect(message).to.contain("in every managed cluster");
  });

  it("case 73: refuses a binding to a role that does not exist with 404", async () => {
    const { code, message } = await refusal(
      running.client.create(aGlobalRoleBinding({ globalRoleName: "nowhere" })),
    );

    expect(code).to.equal(404);
    expect(message).to.contain("globalRoleName names global role nowhere, which does not exist");
  });

  for (const { name, subject, found } of [
    {
      name: "a user and a group",
      subject: { groupPrincipalName: "github_team://1" },
      found: "it names more than one of them",
    },
    { name: "nobody", subject: { userName: "" }, found: "it names nobody" },
  ]) {
    it(`case 73: refuses a binding that names ${name} with 422`, async () => {
      const binding = { ...to(readsPods), ...subject };

      const { code, message } = await refusal(running.client.create(binding));

      expect(code).to.equal(422);
      expect(message).to.contain(
        `binding must target a user [userName]/[userPrincipalName] OR a group [groupPrincipalName]: ${found}`,
      );
    });
  }

  it("takes a user's name and principal together", async () => {
    await running.client.create({ ...to(readsPods), userPrincipalName: "local://user-abcde" });
  });

  it("refuses a role that inherits a locked or a missing template", async () => {
    const locked = await running.own.create(aRoleTemplate({ locked: true }));
    const roles = await Promise.all(
      [locked.metadata.name, "nowhere"].map((name) =>
        running.own.create(aGlobalRole({ inheritedClusterRoles: [name] })),
      ),
    );

    const refusals = await Promise.all(
      roles.map((role) => refusal(running.client.create(to(role)))),
    );

    expect(refusals.map(({ code }) => code)).to.deep.equal([400, 400]);
    expect(refusals[0]?.message).to.contain("which is locked");
    expect(refusals[1]?.message).to.contain("role template nowhere, which does not exist");
  });

  it("refuses any change of subject or role, also to fill one in", async () => {
    const binding = await running.client.create(to(readsPods));
    const changes = {
      userName: "user-other",
      userPrincipalName: "local://user-abcde",
      groupPrincipalName: "github_team://1",
      globalRoleName: "admin",
    };

    for (const [field, value] of Object.entries(changes)) {
      const { code, message } = await refusal(
        running.client.patch(binding, { merge: { [field]: value } }),
      );
      expect(code, field).to.equal(400);
      expect(message).to.contain(`${field} is immutable`);
    }
    await running.client.patch(binding, { merge: { metadata: { labels: { a: "b" } } } });
  });

  it("finds a role that was made a moment ago", async () => {
    for (let round = 0; round < 10; round++) {
      const role = await running.own.create(aGlobalRole());
      const { metadata } = await running.client.create(to(role));
      expect(metadata.ownerReferences).to.have.length(1);
    }
  });

  it("lets finalizers go from what is being deleted, whatever it says", async () => {
    const hold = { finalizers: ["drover.test/hold"] };
    const old = await running.own.create(
      aGlobalRoleBinding({ metadata: hold, userName: "", globalRoleName: "nowhere" }),
    );
    await running.client.delete(old);

    await running.client.patch(anyVersion(old), { merge: { metadata: { finalizers: null } } });

    expect(await running.own.find(GlobalRoleBinding, old.metadata.name)).to.equal(undefined);
  });

  it("judges a dry run the same, and stores nothing", async () => {
    const good = to(readsPods);

    const answer = await running.client.create(good, { dryRun: true });
    const bad = await refusal(
      running.client.create(aGlobalRoleBinding({ globalRoleName: "nowhere" }), { dryRun: true }),
    );

    expect(answer.metadata.ownerReferences).to.have.length(1);
    expect(bad.code).to.equal(404);
    expect(await running.own.find(GlobalRoleBinding, good.metadata.name)).to.equal(undefined);
  });
});
