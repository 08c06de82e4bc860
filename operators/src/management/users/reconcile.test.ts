import { type GlobalRoleBinding, User } from "@drover/crds";
import { aGlobalRole, aGlobalRoleBinding, aUser } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { ensureUser } from "@drover/platform";
import { expect } from "chai";
import { type Client, intercept, refTo } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { RunningConcern } from "../../testing/concern.ts";
import { users } from "./index.ts";
import {
  aRole,
  bindingsOf,
  conditionOf,
  known,
  patient,
  populated,
  prepare,
  quiet,
  rolesFor,
  settled,
} from "./testing/people.ts";

const finalizer = "controller.cattle.io/mgmt-auth-users-controller";

describe("users on an API server", function () {
  this.timeout(60_000);

  before(prepare);

  describe("a new user", () => {
    it("gets a principal, a role to see itself, and the finalizer", async () => {
      await using concern = await RunningConcern.open();
      await concern.run(users());

      const { metadata } = await concern.create(aUser());
      const user = await settled(concern, metadata.name);

      expect(user.principalIds).to.deep.equal([`local://${metadata.name}`]);
      expect(user.metadata.finalizers).to.deep.equal([finalizer]);
      expect(user.metadata.annotations).to.include({
        "lifecycle.cattle.io/create.mgmt-auth-users-controller": "true",
      });
      const role = await concern.client.get(ClusterRole, `${metadata.name}-view`);
      expect(role.rules?.[0]?.resourceNames).to.deep.equal([metadata.name]);
      const binding = await concern.client.get(ClusterRoleBinding, `grb-${metadata.name}-view`);
      expect(binding.roleRef.name).to.equal(`${metadata.name}-view`);
      expect(binding.metadata.ownerReferences?.[0]).to.include({ kind: "User", uid: metadata.uid });
    });

    it("can read itself and no other user", async () => {
      await using concern = await RunningConcern.open();
      await concern.run(users());
      const [one, other] = [await concern.create(aUser()), await concern.create(aUser())];
      await settled(concern, one.metadata.name);
      const as = concern.client.as({ user: one.metadata.name, groups: ["system:authenticated"] });

      const own = await eventually(() => as.get(User, one.metadata.name), patient);
      const thrown: unknown = await as.get(User, other.metadata.name).catch((error) => error);

      expect(own.metadata.uid).to.equal(one.metadata.uid);
      expect(thrown).to.include({ code: 403 });
    });

    it("case 78: made for local://fakeuser gets bindings of exactly the roles of new users, and the condition", async () => {
      await using concern = await RunningConcern.open();
      const wanted = [await aRole(concern), await aRole(concern)];
      await aRole(concern);
      await concern.run(users());
      const principal = `local://${uniqueName("fakeuser")}`;
      const caches = {
        users: { get: () => undefined, byIndex: () => [] },
        globalRoles: { keysByIndex: () => wanted },
      };

      const made = await ensureUser({ client: concern.client, ...caches }, principal, "Fake");
      await concern.client.patch(made, { merge: { metadata: concern.mine(made).metadata } });
      await populated(concern, made.metadata.name);

      const user = await concern.client.get(User, made.metadata.name);
      expect(user.principalIds).to.deep.equal([principal]);
      const bindings = await bindingsOf(concern, made.metadata.name);
      expect(bindings.map(({ globalRoleName }) => globalRoleName).toSorted()).to.deep.equal(
        wanted.toSorted(),
      );
      for (const { metadata } of bindings) expect(metadata.name).to.match(/^grb-/);
    });

    it("gets no second binding when the process dies right after the first", async () => {
      const role = uniqueName("role");
      let killed = 0;
      const dying = (client: Client): Client =>
        intercept(client, {
          beforeWrite: (verb, ref) => {
            if (verb !== "patch" || ref?.kind !== "User" || killed >= 3) return;
            killed += 1;
            throw new Error("killed before the user was written");
          },
        });
      await using concern = await RunningConcern.open({ through: dying });
      await concern.client.create(aGlobalRole({ metadata: { name: role } }));
      await concern.run(users());

      const { metadata } = await concern.create(
        aUser({ metadata: { finalizers: [finalizer], annotations: rolesFor(role) } }),
      );
      await populated(concern, metadata.name);

      expect(killed).to.equal(3);
      expect(await bindingsOf(concern, metadata.name)).to.have.length(1);
    });

    it("keeps a binding that somebody made of the role, and gets no other", async () => {
      await using concern = await RunningConcern.open();
      const role = await aRole(concern);
      const name = uniqueName("user");
      await concern.client.create(aGlobalRoleBinding({ userName: name, globalRoleName: role }));
      await concern.run(users());

      await concern.create(aUser({ metadata: { name, annotations: rolesFor(role) } }));
      await populated(concern, name);

      expect(await bindingsOf(concern, name)).to.have.length(1);
    });

    it("says which role is missing, and gets it when it comes", async () => {
      await using concern = await RunningConcern.open();
      const role = uniqueName("late");
      await concern.run(users());

      const { metadata } = await concern.create(
        aUser({ metadata: { annotations: rolesFor(role) } }),
      );
      const refused = await eventually(async () => {
        const condition = await conditionOf(concern, metadata.name);
        return condition?.status === "False" ? condition : undefined;
      }, patient);
      await concern.client.create(aGlobalRole({ metadata: { name: role } }));
      await populated(concern, metadata.name);

      expect(refused).to.include({
        reason: "GlobalRoleMissing",
        message: `there is no GlobalRole ${role}`,
      });
      expect(await bindingsOf(concern, metadata.name)).to.have.length(1);
    });

    it("does not get back a role that was taken away later", async () => {
      await using concern = await RunningConcern.open();
      const role = await aRole(concern);
      await concern.run(users());
      const { metadata } = await concern.create(
        aUser({ metadata: { annotations: rolesFor(role) } }),
      );
      await populated(concern, metadata.name);
      const [binding] = await bindingsOf(concern, metadata.name);

      await concern.client.delete(binding as GlobalRoleBinding);
      await concern.client.patch(refTo(User, metadata.name), { merge: { description: "touched" } });
      await quiet(concern);

      expect(await bindingsOf(concern, metadata.name)).to.have.length(0);
    });
  });

  describe("the view of itself", () => {
    it("is put back when it is changed, deleted or replaced by another", async () => {
      await using concern = await RunningConcern.open();
      await concern.run(users());
      const { metadata } = await concern.create(aUser());
      const { name } = metadata;
      await settled(concern, name);
      const { client } = concern;
      const [role, binding] = [
        refTo(ClusterRole, `${name}-view`),
        refTo(ClusterRoleBinding, `grb-${name}-view`),
      ];

      await client.patch(role, { merge: { rules: [] } });
      await eventually(
        async () => (await client.get(ClusterRole, `${name}-view`)).rules?.length === 1,
        patient,
      );
      await client.delete(role);
      await eventually(() => client.find(ClusterRole, `${name}-view`), patient);
      await client.delete(binding);
      const imposter = {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: `grb-${name}-view` },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" },
      };
      await client.create(imposter).catch(known);
      const back = await eventually(async () => {
        const found = await client.find(ClusterRoleBinding, `grb-${name}-view`);
        return found?.roleRef.name === `${name}-view` && found.subjects?.length === 1
          ? found
          : undefined;
      }, patient);

      expect(back.subjects?.[0]?.name).to.equal(name);
    });
  });

  it("sends nothing for users that are as they should be", async () => {
    await using concern = await RunningConcern.open();
    const role = await aRole(concern);
    await concern.run(users());
    const names = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const user = aUser({ metadata: { annotations: rolesFor(role) } });
        return (await concern.create(user)).metadata.name;
      }),
    );
    for (const name of names) await populated(concern, name);
    await quiet(concern);
    const before = concern.sent.length;

    for (const name of names) {
      await concern.client.patch(refTo(User, name), { merge: { description: "touched" } });
    }
    await quiet(concern);

    const sent = concern.sent.slice(before).filter(({ verb }) => verb !== "watch");
    expect(sent).to.deep.equal([]);
  });
});
