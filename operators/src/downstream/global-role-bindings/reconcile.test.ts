import { GlobalRole, GlobalRoleBinding, globalRoleBindingNames } from "@drover/crds";
import { aGlobalRole, aGlobalRoleBinding } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { type KubeObject, refTo } from "kopf-ts";
import { Namespace, RoleBinding } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import type { RunningDownstream } from "../../testing/downstream.ts";
import { eachDownstream } from "../../testing/hooks.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { globalRoleBindings } from "./index.ts";

const rule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const apiGroup = "rbac.authorization.k8s.io";
const within = 20_000;

describe("downstream global-role-bindings on two API servers", function () {
  this.timeout(90_000);

  let concern: RunningDownstream;

  eachDownstream(async (running) => {
    concern = running;
    await run();
  });

  const run = () => concern.run(globalRoleBindings);
  const aRole = async (namespaces: readonly string[], name = uniqueName("gr")) => {
    const inheritedNamespacedRules = Object.fromEntries(namespaces.map((each) => [each, [rule]]));
    await concern.hub.create(aGlobalRole({ metadata: { name }, inheritedNamespacedRules }));
    return name;
  };
  const bind = (globalRoleName: string, name = uniqueName("grb")) =>
    concern.hub.create(
      concern.mine(
        aGlobalRoleBinding({ metadata: { name }, globalRoleName, userName: uniqueName("u") }),
      ),
    );
  const aNamespace = async (name = uniqueName("ns")) => {
    await concern.cluster.create(refTo(Namespace, name));
    return name;
  };
  const made = ({ metadata }: KubeObject, namespace: string) =>
    concern.cluster.find(
      RoleBinding,
      globalRoleBindingNames.roleBinding(metadata.name, namespace),
      { namespace },
    );
  const remove = (object: KubeObject) => concern.hub.delete(object, { preconditions: "none" });

  it("grants the Role with one write, and writes nothing after a restart", async () => {
    const namespace = await aNamespace();
    const binding = await bind(await aRole([namespace]));
    const found = await eventually(() => made(binding, namespace), { within });
    await quiet(concern);
    const first = writes(concern);

    await run();
    await quiet(concern);

    expect(found.subjects?.[0]?.name).to.equal(binding.userName);
    expect(first.map(({ where, verb }) => `${where} ${verb}`)).to.deep.equal(["cluster apply"]);
    expect(writes(concern)).to.deep.equal(first);
  });

  it("follows namespaces, the role and the binding, also when nobody looked", async () => {
    const [one, late] = [await aNamespace(), uniqueName("ns")];
    const role = await aRole([one, late]);
    const binding = await bind(role);
    await eventually(() => made(binding, one), { within });
    await aNamespace(late);
    await eventually(() => made(binding, late), { within });

    await concern.hub.patch(refTo(GlobalRole, role), {
      merge: { inheritedNamespacedRules: { [late]: null } },
    });
    await eventually(async () => !(await made(binding, late)), { within });
    await concern.stop();
    await remove(binding);
    await run();

    await eventually(async () => !(await made(binding, one)), { within });
  });

  it("takes everything back when the role loses its rules, or is deleted, while nobody looked", async () => {
    const namespace = await aNamespace();
    const [one, two] = [await aRole([namespace]), await aRole([namespace])];
    const bound = [await bind(one), await bind(two)];
    for (const each of bound) await eventually(() => made(each, namespace), { within });

    await concern.stop();
    await concern.hub.patch(refTo(GlobalRole, one), { merge: { inheritedNamespacedRules: null } });
    await concern.hub.delete(refTo(GlobalRole, two));
    await run();

    for (const each of bound)
      await eventually(async () => !(await made(each, namespace)), { within });
  });

  it("puts back what people change, relabel or delete, and replaces another role", async () => {
    const namespace = await aNamespace();
    const binding = await bind(await aRole([namespace]));
    const found = await eventually(() => made(binding, namespace), { within });

    await concern.cluster.patch(found, {
      merge: { subjects: [{ kind: "User", name: "u-eve", apiGroup }], metadata: { labels: null } },
    });
    await eventually(
      async () => (await made(binding, namespace))?.subjects?.[0]?.name === binding.userName,
      { within },
    );
    await concern.stop();
    const { labels, annotations } = (await made(binding, namespace))?.metadata ?? {};
    await concern.cluster.delete(refTo(RoleBinding, found.metadata.name, namespace));
    await concern.cluster.create({
      ...refTo(RoleBinding, ""),
      metadata: { name: found.metadata.name, namespace, labels, annotations },
      roleRef: { apiGroup, kind: "Role", name: "other" },
      subjects: found.subjects,
    } as RoleBinding);
    await run();

    await eventually(
      async () => (await made(binding, namespace))?.roleRef.name === found.roleRef.name,
      { within },
    );
  });

  it("tells in the status where a name is taken, and no longer once it is not", async () => {
    const namespace = await aNamespace();
    const name = uniqueName("grb");
    const taken = globalRoleBindingNames.roleBinding(name, namespace);
    const roleRef = { apiGroup, kind: "ClusterRole", name: "view" };
    await concern.cluster.create({
      ...refTo(RoleBinding, taken, namespace),
      roleRef,
    } as RoleBinding);
    const remote = async () =>
      (await concern.hub.find(GlobalRoleBinding, name))?.status?.remoteConditions ?? [];

    const binding = await bind(await aRole([namespace]), name);
    const [told] = await eventually(async () => (await remote()).length > 0 && remote(), {
      within,
    });
    const kept = await made(binding, namespace);
    await concern.cluster.delete(refTo(RoleBinding, taken, namespace));
    await run();
    await eventually(async () => (await remote()).length === 0, { within });

    expect(told?.type).to.equal(
      `${concern.name}.clusters.drover.dev/InheritedNamespacedRoleBindingReconciled`,
    );
    expect(kept?.roleRef.name).to.equal("view");
  });
});
