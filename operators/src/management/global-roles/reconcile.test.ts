import { FleetWorkspace, GlobalRole, globalRoleNames } from "@drover/crds";
import { aFleetWorkspace, aGlobalRole } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { apiVersionOf, type Client, type Kind, type KubeObject, refTo } from "kopf-ts";
import { ClusterRole, Namespace, Role } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { cluster, RunningConcern } from "../../testing/concern.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { globalRoles } from "./index.ts";

const rule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const other = { verbs: ["list"], apiGroups: [""], resources: ["secrets"] };
const crName = "authz.management.cattle.io/cr-name";
const ownerLabel = "authz.management.cattle.io/gr-owner";
function aNamespace(name = uniqueName("gr")): Namespace {
  return { apiVersion: apiVersionOf(Namespace), kind: Namespace.kind, metadata: { name } };
}

/** The role once it has a status of its present generation. */
async function settled(concern: RunningConcern, role: GlobalRole): Promise<GlobalRole> {
  return eventually(async () => {
    const found = await concern.find(GlobalRole, role);
    const { generation } = found?.metadata ?? {};
    return found?.status?.observedGeneration === generation ? found : undefined;
  });
}

const conditionsOf = ({ status }: GlobalRole) =>
  Object.fromEntries(status?.conditions?.map((each) => [each.type, each.status]) ?? []);
const message = ({ status }: GlobalRole, type: string) =>
  status?.conditions?.find((each) => each.type === type)?.message;

const clusterRoleOf = (client: Client, { metadata }: GlobalRole) =>
  client.find(ClusterRole, globalRoleNames.clusterRole(metadata.name));
const roleIn = (client: Client, { metadata }: GlobalRole, namespace: string) =>
  client.find(Role, globalRoleNames.role(metadata.name, namespace), { namespace });

