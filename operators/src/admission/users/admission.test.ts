import { Feature, User } from "@drover/crds";
import {
  aClusterRoleTemplateBinding,
  aGlobalRole,
  aProjectRoleTemplateBinding,
  aRoleTemplate,
  aUser,
  aUserAttribute,
} from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { parseFeatures } from "@drover/platform";
import { expect } from "chai";
import type { Client, KubeObject } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { RunningAdmission } from "../../testing/admission.ts";
import { give } from "../../testing/give.ts";
import { refusal } from "../../testing/refusal.ts";
import { users } from "./index.ts";

const onUsers = { apiGroups: [User.group], resources: [User.plural] };
const writes = { ...onUsers, verbs: ["create", "update", "patch", "delete"] };
/** What nobody has but who is given it here. */
const rare = { verbs: ["get"], apiGroups: ["drover.test"], resources: [uniqueName("rare")] };

describe("admission of users", function () {
  this.timeout(60_000);

  let running: RunningAdmission;
  before(async () => {
    running = await RunningAdmission.open({ webhooks: [users({ features: parseFeatures("") })] });
  });
  after(() => running[Symbol.asyncDispose]());

  const patch = (client: Client, user: User, merge: object): Promise<string> =>
    refusal(client.patch(user, { merge }));
  const remove = (client: Client, user: User, dryRun = false): Promise<string> =>
    refusal(client.delete(user, { dryRun, preconditions: "none" }));
  async function writer(...more: readonly Parameters<typeof give>[2][number][]): Promise<Client> {
    const name = uniqueName("u-ada");
    await give(running.own, name, [writes, ...more]);
    return running.as(name);
  }

  describe("lets annotation creator-role-bindings ask for no more than new users get", () => {
    const asking = (said: object) => ({
      "authz.management.cattle.io/creator-role-bindings": JSON.stringify(said),
    });
    const refused =
      /^403 annotation \S+ names global role \S+, which new users do not get: who has not the verb bind/;

    for (const { title, create } of [
      { title: "one that exists", create: true },
      { title: "one that may come later", create: false },
    ]) {
      it(`refuses ${title}, on new users and on those that are there`, async () => {
        const name = uniqueName("role");
        if (create) await running.own.create(aGlobalRole({ metadata: { name } }));
        const ada = await writer();
        const annotations = asking({ required: [name] });
        const user = await running.own.create(aUser());

        await eventually(async () => {
          const made = await refusal(
            ada.create(aUser({ metadata: { name: uniqueName("u"), annotations } })),
          );
          expect([made, await patch(ada, user, { metadata: { annotations } })].join("\n")).to.match(
            new RegExp(`${refused.source}.*\n${refused.source.slice(1)}`),
          );
          return true;
        });
      });
    }

    it("refuses to have one given again that was taken away", async () => {
      const role = await running.own.create(aGlobalRole());
      const required = [role.metadata.name];
      const annotations = asking({ required, created: required });
      const user = await running.own.create(
        aUser({ metadata: { name: uniqueName("u"), annotations } }),
      );

      const again = { metadata: { annotations: asking({ required, created: [] }) } };

      expect(await patch(await writer(), user, again)).to.match(refused);
    });

    it("takes what new users get, and anything from who may bind it", async () => {
      const [offered, other] = [
        await running.own.create(aGlobalRole({ newUserDefault: true })),
        await running.own.create(aGlobalRole()),
      ];
      const bind = { apiGroups: [User.group], resources: ["globalroles"], verbs: ["bind"] };
      const wanting = ({ metadata }: KubeObject) =>
        aUser({
          metadata: { name: uniqueName("u"), annotations: asking({ required: [metadata.name] }) },
        });

      const plain = await refusal((await writer()).create(wanting(offered), { dryRun: true }));
      const binder = await refusal((await writer(bind)).create(wanting(other), { dryRun: true }));
      await running.own.delete(offered, { preconditions: "none" });

      expect([plain, binder]).to.deep.equal(["accepted", "accepted"]);
    });
  });

  describe("keeps usernames unique", () => {
    it("also when two are made at once", async () => {
      const username = uniqueName("twin");

      const answers = await Promise.all(
        Array.from({ length: 5 }, () => refusal(running.client.create(aUser({ username })))),
      );

      expect(answers.filter((answer) => answer === "accepted")).to.have.length(1);
      for (const answer of answers.filter((each) => each !== "accepted")) {
        expect(answer).to.match(/^400 username is that of user \S+ already; it must be unique$/);
      }
    });

    it("against those that were there before", async () => {
      const old = await running.own.create(aUser());
      const username = old.username ?? "";

      await eventually(async () => {
        const answer = await refusal(running.client.create(aUser({ username }), { dryRun: true }));
        return answer.startsWith("400 ");
      });
    });

    it("and gives free those of users who are gone", async () => {
      const user = await running.client.create(aUser());
      const username = user.username ?? "";
      expect(await remove(running.client, user)).to.equal("accepted");

      expect(await refusal(running.client.create(aUser({ username })))).to.equal("accepted");
    });

    it("and takes none in a dry run", async () => {
      const username = uniqueName("dry");

      await running.client.create(aUser({ username }), { dryRun: true });

      expect(await refusal(running.client.create(aUser({ username })))).to.equal("accepted");
    });

    it("and gives free within seconds those that a failed request had taken", async () => {
      const user = await running.own.create(aUser());
      const username = uniqueName("wanted");
      // Admission comes first; that there is one of this name already is found out when it is stored.
      expect(
        await refusal(
          running.client.create({ ...aUser({ username }), metadata: { name: user.metadata.name } }),
        ),
      ).to.match(/^409 /);

      const answer = (): Promise<string> => refusal(running.client.create(aUser({ username })));
      expect(await answer()).to.match(/^400 username is that of user/);
      await eventually(async () => (await answer()) === "accepted", { within: 10_000 });
    });

    it("when one is given later", async () => {
      const [taken, { username: _, ...bare }] = [await running.client.create(aUser()), aUser()];
      const user = await running.client.create(bare as User);

      expect(await patch(running.client, user, { username: taken.username })).to.match(
        /^400 username is that of user/,
      );
      expect(await patch(running.client, user, { username: uniqueName("late") })).to.equal(
        "accepted",
      );
    });
  });

  it("refuses to change a username or principals", async () => {
    const user = await running.client.create(aUser({ principalIds: ["local://a"] }));

    expect(await patch(running.client, user, { username: "other" })).to.equal(
      "400 username must not be changed",
    );
    expect(
      await patch(running.client, user, { principalIds: ["local://a", "github://1"] }),
    ).to.equal("400 principalIds must not be changed");
    expect(await patch(running.client, user, { displayName: "Ada L." })).to.equal("accepted");
  });

  it("case 76: refuses to let people delete or deactivate themselves", async () => {
    const user = await running.own.create(aUser());
    const { name } = user.metadata;
    const self = running.as(name, ["system:masters"]);
    const deactivate = { enabled: false };

    for (const dryRun of [true, false]) {
      expect(await remove(self, user, dryRun)).to.equal("422 you cannot delete yourself");
    }
    expect(await patch(self, user, deactivate)).to.equal(
      "422 enabled must not become false: you cannot deactivate yourself",
    );
    expect(await patch(self, user, { description: "me" })).to.equal("accepted");
    expect(await patch(running.client, user, deactivate)).to.equal("accepted");
    expect(await remove(running.client, user)).to.equal("accepted");
  });

  describe("asks who changes somebody for at least their rights", () => {
    const lacks = (name: string): RegExp =>
      new RegExp(
        `^403 user ${name} has more rights than you in the whole local cluster: .*drover.test`,
      );

    async function strongUser(): Promise<User> {
      const user = await running.own.create(aUser());
      await give(running.own, user.metadata.name, [rare]);
      return user;
    }

    it("or for verb manage-users", async () => {
      const user = await strongUser();
      const weak = await writer();
      const equal = await writer(rare);
      const manager = await writer({ ...onUsers, verbs: ["manage-users"] });

      await eventually(async () =>
        lacks(user.metadata.name).test(await patch(weak, user, { description: "x" })),
      );
      expect(await remove(weak, user)).to.match(lacks(user.metadata.name));
      await eventually(async () => (await patch(equal, user, { description: "x" })) === "accepted");
      expect(await patch(manager, user, { enabled: false })).to.equal("accepted");
      expect(await remove(manager, user)).to.equal("accepted");
    });

    it("also in single clusters and projects", async () => {
      const namespace = uniqueName("c");
      const metadata = { name: namespace };
      await running.own.create({ apiVersion: "v1", kind: "Namespace", metadata });
      const { metadata: owner } = await running.own.create(aRoleTemplate({ rules: [rare] }));
      const [member, mate] = [await running.own.create(aUser()), await running.own.create(aUser())];
      const bind = { roleTemplateName: owner.name };
      await running.own.create(
        aClusterRoleTemplateBinding({
          ...bind,
          metadata: { namespace },
          userName: member.metadata.name,
          clusterName: namespace,
        }),
      );
      await running.own.create(
        aProjectRoleTemplateBinding({
          ...bind,
          metadata: { namespace },
          userName: mate.metadata.name,
          projectName: `${namespace}:p-x`,
        }),
      );
      const weak = await writer();

      for (const [user, where] of [
        [member, `cluster ${namespace}`],
        [mate, `project ${namespace}:p-x`],
      ] as const) {
        const told = `403 user ${user.metadata.name} has more rights than you in ${where}: `;
        await eventually(async () => (await remove(weak, user, true)).startsWith(told));
      }
      const equal = await writer(rare);
      await eventually(async () => (await remove(equal, member, true)) === "accepted");
    });

    it("which groups have too", async () => {
      const group = uniqueName("openldap_group://g");
      const user = await running.own.create(aUser());
      const { name } = user.metadata;
      const Items = [{ metadata: { name: group } }];
      await running.own.create(
        aUserAttribute({ metadata: { name }, GroupPrincipals: { openldap: { Items } } }),
      );
      const weak = await writer();
      expect(await patch(weak, user, { description: "x" })).to.equal("accepted");

      await give(running.own, group, [rare], undefined, "Group");

      await eventually(async () => lacks(name).test(await patch(weak, user, { description: "y" })));
    });

    it("and for none to make somebody, or to change those without any", async () => {
      const weak = await writer();

      const user = await weak.create(aUser());

      expect(await patch(weak, user, { description: "x" })).to.equal("accepted");
      expect(await remove(weak, user)).to.equal("accepted");
    });
  });

  it("refuses new local users while they are hidden", async () => {
    await using hidden = await RunningAdmission.open({
      webhooks: [users({ features: parseFeatures("hide-local-auth-provider=true") })],
    });
    expect(await running.own.find(Feature, "hide-local-auth-provider")).to.equal(undefined);
    const { username: _, ...external } = aUser({ principalIds: ["github_user://1"] });

    expect(await refusal(hidden.client.create(aUser()))).to.equal(
      "403 username must not be set while feature hide-local-auth-provider is on",
    );
    expect(await refusal(hidden.client.create(external as User))).to.equal("accepted");
  });

  it("judges nothing in a user who is being deleted", async () => {
    const user = await running.own.create(aUser({ metadata: { finalizers: ["drover.test/x"] } }));
    await running.client.delete(user);

    const merge = { metadata: { finalizers: null }, username: "other" };
    expect(await patch(running.client, user, merge)).to.equal("accepted");
  });
});
