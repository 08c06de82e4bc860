import { impersonationNamespace, impersonatorName, User, UserAttribute } from "@drover/crds";
import {
  aClusterRoleTemplateBinding,
  aProjectRoleTemplateBinding,
  aUser,
  aUserAttribute,
} from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { mayDo } from "@drover/platform";
import { expect } from "chai";
import { type KubeObject, refTo } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, ServiceAccount } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import type { RunningDownstream } from "../../testing/downstream.ts";
import { eachDownstream } from "../../testing/hooks.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { impersonators } from "./index.ts";

const within = 20_000;

describe("downstream impersonators on two API servers", function () {
  this.timeout(90_000);

  let concern: RunningDownstream;

  eachDownstream(async (running) => {
    concern = running;
    await run();
  });

  const run = () => concern.run(impersonators);
  const anyone = async () => {
    const user = concern.mine(aUser({ metadata: { name: uniqueName("u") } }));
    return (await concern.hub.create(user)).metadata.name;
  };
  const bind = (userName: string) =>
    concern.hub.create(
      aClusterRoleTemplateBinding({
        metadata: { name: uniqueName("crtb"), namespace: concern.name },
        userName,
        clusterName: concern.name,
      }),
    );
  const account = (user: string) =>
    concern.cluster.find(ServiceAccount, impersonatorName(user), {
      namespace: impersonationNamespace,
    });
  const role = (user: string) => concern.cluster.find(ClusterRole, impersonatorName(user));
  const binding = (user: string) =>
    concern.cluster.find(ClusterRoleBinding, impersonatorName(user));
  const isWhole = async (user: string) =>
    (await account(user)) !== undefined && (await binding(user)) !== undefined;
  const isGone = async (user: string) =>
    (await account(user)) === undefined &&
    (await binding(user)) === undefined &&
    (await role(user)) === undefined;
  const mayActAs = (user: string, resource: string, name: string) =>
    mayDo(
      concern.cluster,
      {
        username: `system:serviceaccount:${impersonationNamespace}:${impersonatorName(user)}`,
        groups: [],
      },
      { verb: "impersonate", resource, name },
    );
  const remove = (object: KubeObject) => concern.hub.delete(object, { preconditions: "none" });

  it("makes the account with the first binding, and takes it away with the last", async () => {
    const user = await anyone();
    await quiet(concern);
    const before = await isGone(user);
    const first = await bind(user);
    await eventually(() => isWhole(user), { within });
    const asUser = await mayActAs(user, "users", user);
    const asOther = await mayActAs(user, "users", "admin");
    const project = `${concern.name}-p`;
    await concern.hub.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: project } });
    const second = await concern.hub.create(
      aProjectRoleTemplateBinding({
        metadata: { name: uniqueName("prtb"), namespace: project },
        userName: user,
        projectName: `${concern.name}:p-1`,
      }),
    );
    await remove(first);
    await quiet(concern);
    const kept = await isWhole(user);
    await remove(second);

    await eventually(() => isGone(user), { within });
    expect([before, asUser, asOther, kept]).to.deep.equal([true, true, false, true]);
  });

  it("costs three writes, and none after a restart", async () => {
    const user = await anyone();
    await bind(user);
    await eventually(async () => (await isWhole(user)) && (await role(user)), { within });
    await quiet(concern);
    const first = writes(concern).filter(({ resource }) => resource !== "namespaces");

    await run();
    await quiet(concern);

    expect(
      first.map(({ where, verb, resource }) => `${where} ${verb} ${resource}`),
    ).to.have.members([
      "cluster apply clusterroles.rbac.authorization.k8s.io",
      "cluster apply clusterrolebindings.rbac.authorization.k8s.io",
      "cluster apply serviceaccounts",
    ]);
    expect(writes(concern).filter(({ resource }) => resource !== "namespaces")).to.deep.equal(
      first,
    );
  });

  it("follows the groups of the user", async () => {
    const user = await anyone();
    await bind(user);
    await eventually(() => isWhole(user), { within });
    const group = "github_team://7";
    const before = await mayActAs(user, "groups", group);

    const attribute = aUserAttribute({
      metadata: { name: user },
      GroupPrincipals: { github: { Items: [{ metadata: { name: group } }] } },
    });
    await concern.hub.create(attribute);
    await eventually(() => mayActAs(user, "groups", group), { within });
    await concern.hub.patch(refTo(UserAttribute, user), { merge: { GroupPrincipals: null } });

    await eventually(async () => !(await mayActAs(user, "groups", group)), { within });
    expect(before).to.equal(false);
  });

  it("makes the account once the user of a binding is there, and deletes it with the user, also unseen", async () => {
    const user = uniqueName("u");
    await bind(user);
    await quiet(concern);
    await concern.hub.create(concern.mine(aUser({ metadata: { name: user } })));
    await eventually(() => isWhole(user), { within });

    await concern.stop();
    await concern.hub.delete(refTo(User, user));
    await run();

    await eventually(() => isGone(user), { within });
  });

  it("puts back what people change, relabel or delete", async () => {
    const user = await anyone();
    await bind(user);
    await eventually(() => isWhole(user), { within });
    const made = await role(user);
    /** Also the account belongs to the new role: the garbage collector may have taken it along with the old one, or come too late for that. */
    const isWholeAgain = async () => {
      const { uid } = (await role(user))?.metadata ?? {};
      const owners = (await account(user))?.metadata.ownerReferences?.map((each) => each.uid);
      const isOfThis = owners?.length === 1 && owners[0] === uid && uid !== made?.metadata.uid;
      return isOfThis && (await isWhole(user));
    };

    await concern.cluster.patch(refTo(ClusterRole, impersonatorName(user)), {
      merge: { rules: null, metadata: { labels: null } },
    });
    await eventually(async () => (await role(user))?.rules, { within });
    await concern.cluster.delete(refTo(ClusterRole, impersonatorName(user)));
    await eventually(isWholeAgain, { within });
    await concern.cluster.delete(
      refTo(ServiceAccount, impersonatorName(user), impersonationNamespace),
    );

    await eventually(() => isWhole(user), { within });
  });

  it("leaves alone what somebody else made under the name", async () => {
    const user = await anyone();
    const metadata = { name: impersonatorName(user) };
    const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }];
    await concern.stop();
    await concern.cluster.create({ ...refTo(ClusterRole, metadata.name), rules } as ClusterRole);
    await run(); // what it has not seen yet it would take for its own

    const bound = await bind(user);
    await eventually(() => concern.metric(failures), { within });
    const given = await binding(user);
    await remove(bound);
    await quiet(concern);

    expect(given).to.equal(undefined);
    expect((await role(user))?.rules).to.deep.equal(rules);
  });
});

const failures =
  'controller_runtime_reconcile_total{controller="downstream-impersonators",result="error"}';
