import { type PolicyRule, RoleTemplate, roleTemplateNames } from "@drover/crds";
import { aRoleTemplate } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { mayDo } from "@drover/platform";
import { expect } from "chai";
import { type Client, type KubeObject, refTo } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { RunningDownstream } from "../../testing/downstream.ts";
import { eventsAbout } from "../../testing/events.ts";
import { eachDownstream } from "../../testing/hooks.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { roleTemplates } from "./index.ts";

const pods = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const nodes = { verbs: ["get"], apiGroups: [""], resources: ["nodes"] };
const secrets = { verbs: ["get"], apiGroups: [""], resources: ["secrets"] };
const aggregates = "management.cattle.io/aggregates";
const within = 20_000;

describe("downstream role-templates on two API servers", function () {
  this.timeout(90_000);

  let concern: RunningDownstream;

  eachDownstream((running) => {
    concern = running;
  });

  const run = () => concern.run(roleTemplates);

  type Fields = Partial<Omit<RoleTemplate, "metadata">>;
  const create = (fields: Fields = {}, name = uniqueName("rt")) =>
    concern.hub.create(concern.mine(aRoleTemplate({ ...fields, metadata: { name } })));
  const roleNamed = (name: string) => concern.cluster.find(ClusterRole, name);
  const aggregatorOf = ({ metadata }: RoleTemplate) =>
    roleNamed(roleTemplateNames.aggregator(metadata.name));

  /** Lets somebody use an aggregator, and answers who. */
  const bind = async (template: RoleTemplate): Promise<string> => {
    const user = uniqueName("u");
    const apiGroup = ClusterRole.group;
    await concern.cluster.create({
      ...refTo(ClusterRoleBinding, uniqueName("bound")),
      roleRef: {
        apiGroup,
        kind: "ClusterRole",
        name: roleTemplateNames.aggregator(template.metadata.name),
      },
      subjects: [{ kind: "User", name: user, apiGroup }],
    } as ClusterRoleBinding);
    return user;
  };
  const may = (client: Client, user: string, resource: string, verb = "get") =>
    mayDo(client, { username: user, groups: [] }, { verb, resource });

  it("makes the roles in the cluster with two writes, and none after a restart", async () => {
    await run();
    const template = await create({ rules: [{ ...pods, resourceNames: [] }] });
    const role = await eventually(() => roleNamed(template.metadata.name), { within });
    await eventually(() => aggregatorOf(template), { within });
    await quiet(concern);
    const first = writes(concern);

    await run();
    await quiet(concern);

    expect(role.rules).to.deep.equal([pods]);
    expect(role.metadata.ownerReferences).to.equal(undefined);
    expect(role.metadata.labels).to.include({
      [aggregates]: template.metadata.name,
      "authz.cluster.cattle.io/clusterrole-owner": template.metadata.name,
      "management.cattle.io/roletemplate-aggregation": "true",
    });
    expect(first.map(({ verb, where }) => `${verb} ${where}`)).to.deep.equal([
      "apply cluster",
      "apply cluster",
    ]);
    expect(writes(concern)).to.deep.equal(first);
    expect(await concern.hub.find(ClusterRole, template.metadata.name)).to.equal(undefined);
  });

  it("grants what is inherited through a chain, and what changes in it", async () => {
    await run();
    const b = await create({ rules: [secrets] });
    const a = await create({ rules: [], roleTemplateNames: [b.metadata.name] });
    const c = await create({ rules: [], roleTemplateNames: [a.metadata.name] });
    const user = await bind(c);

    await eventually(() => may(concern.cluster, user, "secrets"), { within });
    await concern.hub.patch(b, { merge: { rules: [pods] } });
    await eventually(() => may(concern.cluster, user, "pods"), { within });

    await eventually(async () => !(await may(concern.cluster, user, "secrets")), { within });
  });

  it("case 60: makes promoted roles when a template of projects gains such rules, also by inheritance", async () => {
    await run();
    const b = await create({ context: "project", rules: [pods] });
    const fields = { context: "project", rules: [], roleTemplateNames: [b.metadata.name] } as const;
    const a = await create(fields);
    await eventually(() => aggregatorOf(a), { within });
    const promotedAggregator = roleTemplateNames.promotedAggregator(a.metadata.name);
    expect(await roleNamed(promotedAggregator)).to.equal(undefined);

    await concern.hub.patch(b, { merge: { rules: [pods, nodes] } });
    const filled = await eventually(
      async () => {
        const found = await roleNamed(promotedAggregator);
        return found?.rules?.length ? found : undefined;
      },
      { within },
    );
    await concern.hub.patch(b, { merge: { rules: [pods] } });

    expect(filled.rules).to.deep.equal([nodes]);
    await eventually(async () => !(await roleNamed(promotedAggregator)), { within });
    await eventually(async () => !(await roleNamed(roleTemplateNames.promoted(b.metadata.name))), {
      within,
    });
  });

  it("puts back what people change, relabel or delete", async () => {
    await run();
    const template = await create({ rules: [pods] });
    const aggregator = await eventually(() => aggregatorOf(template), { within });
    const role = await eventually(() => roleNamed(template.metadata.name), { within });

    await concern.cluster.patch(role, { merge: { rules: [secrets] } });
    await eventually(
      async () => (await roleNamed(role.metadata.name))?.rules?.[0]?.resources?.[0] === "pods",
      { within },
    );
    await concern.cluster.patch(role, { merge: { metadata: { labels: null } } });
    await eventually(
      async () => (await roleNamed(role.metadata.name))?.metadata.labels?.[aggregates],
      { within },
    );
    await concern.cluster.patch(aggregator, {
      merge: { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { all: "mine" } }] } },
    });
    await eventually(
      async () =>
        (await aggregatorOf(template))?.aggregationRule?.clusterRoleSelectors?.[0]?.matchLabels?.[
          aggregates
        ] === template.metadata.name,
      { within },
    );
    await concern.cluster.delete(refTo(ClusterRole, role.metadata.name));

    await eventually(() => roleNamed(role.metadata.name), { within });
  });

  it("takes the roles away with the template, also when it went while nobody looked", async () => {
    await run();
    const [one, other] = [await create(), await create()];
    for (const each of [one, other]) await eventually(() => aggregatorOf(each), { within });

    await concern.hub.delete(refTo(RoleTemplate, one.metadata.name));
    await eventually(async () => !(await aggregatorOf(one)), { within });
    await concern.stop();
    await concern.hub.delete(refTo(RoleTemplate, other.metadata.name));
    await run();

    await eventually(async () => !(await aggregatorOf(other)), { within });
    await eventually(async () => !(await roleNamed(other.metadata.name)), { within });
  });

  it("leaves a stranger's role of the name alone, and says so", async () => {
    const name = uniqueName("rt");
    const labels = { "management.cattle.io/roletemplate-aggregation": "true" };
    const metadata = { name, labels };
    await concern.cluster.create({
      ...refTo(ClusterRole, name),
      metadata,
      rules: [secrets],
    } as ClusterRole);
    await run();

    const template = await create({ rules: [pods] }, name);
    await eventually(() => aggregatorOf(template), { within });
    await eventually(
      async () => {
        await concern.flush();
        return (await eventsAbout(concern.hub, name)).find((each) => each.startsWith("NameTaken"));
      },
      { within },
    );
    await concern.hub.delete(refTo(RoleTemplate, name));
    await eventually(async () => !(await aggregatorOf(template)), { within });

    expect((await roleNamed(name))?.rules).to.deep.equal([secrets]);
    const told = concern.lines.filter((line) => line.includes(`made by somebody else`));
    const twice = told.filter((line) => line.includes("is not carried out"));
    expect(told).to.not.deep.equal([]);
    expect(twice).to.deep.equal([]); // what is tried again is logged already
  });

  it("case 67: takes over what the legacy model made", async () => {
    const name = uniqueName("rt");
    const put = (metadata: KubeObject["metadata"], rules: readonly PolicyRule[]) =>
      concern.cluster.create<ClusterRole>({ ...refTo(ClusterRole, ""), metadata, rules });
    const annotations = { "authz.cluster.cattle.io/clusterrole-owner": name };
    await put({ name, annotations }, [secrets]);
    await put({ name: roleTemplateNames.promoted(name) }, [nodes]);
    await run();

    const template = await create({ context: "project", rules: [pods, nodes] }, name);
    const user = await bind(template);
    await eventually(() => may(concern.cluster, user, "pods"), { within });
    const promoted = await eventually(
      async () => {
        const found = await roleNamed(roleTemplateNames.promoted(name));
        return found?.metadata.labels?.[aggregates] !== undefined && found;
      },
      { within },
    );
    await concern.hub.delete(refTo(RoleTemplate, name));
    await eventually(async () => !(await roleNamed(name)), { within });
    await eventually(async () => !(await roleNamed(promoted.metadata.name)), { within });

    expect(promoted.rules).to.deep.equal([nodes]);
  });

  it("keeps the roles that another hub has in the cluster, whatever its templates are called", async () => {
    await using nested = await RunningDownstream.open({ name: uniqueName("local") });
    await nested.run(roleTemplates);
    const name = uniqueName("rt");
    const theirs = nested.mine(concern.mine(aRoleTemplate({ metadata: { name } })));
    const labels = { test: nested.label };
    await concern.hub.create({ ...theirs, metadata: { ...theirs.metadata, labels } });
    await eventually(() => roleNamed(name), { within });

    await run();
    await concern.hub.patch(theirs, { merge: { metadata: { labels: { test: concern.label } } } });
    await quiet(nested);
    await quiet(concern);

    // One hub sees its template go, the other finds the names taken by marks of another cluster's name.
    expect(concern.sent.filter(({ verb }) => verb === "delete")).to.deep.equal([]);
  });

  it("labels the ClusterRole of an external template, once it is there, and takes the label back", async () => {
    await run();
    const external = await create({ external: true, rules: [] });
    const { name } = external.metadata;
    const a = await create({ rules: [], roleTemplateNames: [name] });
    const user = await bind(a);
    const labelOf = async () => (await roleNamed(name))?.metadata.labels?.[aggregates];

    await concern.cluster.create({ ...refTo(ClusterRole, name), rules: [secrets] } as ClusterRole);
    await eventually(labelOf, { within });
    await eventually(() => may(concern.cluster, user, "secrets"), { within });
    await concern.hub.delete(refTo(RoleTemplate, name));

    await eventually(async () => (await labelOf()) === undefined, { within });
    expect((await roleNamed(name))?.rules).to.deep.equal([secrets]);
  });

  it("says of circles and missing templates, and does what is possible", async () => {
    await run();
    const [a, b] = [uniqueName("rt"), uniqueName("rt")];
    await create({ rules: [pods], roleTemplateNames: [b, uniqueName("nowhere")] }, a);
    const template = await create({ rules: [secrets], roleTemplateNames: [a] }, b);

    const found = await eventually(
      async () => {
        await concern.flush();
        const events = await eventsAbout(concern.hub, a);
        return events.some((each) => each.startsWith("Circular")) ? events : undefined;
      },
      { within },
    );
    const user = await bind(template);
    await eventually(() => may(concern.cluster, user, "secrets"), { within });

    expect(found.join("\n")).to.match(/RoleTemplateNotFound: inherits nowhere/);
    expect(await may(concern.cluster, user, "pods")).to.equal(false);
  });

  it("takes a Rancher's finalizer for this cluster off a template, and none for another", async () => {
    const finalizer = (name: string) => `clusterscoped.controller.cattle.io/sync_${name}`;
    const name = uniqueName("rt");
    const finalizers = [finalizer(concern.name), finalizer("c-other")];
    const held = concern.mine(aRoleTemplate({ metadata: { name } }));
    await concern.hub.create({ ...held, metadata: { ...held.metadata, finalizers } });

    await run();
    const left = await eventually(
      async () => {
        const found = await concern.hub.find(RoleTemplate, name);
        return found?.metadata.finalizers?.length === 1 ? found.metadata.finalizers : undefined;
      },
      { within },
    );

    expect(left).to.deep.equal([finalizer("c-other")]);
    await concern.hub.patch(held, { merge: { metadata: { finalizers: null } } });
  });
});
