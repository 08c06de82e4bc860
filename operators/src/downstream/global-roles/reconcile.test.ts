import { GlobalRole, globalRoleNames } from "@drover/crds";
import { aGlobalRole } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Context, type KubeObject, refTo } from "kopf-ts";
import { Namespace, Role } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import type { RunningDownstream } from "../../testing/downstream.ts";
import { eachDownstream } from "../../testing/hooks.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { globalRoles } from "./index.ts";

const rule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const other = { verbs: ["get"], apiGroups: [""], resources: ["secrets"] };
const owner = "authz.management.cattle.io/gr-owner";
const within = 20_000;

describe("downstream global-roles on two API servers", function () {
  this.timeout(90_000);

  let concern: RunningDownstream;

  eachDownstream(async (running) => {
    concern = running;
    await concern.run(globalRoles);
  });

  const aRole = (namespace: string) =>
    concern.hub.create(
      concern.mine(aGlobalRole({ inheritedNamespacedRules: { [namespace]: [rule] } })),
    );
  const aNamespace = async (name = uniqueName("ns")) => {
    await concern.cluster.create(refTo(Namespace, name));
    return name;
  };
  const made = ({ metadata }: KubeObject, namespace: string) =>
    concern.cluster.find(Role, globalRoleNames.role(metadata.name, namespace), { namespace });
  const remove = (object: KubeObject) => concern.hub.delete(object, { preconditions: "none" });
  const conditionsOf = async ({ metadata }: KubeObject) =>
    (await concern.hub.find(GlobalRole, metadata.name))?.status?.conditions ?? [];

  it("makes the Role with one write, without a word in the status, and writes nothing after a restart", async () => {
    const namespace = await aNamespace();
    const role = await aRole(namespace);
    const found = await eventually(() => made(role, namespace), { within });
    await quiet(concern);
    const first = writes(concern);

    await concern.run(globalRoles);
    await quiet(concern);

    expect(found.rules).to.deep.equal([rule]);
    expect(found.metadata.labels?.[owner]).to.equal(role.metadata.name);
    expect(first.map(({ where, verb }) => `${where} ${verb}`)).to.deep.equal(["cluster apply"]);
    expect(writes(concern)).to.deep.equal(first);
    expect(await concern.hub.find(Namespace, namespace)).to.equal(undefined);
  });

  it("makes it once the namespace is there, and takes it back with the rules and with the role", async () => {
    const namespace = uniqueName("ns");
    const [one, two] = [await aRole(namespace), await aRole(namespace)];
    await quiet(concern);
    await aNamespace(namespace);
    for (const each of [one, two]) await eventually(() => made(each, namespace), { within });

    await concern.hub.patch(one, { merge: { inheritedNamespacedRules: null } });
    await eventually(async () => !(await made(one, namespace)), { within });
    await concern.stop();
    await remove(two);
    await concern.run(globalRoles);

    await eventually(async () => !(await made(two, namespace)), { within });
  });

  it("puts back what people change, relabel or delete", async () => {
    const namespace = await aNamespace();
    const role = await aRole(namespace);
    const found = await eventually(() => made(role, namespace), { within });

    await concern.cluster.patch(found, { merge: { rules: [other], metadata: { labels: null } } });
    await eventually(async () => (await made(role, namespace))?.metadata.labels?.[owner], {
      within,
    });
    const repaired = await made(role, namespace);
    await concern.cluster.delete(refTo(Role, found.metadata.name, namespace));

    await eventually(() => made(role, namespace), { within });
    expect(repaired?.rules).to.deep.equal([rule]);
  });

  it("leaves alone what another hub or anybody else has under the label, and tells where a name is taken", async () => {
    const namespace = await aNamespace();
    const role = concern.mine(aGlobalRole({ inheritedNamespacedRules: { [namespace]: [rule] } }));
    const { name } = role.metadata;
    const put = (metadata: KubeObject["metadata"]) =>
      concern.cluster.create({ ...refTo(Role, ""), metadata, rules: [other] } as Role);
    await put({ name: globalRoleNames.role(name, namespace), namespace });
    await put({ name: "nested", namespace, labels: { [owner]: name } });

    await concern.hub.create(role);
    const [told] = await eventually(
      async () => {
        const found = await conditionsOf(role);
        return found.length > 0 && found;
      },
      { within },
    );
    await concern.cluster.delete(refTo(Role, globalRoleNames.role(name, namespace), namespace));
    await concern.run(globalRoles);
    await eventually(async () => (await conditionsOf(role)).length === 0, { within });

    expect(told).to.include({
      type: `${concern.name}.clusters.drover.dev/InheritedNamespacedRuleRoleExists`,
      status: "False",
      reason: "NameTaken",
    });
    expect((await concern.cluster.find(Role, "nested", { namespace }))?.rules).to.deep.equal([
      other,
    ]);
  });

  it("does nothing in the local cluster, where its management counterpart works", async () => {
    const inLocal = (context: Context): Context =>
      new Proxy(context, {
        get: (target, name) => (name === "cluster" ? "local" : Reflect.get(target, name, target)),
      });
    const namespace = await aNamespace();
    await concern.run({
      ...globalRoles,
      reconcile: (role, context) => globalRoles.reconcile(role, inLocal(context)),
    });
    const runs =
      'controller_runtime_reconcile_total{controller="downstream-global-roles",result="success"}';
    const before = await concern.metric(runs);
    await aRole(namespace);
    await eventually(async () => (await concern.metric(runs)) > before, { within });
    await quiet(concern);

    expect(writes(concern)).to.deep.equal([]);
  });
});
