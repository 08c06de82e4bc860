import { type GlobalRole, GlobalRole as GlobalRoleKind, systemNamespace, User } from "@drover/crds";
import { aUser } from "@drover/crds/testing";
import { passwordNamespace } from "@drover/platform";
import { expect } from "chai";
import { refTo } from "kopf-ts";
import { ConfigMap, Secret } from "kopf-ts/kinds";
import { adminLabel, guardName, secretName } from "./names.ts";
import { AdminCluster, type Ran } from "./testing/admins.ts";

const given = { env: { CATTLE_BOOTSTRAP_PASSWORD: "correct horse" } };
const allWrites = ["Secret", "User", "Secret", "GlobalRoleBinding", "ConfigMap"].map(
  (kind) => `create ${kind}`,
);

describe("bootstrapAdmin on an API server", function () {
  this.timeout(60_000);

  let cluster: AdminCluster;

  before(async () => {
    cluster = await AdminCluster.open();
  });

  beforeEach(() => cluster.reset());

  after(() => cluster?.[Symbol.asyncDispose]());

  /** The name of the only user, after a look at all that makes it an admin. */
  async function theAdmin(): Promise<string> {
    const { users, bindings, clusterBindings, guarded } = await cluster.found();
    expect(users).to.have.length(1);
    expect(bindings).to.have.length(1);
    expect(clusterBindings).to.have.length(0);
    expect(guarded).to.equal(true);
    const [name = ""] = users.map(({ metadata }) => metadata.name);
    expect(bindings[0]).to.deep.include({ userName: name, globalRoleName: "admin" });
    return name;
  }

  it("makes user, password, binding and guard, with the password of the environment", async () => {
    const { writes, announced } = await cluster.bootstrap(given);

    const name = await theAdmin();
    const { users, bindings } = await cluster.found();
    expect(writes).to.deep.equal(allWrites);
    expect(announced).to.deep.equal([]);
    expect(users[0]).to.deep.include({
      username: "admin",
      displayName: "Default Admin",
      mustChangePassword: false,
    });
    expect(name).to.match(/^user-[a-z0-9]{5}$/);
    expect(users[0]?.metadata.labels).to.deep.equal(adminLabel);
    expect(bindings[0]?.metadata.name).to.match(/^globalrolebinding-[a-z0-9]{5}$/);
    expect(bindings[0]?.metadata.labels).to.deep.equal(adminLabel);
    expect(await cluster.bootstrapPassword()).to.equal("correct horse");
    expect(await cluster.accepts(name, "correct horse")).to.equal(true);
  });

  it("lets the binding go with its GlobalRole, and the password with the user", async () => {
    await cluster.bootstrap(given);
    const name = await theAdmin();

    const { users, bindings } = await cluster.found();
    const role: GlobalRole = await cluster.client.get(GlobalRoleKind, "admin");
    expect(
      bindings[0]?.metadata.ownerReferences?.map(({ kind, uid }) => [kind, uid]),
    ).to.deep.equal([["GlobalRole", role.metadata.uid]]);
    const at = { name, namespace: passwordNamespace };
    const { metadata } = await cluster.client.get(Secret, name, at);
    expect(metadata.ownerReferences?.map(({ kind, uid }) => [kind, uid])).to.deep.equal([
      ["User", users[0]?.metadata.uid],
    ]);
  });

  it("makes up a password, announces it once, and has it changed at the first login", async () => {
    const { announced } = await cluster.bootstrap();
    const again = await cluster.bootstrap();

    const name = await theAdmin();
    const [password = ""] = announced;
    expect(announced).to.have.length(1);
    expect(password.length).to.be.at.least(20);
    expect(await cluster.bootstrapPassword()).to.equal(password);
    expect(await cluster.accepts(name, password)).to.equal(true);
    expect((await cluster.found()).users[0]?.mustChangePassword).to.equal(true);
    expect(again).to.deep.include({ writes: [], announced: [] });
  });

  for (const { name, env, stored, expected } of [
    { name: "one of the environment is kept", env: "secret pass", expected: false },
    { name: "`admin` must be changed", env: "admin", expected: true },
    { name: "an empty one is made up", env: "", expected: true },
    { name: "one of the Secret is kept", stored: "from the chart", env: "other", expected: false },
    { name: "an empty one of the Secret is made up", stored: "", expected: true },
  ]) {
    it(`takes the first password: ${name}`, async () => {
      if (stored !== undefined) await storeBootstrapPassword({ bootstrapPassword: stored });

      await cluster.bootstrap({ env: { CATTLE_BOOTSTRAP_PASSWORD: env } });

      const user = await theAdmin();
      const password = (await cluster.bootstrapPassword()) ?? "";
      expect((await cluster.found()).users[0]?.mustChangePassword).to.equal(expected);
      expect(password).not.to.equal("");
      if (stored || env) expect(password).to.equal(stored || env);
      expect(await cluster.accepts(user, password)).to.equal(true);
    });
  }

  it("keeps what else the bootstrap Secret holds", async () => {
    await storeBootstrapPassword({ other: "kept" });

    await cluster.bootstrap(given);

    const secret = await cluster.client.get(Secret, secretName, { namespace: systemNamespace });
    expect(Object.keys(secret.data ?? {})).to.have.members(["other", "bootstrapPassword"]);
  });

  async function storeBootstrapPassword(stringData: Readonly<Record<string, string>>) {
    const metadata = { name: secretName, namespace: systemNamespace };
    const secret: Secret = { apiVersion: "v1", kind: "Secret", metadata, stringData };
    await cluster.client.create(secret);
  }

  it("does nothing while no-default-admin is true, and makes the admin when it no longer is", async () => {
    const none = await cluster.bootstrap({
      settings: { boolean: (name) => name === "no-default-admin" },
    });
    expect(none.writes).to.deep.equal([]);

    await cluster.bootstrap(given);
    await theAdmin();
  });

  it("only leaves the guard where there are users", async () => {
    await cluster.client.create(aUser());

    const { writes, announced } = await cluster.bootstrap(given);

    expect(writes).to.deep.equal(["create ConfigMap"]);
    expect(announced).to.deep.equal([]);
    expect(await cluster.bootstrapPassword()).to.equal(undefined);
  });

  it("never brings a deleted admin back, whatever else was deleted", async () => {
    await cluster.bootstrap(given);
    await cluster.client.delete(refTo(User, await theAdmin()));
    await cluster.client.delete(refTo(Secret, secretName, systemNamespace));

    expect((await cluster.bootstrap(given)).writes).to.deep.equal([]);

    await cluster.client.create(aUser());
    await cluster.client.delete(refTo(ConfigMap, guardName, systemNamespace));
    expect((await cluster.bootstrap(given)).writes).to.deep.equal(["create ConfigMap"]);
  });

  it("keeps a password that was changed before the guard was written", async () => {
    await cluster.bootstrap({ ...given, hooks: killedBefore(4) });
    const [user] = (await cluster.found()).users;
    const at = { name: user?.metadata.name ?? "", namespace: passwordNamespace };
    const secret = await cluster.client.get(Secret, at.name, at);
    const changed = { ...secret.data, salt: Buffer.alloc(32).toString("base64") };
    await cluster.client.update({ ...secret, data: changed });

    await cluster.bootstrap(given);

    await theAdmin();
    expect((await cluster.client.get(Secret, at.name, at)).data).to.deep.equal(changed);
  });

  it("waits for an admin that is being deleted before the guard was written", async () => {
    await cluster.bootstrap({ ...given, hooks: killedBefore(4) });
    const [user] = (await cluster.found()).users;
    const ref = refTo(User, user?.metadata.name ?? "");
    await cluster.client.patch(ref, { merge: { metadata: { finalizers: ["test.example/hold"] } } });
    await cluster.client.delete(ref);

    const { error, writes } = await cluster.bootstrap(given);
    expect(error).to.have.property("name", "TemporaryError");
    expect(writes).to.deep.equal([]);

    await cluster.client.patch(ref, { merge: { metadata: { finalizers: null } } });
    await cluster.bootstrap(given);
    expect(await cluster.accepts(await theAdmin(), "correct horse")).to.equal(true);
  });

  describe("without a GlobalRole to bind", () => {
    beforeEach(() => cluster.client.deleteCollection(GlobalRoleKind));

    it("fails while it manages clusters, and completes once the role is there", async () => {
      const { error } = await cluster.bootstrap(given);
      expect(error).to.have.property("code", 404);
      expect((await cluster.found()).guarded).to.equal(false);

      const role = { apiVersion: "management.cattle.io/v3", kind: "GlobalRole" };
      await cluster.client.create({ ...role, metadata: { name: "admin" } });
      await cluster.bootstrap(given);
      await theAdmin();
    });

    it("makes an admin of this cluster where none are managed", async () => {
      const alone = { ...given, features: () => false };
      await cluster.bootstrap({ ...alone, hooks: killedBefore(4) });
      await cluster.bootstrap(alone);

      const { users, bindings, clusterBindings, guarded } = await cluster.found();
      expect([users.length, bindings.length, guarded]).to.deep.equal([1, 0, true]);
      expect(clusterBindings).to.have.length(1);
      expect(clusterBindings[0]?.metadata.name).to.match(/^default-admin-[a-z0-9]{5}$/);
      expect(clusterBindings[0]?.roleRef.name).to.equal("cluster-admin");
      expect(clusterBindings[0]?.subjects?.map(({ kind, name }) => [kind, name])).to.deep.equal([
        ["User", users[0]?.metadata.name],
      ]);
    });
  });

  for (const [cut, write] of allWrites.entries()) {
    it(`completes after an end before ${write} (write ${cut + 1})`, async () => {
      const first = await cluster.bootstrap({ hooks: killedBefore(cut) });
      expect(first.writes).to.deep.equal(allWrites.slice(0, cut));

      await expectCompletion(first);
    });

    it(`completes after an end before the answer to ${write} (write ${cut + 1})`, async () => {
      const first = await cluster.bootstrap({ hooks: killedAfter(cut) });
      expect(first.writes).to.deep.equal(allWrites.slice(0, cut + 1));

      await expectCompletion(first);
    });
  }

  /** One admin, whom the announced password lets in, and not a word of it anywhere else. */
  async function expectCompletion(first: Ran): Promise<void> {
    expect(first.error).to.have.property("message", "killed");

    const second = await cluster.bootstrap();
    const third = await cluster.bootstrap();

    const password = (await cluster.bootstrapPassword()) ?? "";
    const name = await theAdmin();
    expect(await cluster.accepts(name, password)).to.equal(true);
    expect((await cluster.found()).users[0]?.mustChangePassword).to.equal(true);
    const announced = [...first.announced, ...second.announced];
    expect(announced.length).to.be.within(1, 2);
    expect(new Set(announced)).to.deep.equal(new Set([password]));
    expect(third).to.deep.include({ writes: [], announced: [] });
    expect(`${first.said}${second.said}${third.said}`).not.to.contain(password);
  }

  it("makes one admin when the write of a killed process arrives after the next one's look", async () => {
    let late = false;
    const other = await cluster.bootstrap({
      hooks: {
        beforeWrite: async (_, ref) => {
          if (late || ref?.kind !== "User") return;
          late = true;
          await cluster.bootstrap({ hooks: killedAfter(1) });
        },
      },
    });

    expect(other.error).to.equal(undefined);
    expect(await cluster.accepts(await theAdmin(), other.announced[0] ?? "")).to.equal(true);
  });

  it("says whom it made and where the password is, and never the password", async () => {
    const { said, announced } = await cluster.bootstrap();

    expect(said)
      .to.contain(await theAdmin())
      .and.contain("cattle-system/bootstrap-secret");
    expect(said).not.to.contain(announced[0]);
  });
});

/** Ends the process in place of write number `cut`, counted from 0. */
function killedBefore(cut: number) {
  let writes = 0;
  return {
    beforeWrite: () => {
      if (writes++ === cut) throw new Error("killed");
    },
  };
}

/** Ends the process before it learns of the answer to that write. */
function killedAfter(cut: number) {
  let writes = 0;
  return {
    afterWrite: () => {
      if (writes++ === cut) throw new Error("killed");
    },
  };
}
