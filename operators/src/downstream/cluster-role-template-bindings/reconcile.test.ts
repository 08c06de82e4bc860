import {
  ClusterRoleTemplateBinding,
  clusterBindingOwnerKey,
  impersonationNamespace,
  impersonatorName,
  RoleTemplate,
  roleTemplateLabels,
  roleTemplateNames,
} from "@drover/crds";
import { aClusterRoleTemplateBinding, aRoleTemplate, aUser } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { clusterRoleRef, mayDo, noUserMessage, sharedClusterRoleBinding } from "@drover/platform";
import { expect } from "chai";
import { isAlreadyExists, type KubeObject, refTo } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Namespace, ServiceAccount } from "kopf-ts/kinds";
import { fakeClock } from "kopf-ts/testing";
import { RunningDownstream } from "../../testing/downstream.ts";
import { eventsIn } from "../../testing/events.ts";
import { eachDownstream } from "../../testing/hooks.ts";
import { until } from "../../testing/until.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { clusterRoleTemplateBindings } from "./index.ts";

const pods = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const apiGroup = ClusterRole.group;

describe("downstream cluster-role-template-bindings on two API servers", function () {
  this.timeout(90_000);

  let concern: RunningDownstream;

  eachDownstream((running) => {
    concern = running;
  });

  const run = () => concern.run(clusterRoleTemplateBindings);

  type Fields = Partial<Omit<ClusterRoleTemplateBinding, "metadata">>;
  const aBinding = (fields: Fields, name = uniqueName("crtb")) =>
    aClusterRoleTemplateBinding({
      userName: uniqueName("u"),
      clusterName: concern.name,
      roleTemplateName: uniqueName("rt"),
      ...fields,
      metadata: { name, namespace: concern.name },
    });
  const bind = async (fields: Fields, name?: string) => {
    const binding = await concern.hub.create(aBinding(fields, name));
    await tellLocally(binding);
    return binding;
  };
  /** What the management cluster's controller says when it is through with a binding. */
  const tellLocally = (binding: ClusterRoleTemplateBinding) => {
    const { generation = 0 } = binding.metadata;
    const status = { observedGenerationLocal: generation, summaryLocal: "Completed" };
    return concern.hub.patch(binding, { merge: { status } }, { subresource: "status" });
  };
  const find = ({ metadata: { name } }: KubeObject) =>
    concern.hub.find(ClusterRoleTemplateBinding, name, { namespace: concern.name });

  /** A template, with its aggregator in the cluster as it was filled. */
  const aTemplate = async (): Promise<string> => {
    const template = await concern.hub.create(aRoleTemplate());
    const name = roleTemplateNames.aggregator(template.metadata.name);
    await concern.cluster.create({ ...refTo(ClusterRole, name), rules: [pods] } as ClusterRole);
    return template.metadata.name;
  };
  const wanted = ({ roleTemplateName, userName = "" }: ClusterRoleTemplateBinding) =>
    sharedClusterRoleBinding(clusterRoleRef(roleTemplateNames.aggregator(roleTemplateName)), {
      kind: "User",
      name: userName,
      apiGroup,
    });
  const made = (binding: ClusterRoleTemplateBinding) =>
    concern.cluster.find(ClusterRoleBinding, wanted(binding).metadata.name);
  const told = async (binding: KubeObject, type: string) =>
    (await find(binding))?.status?.remoteConditions?.find((each) => each.type === type);
  const may = (username = "") =>
    mayDo(concern.cluster, { username, groups: [] }, { verb: "get", resource: "pods" });

  /** The account of a user, as others make it. */
  const anAccount = async (user = "") => {
    const namespace = refTo(Namespace, impersonationNamespace);
    await concern.cluster.create(namespace).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
    await concern.cluster.create(
      refTo(ServiceAccount, impersonatorName(user), impersonationNamespace),
    );
  };

  const completed = (binding: KubeObject) =>
    until(async () => {
      const found = await find(binding);
      return found?.status?.summaryRemote === "Completed" ? found : undefined;
    });

  it("case 55: grants the template while the binding is there", async () => {
    await run();
    const binding = await bind({ roleTemplateName: await aTemplate() });

    await until(() => may(binding.userName));
    const found = await made(binding);
    await concern.hub.delete(binding, { preconditions: "none" });
    await until(async () => !(await may(binding.userName)));

    expect(found?.metadata.labels).to.deep.equal({
      "management.cattle.io/roletemplate-aggregation": "true",
      [clusterBindingOwnerKey(binding.metadata.name)]: "true",
    });
    expect(found?.metadata.ownerReferences).to.equal(undefined);
  });

  it("tells how it went in its half of the status, in one write, and costs nothing after a restart", async () => {
    await using still = await RunningDownstream.open({ clock: fakeClock(Date.now()) });
    concern = still;
    await run();
    const { metadata } = await concern.hub.create(aUser({ metadata: { name: uniqueName("u") } }));
    const fields = { roleTemplateName: await aTemplate(), userName: metadata.name };
    const binding = await concern.hub.create(aBinding(fields));
    await until(() => made(binding));
    await anAccount(metadata.name);
    await quiet(concern);
    const silent = await find(binding);
    await tellLocally(binding);
    const settled = await completed(binding);
    await quiet(concern);
    const first = writes(concern);

    await run();
    await quiet(concern);

    expect(silent?.status).to.equal(undefined);
    expect(settled.status).to.include({ summary: "Completed", summaryLocal: "Completed" });
    expect(
      settled.status?.remoteConditions?.map(({ type, status }) => `${type} ${status}`),
    ).to.deep.equal(["ReconcileClusterRoleBindings True", "EnsureServiceAccountImpersonator True"]);
    expect(writes(concern)).to.deep.equal(first);
    expect(first.map(({ where, verb }) => `${where} ${verb}`)).to.deep.equal([
      "cluster create",
      "hub patch",
    ]);
  });

  it("tells what a binding waits for once it is no longer new", async () => {
    const clock = fakeClock(Date.now());
    await using slow = await RunningDownstream.open({ clock });
    concern = slow;
    await run();
    const { metadata } = await concern.hub.create(aUser({ metadata: { name: uniqueName("u") } }));
    const binding = await bind({
      roleTemplateName: await aTemplate(),
      userName: metadata.name,
    });
    await until(() => made(binding));
    await quiet(concern);
    const silent = await told(binding, "EnsureServiceAccountImpersonator");

    const waiting = await until(async () => {
      await clock.advance(1000); // a run that was in work waits only from then on
      return told(binding, "EnsureServiceAccountImpersonator");
    });
    await anAccount(metadata.name);
    await completed(binding);

    expect(silent).to.equal(undefined);
    expect(waiting).to.include({ status: "Unknown", reason: "WaitsForImpersonator" });
  });

  it("case 63: replaces a binding of another role or subject, and repairs relabelled and deleted ones", async () => {
    await run();
    const binding = await bind({ roleTemplateName: await aTemplate() });
    const first = await until(() => made(binding));
    const { metadata, ...granting } = wanted(binding);

    const marks = { labels: first.metadata.labels, annotations: first.metadata.annotations };
    for (const wrong of [
      { roleRef: { ...granting.roleRef, name: "cluster-admin" } },
      { subjects: [{ kind: "User", name: "u-eve", apiGroup } as const] },
    ]) {
      await concern.stop();
      await concern.cluster.delete(refTo(ClusterRoleBinding, metadata.name));
      await concern.cluster.create({
        ...granting,
        ...wrong,
        metadata: { ...metadata, ...marks },
      } as ClusterRoleBinding);
      await run();
      await until(async () => {
        const found = await made(binding);
        return (
          found?.roleRef.name === granting.roleRef.name &&
          found.subjects?.[0]?.name === binding.userName
        );
      });
    }
    await concern.cluster.patch(refTo(ClusterRoleBinding, metadata.name), {
      merge: { metadata: { labels: null } },
    });
    await until(async () => (await made(binding))?.metadata.labels);
    await concern.cluster.delete(refTo(ClusterRoleBinding, metadata.name));

    await until(() => made(binding));
  });

  it("case 67: takes over what a Rancher made, and deletes what its legacy model made", async () => {
    const binding = aBinding({ roleTemplateName: await aTemplate() });
    const { metadata, ...granting } = wanted(binding);
    const { name } = binding.metadata;
    const legacy = uniqueName("clusterrolebinding");
    await concern.cluster.create({
      ...granting,
      metadata: { ...metadata, labels: { [clusterBindingOwnerKey(name)]: "true" } },
    });
    const labels = { "authz.cluster.cattle.io/rtb-owner-updated": `${concern.name}_${name}` };
    await concern.cluster.create({ ...granting, metadata: { name: legacy, labels } });

    await concern.hub.create(binding);
    await run();
    await until(async () => !(await concern.cluster.find(ClusterRoleBinding, legacy)));
    await concern.hub.delete(binding, { preconditions: "none" });

    await until(async () => !(await made(binding)));
  });

  it("case 67: takes over what the legacy model made where it grants the very same", async () => {
    const template = await concern.hub.create(aRoleTemplate({ external: true }));
    const roleTemplateName = template.metadata.name;
    const binding = aBinding({ roleTemplateName });
    const subject = { kind: "User", name: binding.userName ?? "", apiGroup } as const;
    const granted = sharedClusterRoleBinding(clusterRoleRef(roleTemplateName), subject);
    const { name } = granted.metadata;
    const labels = { [roleTemplateLabels.legacyOwner]: `${concern.name}_${binding.metadata.name}` };
    const before = await concern.cluster.create<ClusterRoleBinding>({
      ...granted,
      metadata: { name, labels },
    });
    const live = () => concern.cluster.find(ClusterRoleBinding, name);

    await concern.hub.create(binding);
    await run();
    const owner = clusterBindingOwnerKey(binding.metadata.name);
    const after = await until(async () => {
      const found = await live();
      return found?.metadata.labels?.[owner] === "true" && found;
    });
    await concern.hub.delete(binding, { preconditions: "none" });
    await until(async () => !(await live()));

    expect(after.metadata.uid).to.equal(before.metadata.uid);
  });

  it("shares what two bindings grant to one user, until the last is gone", async () => {
    await run();
    const fields = { roleTemplateName: await aTemplate(), userName: uniqueName("u") };
    const [one, other] = [await bind(fields), await bind(fields)];
    const labelsOf = async () => Object.keys((await made(one))?.metadata.labels ?? {});
    await until(async () => (await labelsOf()).length === 3);

    await concern.hub.delete(one, { preconditions: "none" });
    await until(async () => (await labelsOf()).length === 2);
    const kept = await may(fields.userName);
    await concern.stop();
    await concern.hub.delete(other, { preconditions: "none" });
    await run();

    await until(async () => !(await may(fields.userName)));
    expect(kept).to.equal(true);
  });

  it("leaves a stranger's binding of the name alone, and says so", async () => {
    await run();
    const binding = aBinding({ roleTemplateName: await aTemplate() });
    const { metadata, ...granting } = wanted(binding);
    const labels = { "management.cattle.io/roletemplate-aggregation": "true" };
    await concern.cluster.create({ ...granting, metadata: { ...metadata, labels } });

    await concern.hub.create(binding);
    const condition = await until(async () => {
      const found = await told(binding, "ReconcileClusterRoleBindings");
      return found?.status === "False" ? found : undefined;
    });
    await concern.hub.delete(binding, { preconditions: "none" });
    await quiet(concern);

    expect(condition.reason).to.equal("NameTaken");
    expect((await made(binding))?.metadata.labels).to.deep.equal(labels);
  });

  it("tells of a missing user and a missing template, and grants once they are there", async () => {
    await run();
    const name = uniqueName("rt");
    const binding = await bind({ roleTemplateName: name });

    const missing = await until(() => told(binding, "ReconcileClusterRoleBindings"));
    const account = await told(binding, "EnsureServiceAccountImpersonator");
    await concern.flush();
    const events = await eventsIn(concern.hub, concern.name, binding.metadata.name);
    await concern.cluster.create({
      ...refTo(ClusterRole, roleTemplateNames.aggregator(name)),
      rules: [pods],
    } as ClusterRole);
    await concern.hub.create(aRoleTemplate({ metadata: { name } }));
    await until(() => may(binding.userName));

    expect(missing).to.include({ status: "False", reason: "FailureToGetRoleTemplate" });
    expect(account).to.include({
      ...{ status: "False", reason: "UserNotFound" },
      message: noUserMessage(binding.userName ?? ""),
    });
    expect(events.join("\n")).to.match(
      /FailureToGetRoleTemplate: .*make it, or delete the binding/,
    );

    await concern.hub.delete(refTo(RoleTemplate, name));
    await until(async () => !(await may(binding.userName)));
  });

  it("grants nothing any more while somebody's finalizer holds a binding, and takes its own kind off", async () => {
    await run();
    const binding = aBinding({ roleTemplateName: await aTemplate() });
    const finalizers = [`clusterscoped.controller.cattle.io/x_${concern.name}`, "test.dev/hold"];
    await concern.hub.create({ ...binding, metadata: { ...binding.metadata, finalizers } });
    await until(() => may(binding.userName));
    await until(async () => (await find(binding))?.metadata.finalizers?.length === 1);

    await concern.hub.delete(binding, { preconditions: "none" });
    await until(async () => !(await may(binding.userName)));

    expect((await find(binding))?.metadata.finalizers).to.deep.equal(["test.dev/hold"]);
    await concern.hub.patch(binding, { merge: { metadata: { finalizers: null } } });
  });
});
