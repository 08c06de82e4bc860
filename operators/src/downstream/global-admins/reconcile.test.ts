import { Cluster, GlobalRole, GlobalRoleBinding } from "@drover/crds";
import { aCluster, aGlobalRole, aGlobalRoleBinding } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { mayDo } from "@drover/platform";
import { expect } from "chai";
import { findCondition, type KubeObject, type Related, refTo } from "kopf-ts";
import { ClusterRoleBinding } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { RunningDownstream } from "../../testing/downstream.ts";
import { eachDownstream } from "../../testing/hooks.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { globalAdmins, globalAdminsSynced } from "./index.ts";

const everything = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];
const apiGroup = "rbac.authorization.k8s.io";
const within = 20_000;

describe("downstream global-admins on two API servers", function () {
  this.timeout(90_000);

  let concern: RunningDownstream;

  eachDownstream((running) => {
    concern = running;
  });

  const run = () => concern.run(globalAdmins);
  /** Of all bindings it sees this test's alone. */
  const runSynced = () => {
    const select = { labelSelector: `test=${concern.label}` };
    const narrow = (each: Related) =>
      each.kind === GlobalRoleBinding ? { ...each, select } : each;
    const related = globalAdminsSynced.related?.map(narrow) ?? [];
    return concern.run({ ...globalAdminsSynced, related });
  };

  const aRole = async (rules = everything) =>
    (await concern.hub.create(aGlobalRole({ rules }))).metadata.name;
  const bind = (globalRoleName: string, userName = uniqueName("u")) =>
    concern.hub.create(concern.mine(aGlobalRoleBinding({ globalRoleName, userName })));
  const nameFor = ({ userName }: GlobalRoleBinding) => `globaladmin-${userName}`;
  const made = (binding: GlobalRoleBinding) =>
    concern.cluster.find(ClusterRoleBinding, nameFor(binding));
  const isAdmin = ({ userName = "" }: GlobalRoleBinding) =>
    mayDo(
      concern.cluster,
      { username: userName, groups: [] },
      { verb: "delete", resource: "nodes" },
    );
  const isGone = async (binding: GlobalRoleBinding) => (await made(binding)) === undefined;
  const remove = (object: KubeObject) => concern.hub.delete(object, { preconditions: "none" });

  it("case 74: makes an administrator cluster-admin, until the binding goes", async () => {
    await run();
    const role = await aRole();
    const [one, other] = [await bind(role), await bind(role)];
    await eventually(() => isAdmin(one), { within });
    await eventually(() => isAdmin(other), { within });
    const found = await made(one);

    await remove(one);
    await eventually(() => isGone(one), { within });
    await concern.stop();
    await remove(other);
    await run();

    await eventually(() => isGone(other), { within });
    expect(found?.metadata.annotations).to.include({
      "authz.cluster.cattle.io/globalrole": role,
      "authz.cluster.cattle.io/globalrolebinding": one.metadata.name,
    });
  });

  it("case 74: takes it back when the role loses its rights, also when nobody looked", async () => {
    await run();
    const [one, other] = [await aRole(), await aRole()];
    const bound = [await bind(one), await bind(other)] as const;
    for (const each of bound) await eventually(() => made(each), { within });
    const less = { merge: { rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }] } };

    await concern.hub.patch(refTo(GlobalRole, one), less);
    await eventually(() => isGone(bound[0]), { within });
    await concern.stop();
    await concern.hub.patch(refTo(GlobalRole, other), less);
    await run();

    await eventually(() => isGone(bound[1]), { within });
  });

  it("keeps it while another binding makes the same person an administrator", async () => {
    await run();
    const [one, user] = [await aRole(), uniqueName("u")];
    const bound = [await bind(one, user), await bind(await aRole(), user)] as const;
    await eventually(() => made(bound[0]), { within });
    await quiet(concern);
    await remove(bound[0]);
    await eventually(
      async () => {
        const { annotations } = (await made(bound[1]))?.metadata ?? {};
        const named = annotations?.["authz.cluster.cattle.io/globalrolebinding"];
        return named === bound[1].metadata.name;
      },
      { within },
    );
    await quiet(concern);
    const left = await made(bound[1]);
    await remove(bound[1]);

    await eventually(() => isGone(bound[1]), { within });
    expect(left?.metadata.annotations).to.include({
      "authz.cluster.cattle.io/globalrolebinding": bound[1].metadata.name,
    });
  });

  it("takes it back in a cluster that was removed unreached and is back under another name", async () => {
    const role = await aRole();
    const binding = await bind(role);
    const watchedBy = ({ label }: RunningDownstream) =>
      concern.hub.patch(binding, { merge: { metadata: { labels: { test: label } } } });
    await using former = await RunningDownstream.open(); // no Cluster has its name
    await watchedBy(former);
    await former.run(globalAdmins);
    const before = await eventually(() => made(binding), { within });
    await former.stop();
    await watchedBy(concern);
    await run();
    const told = async () => JSON.stringify((await made(binding))?.metadata.annotations);
    const old = JSON.stringify(before.metadata.annotations);
    await eventually(async () => (await told()) !== old, { within });
    await quiet(concern);
    const shared = await made(binding);

    await remove(binding);

    await eventually(() => isGone(binding), { within });
    expect(shared?.metadata.uid).to.equal(before.metadata.uid);
    expect(shared?.metadata.annotations).not.to.deep.equal(before.metadata.annotations);
  });

  it("costs one write, and none after a restart; who is no administrator costs nothing", async () => {
    await run();
    await bind(await aRole([]));
    const binding = await bind(await aRole());
    await eventually(() => made(binding), { within });
    await quiet(concern);
    const first = writes(concern);

    await run();
    await quiet(concern);

    expect(first.map(({ where, verb }) => `${where} ${verb}`)).to.deep.equal(["cluster create"]);
    expect(writes(concern)).to.deep.equal(first);
  });

  it("puts back what people change or delete", async () => {
    await run();
    const binding = await bind(await aRole());
    const { metadata } = await eventually(() => made(binding), { within });
    const ref = refTo(ClusterRoleBinding, metadata.name);

    await concern.cluster.patch(ref, {
      merge: { subjects: [{ kind: "User", name: "u-eve", apiGroup }] },
    });
    await eventually(() => isAdmin(binding), { within });
    await concern.cluster.delete(ref);

    await eventually(() => made(binding), { within });
  });

  it("takes over what a Rancher made, but not what grants somebody something else, and says so", async () => {
    const role = await aRole();
    const [theirs, taken] = [uniqueName("u"), uniqueName("u")];
    const put = (user: string, name: string) =>
      concern.cluster.create({
        ...refTo(ClusterRoleBinding, `globaladmin-${user}`),
        roleRef: { apiGroup, kind: "ClusterRole", name },
        subjects: [{ kind: "User", name: user, apiGroup }],
      } as ClusterRoleBinding);
    await put(theirs, "cluster-admin");
    await put(taken, "view");

    await run();
    const bound = [await bind(role, theirs), await bind(role, taken)] as const;
    const told = await eventually(
      async () => {
        const found = await concern.hub.find(GlobalRoleBinding, bound[1].metadata.name);
        return found?.status?.remoteConditions?.[0];
      },
      { within },
    );
    for (const each of bound) await remove(each);
    await eventually(() => isGone(bound[0]), { within });

    expect(told).to.include({
      type: `${concern.name}.clusters.drover.dev/ClusterAdminRoleExists`,
      status: "False",
      reason: "NameTaken",
    });
    expect((await made(bound[1]))?.roleRef.name).to.equal("view");
  });

  it("tells in the Cluster, once, that all administrators are there", async () => {
    await concern.hub.create(aCluster({ metadata: { name: concern.name } }));
    const binding = await bind(await aRole());
    const synced = async () =>
      findCondition(
        (await concern.hub.find(Cluster, concern.name))?.status?.conditions,
        "GlobalAdminsSynced",
      );
    await runSynced();
    await quiet(concern);
    const before = await synced();

    await run();
    await eventually(() => made(binding), { within });
    await runSynced();
    await eventually(async () => (await synced())?.status === "True", { within });
    await quiet(concern);
    const first = writes(concern);
    await runSynced();
    await quiet(concern);

    expect(before).to.equal(undefined);
    expect(writes(concern)).to.deep.equal(first);
  });
});
