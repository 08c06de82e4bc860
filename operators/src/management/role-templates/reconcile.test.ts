import { RoleTemplate, roleTemplateLabels, roleTemplateNames } from "@drover/crds";
import { aRoleTemplate } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Controller, refTo } from "kopf-ts";
import { ClusterRole } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { cluster, RunningConcern } from "../../testing/concern.ts";
import { eventsAbout } from "../../testing/events.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { roleTemplates } from "./index.ts";

const on = (resource: string) => ({
  verbs: ["get", "list"],
  apiGroups: ["management.cattle.io"],
  resources: [resource],
});
const names = roleTemplateNames;
const runs = 'controller_runtime_reconcile_total{controller="role-templates",result="success"}';
const wait = { within: 15_000 };

/** Templates are seen by one cache, as in a server: that of this test's. */
function narrowed(label: string): Controller<RoleTemplate> {
  const select = { labelSelector: `test=${label}` };
  const related = roleTemplates.related?.map((each) =>
    each.kind === RoleTemplate ? { ...each, select } : each,
  );
  return { ...roleTemplates, related: related ?? [] };
}

describe("role-templates on an API server", function () {
  this.timeout(60_000);

  let concern: RunningConcern;

  before(() => cluster());
  beforeEach(async () => {
    concern = await RunningConcern.open();
    await concern.run(narrowed(concern.label));
  });
  afterEach(() => concern[Symbol.asyncDispose]());

  const create = (fields: Partial<Omit<RoleTemplate, "metadata">>, name = uniqueName("rt")) =>
    concern.create(aRoleTemplate({ metadata: { name }, rules: [on("nodes")], ...fields }));
  const find = (name: string) => concern.client.find(ClusterRole, name);
  const present = (name: string) => eventually(() => find(name), wait);
  const absent = (name: string) => eventually(async () => (await find(name)) === undefined, wait);
  const rulesOf = async (name: string) => (await find(name))?.rules ?? [];

  it("makes a role and its aggregator, owned by the template", async () => {
    const template = await create({});
    const { name, uid } = template.metadata;

    const role = await present(names.clusterManagement(name));
    const aggregator = await present(names.clusterManagementAggregator(name));

    expect(role.rules).to.deep.equal([on("nodes")]);
    for (const { metadata } of [role, aggregator]) {
      expect(metadata.ownerReferences?.[0]).to.include({ kind: "RoleTemplate", name, uid });
      expect(metadata.labels?.[roleTemplateLabels.clusterRoleOwner]).to.equal(name);
    }
    await eventually(async () => (await rulesOf(aggregator.metadata.name)).length === 1, wait);
  });

  it("lets a template that only inherits have what the other has, also when that changes", async () => {
    const base = await create({ rules: [] });
    const middle = await create({ rules: [], roleTemplateNames: [base.metadata.name] });
    const top = await create({ rules: [], roleTemplateNames: [middle.metadata.name] });
    await quiet(concern);
    expect(writes(concern)).to.deep.equal([]);

    await concern.client.patch(base, { merge: { rules: [on("projects")] } });

    const aggregator = names.clusterManagementAggregator(top.metadata.name);
    await eventually(async () => (await rulesOf(aggregator)).length === 1, wait);
    expect(await rulesOf(aggregator)).to.deep.equal([on("projects")]);
    expect(await find(names.clusterManagement(top.metadata.name))).to.equal(undefined);

    await concern.client.patch(base, { merge: { rules: [] } });
    await absent(aggregator);
  });

  it("follows the ClusterRole of an external template", async () => {
    const name = uniqueName("external");
    await concern.client.create({ ...refTo(ClusterRole, name), rules: [on("nodes")] });
    await create({ external: true, rules: [] }, name);
    await present(names.clusterManagement(name));

    const rules = [on("projects")];
    await concern.client.patch(refTo(ClusterRole, name), { merge: { rules } });

    const changed = async () => (await rulesOf(names.clusterManagement(name)))[0]?.resources?.[0];
    await eventually(async () => (await changed()) === "projects", wait);
  });

  it("case 66: makes no roles of rules with names, which are those of objects in the cluster", async () => {
    const { name } = (await create({})).metadata;
    await present(names.clusterManagement(name));
    const rules = [{ ...on("nodes"), resourceNames: ["n-1"] }];

    await concern.client.patch(refTo(RoleTemplate, name), { merge: { rules } });

    await absent(names.clusterManagement(name));
    await absent(names.clusterManagementAggregator(name));
  });

  it("costs one write per role, and none after a restart", async () => {
    const template = await create({});
    await present(names.clusterManagement(template.metadata.name));
    await present(names.clusterManagementAggregator(template.metadata.name));
    await quiet(concern);
    expect(writes(concern)).to.have.length(2);

    await using again = await RunningConcern.open();
    const metadata = { labels: { test: again.label } };
    await concern.client.patch(template, { merge: { metadata } });
    await again.run(narrowed(again.label));
    await eventually(async () => (await again.metric(runs)) >= 1, wait);
    await quiet(again);

    expect(writes(again)).to.deep.equal([]);
  });

  it("puts back what people delete, change or relabel", async () => {
    const { name } = (await create({})).metadata;
    const role = names.clusterManagement(name);
    const first = await present(role);

    await concern.client.delete(first);
    const second = await eventually(async () => {
      const found = await find(role);
      return found?.metadata.uid === first.metadata.uid ? undefined : found;
    }, wait);
    await concern.client.patch(second, { merge: { rules: [] } });
    await eventually(async () => (await rulesOf(role)).length === 1, wait);
    const key = roleTemplateLabels.aggregates;
    await concern.client.patch(second, { merge: { metadata: { labels: { [key]: "other" } } } });
    await eventually(async () => (await find(role))?.metadata.labels?.[key] === role, wait);
  });

  it("deletes what Rancher left and nobody asks for, save for the roles of the cluster", async () => {
    const name = uniqueName("rt");
    const labels = { [roleTemplateLabels.clusterRoleOwner]: name };
    const theirs = [names.clusterRole(name), names.aggregator(name), names.promoted(name)];
    for (const each of [...theirs, names.clusterManagement(name)]) {
      await concern.client.create({
        ...refTo(ClusterRole, each),
        metadata: { name: each, labels },
      });
    }

    await create({ rules: [] }, name);

    await absent(names.clusterManagement(name));
    for (const each of theirs) expect(await find(each)).not.to.equal(undefined);
  });

  it("leaves a copy of its role alone that has all labels and annotations", async () => {
    const template = await create({});
    const { metadata, rules = [] } = await present(names.clusterManagement(template.metadata.name));
    const { labels = {}, annotations = {} } = metadata;
    const name = `${metadata.name}-copy`;
    const copy = { ...refTo(ClusterRole, name), metadata: { name, labels, annotations }, rules };
    await concern.client.create(copy);

    await concern.client.patch(template, { merge: { rules: [on("projects")] } });

    await eventually(
      async () => (await rulesOf(metadata.name))[0]?.resources?.[0] === "projects",
      wait,
    );
    await quiet(concern);
    expect(await rulesOf(name)).to.deep.equal([on("nodes")]);
  });

  it("leaves a stranger's role of its name alone, and says so", async () => {
    const name = uniqueName("rt");
    const taken = names.clusterManagement(name);
    await concern.client.create({ ...refTo(ClusterRole, taken), rules: [] });

    await create({}, name);

    await present(names.clusterManagementAggregator(name));
    await concern.flush();
    await eventually(async () => {
      await concern.flush();
      return (await eventsAbout(concern.client, name)).some((text) => text.startsWith("NameTaken"));
    }, wait);
    expect(await rulesOf(taken)).to.deep.equal([]);
  });

  it("takes the roles away with the template, past finalizers of Rancher's", async () => {
    const name = uniqueName("rt");
    const finalizers = [
      "controller.cattle.io/mgmt-auth-roletemplate-lifecycle",
      "wrangler.cattle.io/mgmt-roletemplate-remove-handler",
    ];
    const template = await concern.create(
      aRoleTemplate({ metadata: { name, finalizers }, rules: [on("nodes")] }),
    );
    await present(names.clusterManagementAggregator(name));

    await concern.client.delete(template);

    await absent(names.clusterManagement(name));
    await absent(names.clusterManagementAggregator(name));
    await eventually(async () => (await concern.find(RoleTemplate, template)) === undefined, wait);
  });
});
