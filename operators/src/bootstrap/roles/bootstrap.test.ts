import { GlobalRole, installCrds, labels, RoleTemplate } from "@drover/crds";
import { type ControlPlane, startControlPlane } from "@drover/env";
import { expect } from "chai";
import {
  type Client,
  connect,
  intercept,
  loadConfig,
  refTo,
  silentLogger,
  systemClock,
  type TaskContext,
  TemporaryError,
} from "kopf-ts";
import { bootstrapRoles } from "./bootstrap.ts";
import { rule } from "./data/rule.ts";
import { bootstrappedAnnotation } from "./names.ts";

const features = () => false;
const { signal } = new AbortController();

describe("bootstrapRoles on an API server", function () {
  this.timeout(60_000);

  let plane: ControlPlane;
  let client: Client;
  /** Resolves with the writes, as `verb kind/name`. */
  async function run(
    hook: (write: string) => void | Promise<void> = () => undefined,
    options = { features },
  ): Promise<readonly string[]> {
    const writes: string[] = [];
    const watched = intercept(client, {
      beforeWrite: (verb, ref) => hook(`${verb} ${ref?.kind}/${ref?.metadata.name}`),
      afterWrite: (verb, { kind, metadata }) =>
        void writes.push(`${verb} ${kind}/${metadata.name}`),
    });
    const context: TaskContext = { client: watched, clock: systemClock, log: silentLogger, signal };
    await bootstrapRoles(context, options);
    return writes;
  }

  before(async () => {
    plane = await startControlPlane();
    client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
    await installCrds(client, { log: silentLogger, signal: AbortSignal.timeout(60_000) });
  });

  after(async () => {
    await client?.[Symbol.asyncDispose]();
    await plane?.stop();
  });

  it("makes all of them, and sends nothing the second time", async () => {
    const first = await run();
    const second = await run();

    expect(first).to.have.length(53);
    const at = (name: string) => first.indexOf(`create RoleTemplate/${name}`);
    expect(at("projects-view")).to.be.greaterThan(at("view"));
    expect(at("project-owner")).to.be.greaterThan(at("admin"));
    expect(second).to.deep.equal([]);
  });

  it("sets the default flags, marks that, and leaves a choice of people alone", async () => {
    const user = await client.get(GlobalRole, "user");
    expect(user.newUserDefault).to.equal(true);
    expect(user.metadata.annotations?.[bootstrappedAnnotation]).to.equal("true");
    const owner = await client.get(RoleTemplate, "cluster-owner");
    expect(owner.clusterCreatorDefault).to.equal(true);

    await client.update({ ...user, newUserDefault: false });
    await client.update({ ...owner, clusterCreatorDefault: false, locked: true });

    expect(await run()).to.deep.equal([]);
  });

  it("resets rules, takes the label back, and removes what is no longer built in", async () => {
    const role = await client.get(GlobalRole, "settings-manage");
    const theirs = { theirs: "too" };
    await client.update({
      ...role,
      metadata: { ...role.metadata, labels: theirs },
      rules: [rule("*").on("", "secrets")],
      inheritedClusterRoles: ["cluster-owner"],
    });
    const template = await client.get(RoleTemplate, "create-ns");
    await client.update({ ...template, rules: [], hidden: true, locked: true });
    const { apiVersion, kind, metadata } = role;
    const retired = { name: "catalogs-use", labels: metadata.labels ?? {} };
    await client.create({ apiVersion, kind, metadata: retired });
    await client.create({ apiVersion, kind, metadata: { name: "custom" } });

    expect(await run()).to.have.members([
      "update GlobalRole/settings-manage",
      "update RoleTemplate/create-ns",
      "delete GlobalRole/catalogs-use",
    ]);

    const repaired = await client.get(GlobalRole, "settings-manage");
    expect(repaired.rules).to.deep.equal(role.rules);
    expect(repaired.inheritedClusterRoles ?? []).to.deep.equal([]);
    expect(repaired.metadata.labels).to.deep.equal({
      ...theirs,
      [labels.bootstrapping]: "default-globalrole",
    });
    const open = await client.get(RoleTemplate, "create-ns");
    expect(open).to.deep.include({ rules: template.rules, locked: true });
    expect(open.hidden ?? false).to.equal(false);
    expect(await client.find(GlobalRole, "custom")).not.to.equal(undefined);
  });

  it("brings and removes the role of a feature", async () => {
    expect(await run(undefined, { features: () => true })).to.deep.equal([
      "create GlobalRole/manage-oidc-clients",
    ]);
    expect(await run()).to.deep.equal(["delete GlobalRole/manage-oidc-clients"]);
  });

  it("keeps what somebody writes between its look and its write", async () => {
    const spoil = await client.get(RoleTemplate, "secrets-view");
    await client.update({ ...spoil, rules: [] });
    let once = true;

    const writes = await run(async () => {
      if (!once) return;
      once = false;
      const role = await client.get(RoleTemplate, "secrets-view");
      await client.update({ ...role, locked: true });
    });

    expect(writes).to.deep.equal(["update RoleTemplate/secrets-view"]);
    const { rules, locked } = await client.get(RoleTemplate, "secrets-view");
    expect({ rules, locked }).to.deep.equal({ rules: spoil.rules, locked: true });
  });

  it("completes what was cut short after any number of writes", async () => {
    for (const cut of [1, 6, 12]) {
      await client.deleteCollection(GlobalRole);
      let writes = 0;
      const killed = run(() => {
        writes += 1;
        if (writes > cut) throw new Error("killed");
      });
      expect(await killed.catch(({ message }) => message)).to.equal("killed");

      await run();

      expect((await client.list(GlobalRole)).items).to.have.length(13);
      expect(await run()).to.deep.equal([]);
    }
  });

  it("waits for a built-in role that is being deleted, and makes it anew", async () => {
    const ref = refTo(RoleTemplate, "navlinks-view");
    await client.patch(ref, { merge: { metadata: { finalizers: ["test.example/hold"] } } });
    await client.delete(ref);

    const refused = await run().catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(TemporaryError);
    expect(refused).to.have.property("message").that.contains("navlinks-view is being deleted");

    await client.patch(ref, { merge: { metadata: { finalizers: null } } });
    expect(await run()).to.deep.equal(["create RoleTemplate/navlinks-view"]);
  });
});