describe("global-roles on an API server", function () {
  this.timeout(60_000);

  let concern: RunningConcern;

  before(() => cluster());
  beforeEach(async () => {
    concern = await RunningConcern.open();
    await concern.run(globalRoles);
  });
  afterEach(() => concern[Symbol.asyncDispose]());

  it("makes the ClusterRole, records its name and tells that it is there", async () => {
    const role = await concern.create(aGlobalRole({ rules: [rule] }));

    const done = await settled(concern, role);

    const made = await clusterRoleOf(concern.client, role);
    expect(made?.rules).to.deep.equal([rule]);
    expect(made?.metadata.labels).to.include({
      "authz.management.cattle.io/globalrole": "true",
      [ownerLabel]: role.metadata.name,
    });
    expect(made?.metadata.ownerReferences?.[0]).to.include({
      apiVersion: "management.cattle.io/v3",
      kind: "GlobalRole",
      uid: role.metadata.uid,
    });
    expect(done.metadata.annotations?.[crName]).to.equal(made?.metadata.name);
    expect(done.status?.summary).to.equal("Completed");
    expect(conditionsOf(done)).to.deep.equal({
      ClusterRoleExists: "True",
      NamespacedRuleRoleExists: "True",
    });
  });

  it("costs three writes, and none after a restart, also with empty rules and lists", async () => {
    const fleet = { resourceRules: [{ ...rule, resourceNames: [] }] };
    const namespacedRules = { default: [{ ...rule, nonResourceURLs: [] }], "kube-public": [] };
    await settled(concern, await concern.create(aGlobalRole()));
    await quiet(concern);
    const first = writes(concern).map(({ verb, resource }) => `${verb} ${resource}`);
    const fields = { rules: [], namespacedRules, inheritedFleetWorkspacePermissions: fleet };
    const role = await concern.create(aGlobalRole(fields));
    await settled(concern, role);
    await quiet(concern);

    await using again = await RunningConcern.open();
    await concern.client.patch(role, { merge: { metadata: { labels: { test: again.label } } } });
    await again.run(globalRoles);
    await eventually(async () => (await again.metric(runs)) >= 1);
    await quiet(again);

    expect(first).to.deep.equal([
      "apply clusterroles.rbac.authorization.k8s.io",
      "patch globalroles.management.cattle.io",
      "patch globalroles.management.cattle.io",
    ]);
    // Objects of other tests have owners that this one does not see: it asks whether these are gone.
    const asked = again.sent.filter(
      ({ resource }) => resource !== "globalroles.management.cattle.io",
    );
    expect(asked.filter(({ verb }) => !["list", "watch"].includes(verb))).to.deep.equal([]);
    expect(writes(again)).to.deep.equal([]);
  });

  it("puts back what people change, relabel or delete", async () => {
    const role = await concern.create(
      aGlobalRole({ rules: [rule], namespacedRules: { default: [rule] } }),
    );
    await settled(concern, role);
    const made = (await clusterRoleOf(concern.client, role)) as ClusterRole;
    const inDefault = (await roleIn(concern.client, role, "default")) as Role;

    const strip = { labels: null, annotations: null };
    await concern.client.patch(made, { merge: { rules: [rule, other], metadata: strip } });
    await concern.client.patch(inDefault, {
      merge: { metadata: { labels: { [ownerLabel]: "x" } } },
    });
    await eventually(async () => {
      const repaired = await clusterRoleOf(concern.client, role);
      return repaired?.rules?.length === 1 && repaired.metadata.labels?.[ownerLabel] !== undefined;
    });
    await eventually(async () => {
      const repaired = await roleIn(concern.client, role, "default");
      return repaired?.metadata.labels?.[ownerLabel] === role.metadata.name;
    });
    await concern.client.delete(refTo(ClusterRole, made.metadata.name));
    await concern.client.delete(refTo(Role, inDefault.metadata.name, "default"));

    await eventually(() => clusterRoleOf(concern.client, role));
    await eventually(() => roleIn(concern.client, role, "default"));
    expect((await settled(concern, role)).status?.summary).to.equal("Completed");
  });

  it("case 68: a missing and a terminating namespace get their Role when they are there again", async () => {
    const [missing, terminating] = [aNamespace(), aNamespace()];
    const held = { ...terminating.metadata, finalizers: ["test.dev/hold"] };
    await concern.client.create({ ...terminating, metadata: held });
    await concern.client.delete(refTo(Namespace, terminating.metadata.name));
    const names = ["default", missing.metadata.name, terminating.metadata.name];
    const role = await concern.create(
      aGlobalRole({ namespacedRules: Object.fromEntries(names.map((name) => [name, [rule]])) }),
    );

    const done = await settled(concern, role);
    const found = await Promise.all(names.map((name) => roleIn(concern.client, role, name)));
    await concern.client.create(missing);
    await concern.client.patch(refTo(Namespace, terminating.metadata.name), {
      merge: { metadata: { finalizers: null } },
    });
    await eventually(
      async () => !(await concern.client.find(Namespace, terminating.metadata.name)),
      { within: 20_000 },
    );
    await concern.client.create(terminating);

    expect(found.map((each) => each !== undefined)).to.deep.equal([true, false, false]);
    expect(done.status?.summary).to.equal("Completed");
    for (const name of names) await eventually(() => roleIn(concern.client, role, name));
  });

  it("deletes Roles that are no longer asked for, and others that bear its label", async () => {
    const role = await concern.create(aGlobalRole({ namespacedRules: { default: [rule] } }));
    await settled(concern, role);

    const foreign = { name: uniqueName("foreign"), namespace: "default" };
    const labelled = { ...foreign, labels: { [ownerLabel]: role.metadata.name } };
    await concern.client.create({ ...refTo(Role, foreign.name), metadata: labelled, rules: [] });
    await eventually(async () => !(await concern.client.find(Role, foreign.name, foreign)));
    await concern.client.patch(role, { merge: { namespacedRules: null } });

    await eventually(async () => !(await roleIn(concern.client, role, "default")));
  });

  it("takes over what a Rancher made, and deletes its ClusterRole of an older name", async () => {
    const role = aGlobalRole({ rules: [rule], namespacedRules: { default: [rule] } });
    const { name } = role.metadata;
    const old = uniqueName("cattle-globalrole-old");
    const annotated = { ...role.metadata, annotations: { [crName]: old } };
    const { metadata } = await concern.client.create({ ...role, metadata: annotated });
    const reference = { apiVersion: role.apiVersion, kind: role.kind, name, uid: metadata.uid };
    const ownerReferences = [reference] as KubeObject["metadata"]["ownerReferences"];
    const legacy = { "authz.management.cattle.io/globalrole": "true" };
    const made = async (kind: Kind, name: string, labels: Record<string, string>) => {
      const ref = kind === Role ? refTo(kind, name, "default") : refTo(kind, name);
      const all = { ...ref.metadata, labels, ...(ownerReferences && { ownerReferences }) };
      await concern.client.create({ ...ref, metadata: all, rules: [other] } as Role);
    };
    await made(ClusterRole, old, legacy);
    await made(ClusterRole, globalRoleNames.clusterRole(name), legacy);
    await made(Role, globalRoleNames.role(name, "default"), { [ownerLabel]: name });

    await concern.client.patch(role, { merge: { metadata: { labels: { test: concern.label } } } });
    await settled(concern, role);

    expect(await concern.client.find(ClusterRole, old)).to.equal(undefined);
    const [own, inDefault] = [
      await clusterRoleOf(concern.client, role),
      await roleIn(concern.client, role, "default"),
    ];
    expect(own?.metadata.labels?.[ownerLabel]).to.equal(name);
    expect([own?.rules, inDefault?.rules]).to.deep.equal([[rule], [rule]]);
  });

  it("never touches a ClusterRole that only the annotation names", async () => {
    const precious = uniqueName("precious");
    await concern.client.create({ ...refTo(ClusterRole, precious), rules: [other] });
    const role = aGlobalRole({ rules: [rule] });
    const annotated = { ...role.metadata, annotations: { [crName]: precious } };

    const done = await settled(concern, await concern.create({ ...role, metadata: annotated }));

    expect((await concern.client.get(ClusterRole, precious)).rules).to.deep.equal([other]);
    expect(done.metadata.annotations?.[crName]).to.equal(
      globalRoleNames.clusterRole(role.metadata.name),
    );
  });

  it("leaves a stranger's object of its name alone, and tells so", async () => {
    const role = aGlobalRole({ rules: [rule] });
    const name = globalRoleNames.clusterRole(role.metadata.name);
    await concern.client.create({ ...refTo(ClusterRole, name), rules: [other] });

    const done = await settled(concern, await concern.create(role));

    expect((await concern.client.get(ClusterRole, name)).rules).to.deep.equal([other]);
    expect(done.status?.summary).to.equal("Error");
    expect(message(done, "ClusterRoleExists")).to.equal(
      `ClusterRole ${name} was made by somebody else: rename or delete it`,
    );
    await concern.flush();
    const events = concern.sent.filter(({ resource }) => resource === "events.events.k8s.io");
    expect(events).to.have.length(1);
  });

  it("keeps what stands when new rules are invalid, tells why, and asks the server nothing", async () => {
    const role = await concern.create(aGlobalRole({ rules: [rule] }));
    await settled(concern, role);
    await quiet(concern);
    const before = writes(concern).length;

    await concern.client.patch(role, { merge: { rules: [{ ...other, verbs: [] }] } });
    const told = await settled(concern, role);
    await quiet(concern);
    const after = writes(concern).length;
    await concern.client.patch(role, { merge: { rules: [other] } });
    const mended = await settled(concern, role);

    expect(message(told, "ClusterRoleExists")).to.match(/^rules\[0\]\.verbs is empty/);
    expect(told.status?.summary).to.equal("Error");
    expect(after - before).to.equal(1); // the status
    expect(mended.status?.summary).to.equal("Completed");
    expect((await clusterRoleOf(concern.client, role))?.rules).to.deep.equal([other]);
  });

  it("follows fleet workspaces, and grants no verbs where there is none to name", async () => {
    const workspace = await concern.client.create(aFleetWorkspace());
    const permissions = { resourceRules: [rule], workspaceVerbs: ["get"] };
    const role = await concern.create(
      aGlobalRole({ inheritedFleetWorkspacePermissions: permissions }),
    );
    const verbs = () =>
      concern.client.find(ClusterRole, globalRoleNames.fleetVerbs(role.metadata.name));
    const done = await settled(concern, role);
    await eventually(async () => {
      const [each] = (await verbs())?.rules ?? [];
      return each?.resourceNames?.includes(workspace.metadata.name);
    });

    await concern.client.delete(refTo(FleetWorkspace, workspace.metadata.name));

    expect(conditionsOf(done).FleetWorkspaceRolePermissionsReconciled).to.equal("True");
    await eventually(async () => {
      const rules = (await verbs())?.rules ?? [];
      return rules.every((each) => !each.resourceNames?.includes(workspace.metadata.name));
    });
  });

  it("grants nothing any more while others hold a role that is being deleted", async () => {
    const legacy = "controller.cattle.io/mgmt-auth-gr-controller";
    const metadata = { finalizers: ["test.dev/hold", legacy] };
    const role = await concern.create(
      aGlobalRole({ metadata, namespacedRules: { default: [rule] } }),
    );
    await settled(concern, role);

    await concern.client.delete(refTo(GlobalRole, role.metadata.name));
    const held = await eventually(async () => {
      const found = await concern.find(GlobalRole, role);
      return found?.metadata.finalizers?.length === 1 ? found : undefined;
    });

    expect(held.status?.summary).to.equal("Terminating");
    expect(await clusterRoleOf(concern.client, role)).to.equal(undefined);
    expect(await roleIn(concern.client, role, "default")).to.equal(undefined);
    await concern.client.patch(role, { merge: { metadata: { finalizers: null } } });
  });

  it("leaves nothing behind when it is deleted, wherever its roles are", async () => {
    const role = await concern.create(aGlobalRole({ namespacedRules: { default: [rule] } }));
    await settled(concern, role);

    await concern.client.delete(refTo(GlobalRole, role.metadata.name));

    const within = 50_000; // the garbage collector learns of new kinds every 30 s
    await eventually(async () => !(await clusterRoleOf(concern.client, role)), { within });
    await eventually(async () => !(await roleIn(concern.client, role, "default")), { within });
  });

  it("moves lastUpdateTime only with something else", async () => {
    const role = await concern.create(aGlobalRole({ rules: [rule] }));
    const { status } = await settled(concern, role);
    await quiet(concern);

    await concern.client.patch(role, { merge: { metadata: { labels: { more: "yes" } } } });
    await quiet(concern);

    expect((await concern.find(GlobalRole, role))?.status).to.deep.equal(status);
  });
});

const runs = 'controller_runtime_reconcile_total{controller="global-roles",result="success"}';
