import { Project } from "@drover/crds";
import { aProject } from "@drover/crds/testing";
import { secondTestEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Context, type Controller, done, type Result, refTo, related } from "kopf-ts";
import { ConfigMap } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { cluster } from "./concern.ts";
import { RunningDownstream } from "./downstream.ts";
import { writes } from "./writes.ts";

/** Writes the name of each Project of its cluster to a ConfigMap there, and says so. */
function copying(reconcile: Controller<Project>["reconcile"] = copy): Controller<Project> {
  return {
    name: "copying",
    watches: Project,
    hub: { clusters: ({ metadata }) => [metadata.namespace ?? ""] },
    reads: [ConfigMap],
    reconcile,
  };
}

async function copy({ metadata }: Project, context: Context): Promise<Result> {
  const { client, cache, events } = context;
  const { name } = metadata;
  const known = cache(ConfigMap).has(`default/${name}`);
  if (!known) await client.create({ ...refTo(ConfigMap, name, "default") });
  if (!known) events.normal("Copied", "to the cluster");
  return done;
}

/** A Project of a cluster. */
const aProjectOf = (cluster: string): Project =>
  aProject({
    metadata: { namespace: cluster, name: uniqueName("p") },
    spec: { clusterName: cluster, displayName: "x" },
  });

describe("RunningDownstream", function () {
  this.timeout(60_000);
  before(async function () {
    this.timeout(180_000);
    await Promise.all([cluster(), secondTestEnv()]);
  });

  it("runs a concern for its cluster alone, and tells what it sent where", async () => {
    await using one = await RunningDownstream.open();
    await using other = await RunningDownstream.open();
    await one.run(copying());
    const project = await one.hub.create(aProjectOf(one.name));
    const strange = await other.hub.create(aProjectOf(other.name));
    const { name } = project.metadata;

    const read = () => one.cluster.find(ConfigMap, name, { namespace: "default" });
    await eventually(read, { within: 10_000 });
    await one.flush();

    expect(
      await one.cluster.find(ConfigMap, strange.metadata.name, { namespace: "default" }),
    ).to.equal(undefined);
    expect(await one.hub.find(ConfigMap, name, { namespace: "default" })).to.equal(undefined);
    expect(
      writes(one).map(({ where, verb, resource }) => `${where} ${verb} ${resource}`),
    ).to.deep.equal(["cluster create configmaps"]);
    expect(
      one.sent.some(
        ({ where, resource }) => where === "hub" && resource === "events.events.k8s.io",
      ),
    ).to.equal(true);
  });

  it("starts a concern again, which then finds what there is", async () => {
    await using running = await RunningDownstream.open();
    await running.run(copying());
    const { metadata } = await running.hub.create(aProjectOf(running.name));
    const read = () => running.cluster.find(ConfigMap, metadata.name, { namespace: "default" });
    await eventually(read, { within: 10_000 });
    await running.flush(); // the run that wrote it has its answer, and is not cut off
    let runs = 0;

    await running.run(
      copying(async (project, context) => {
        const result = await copy(project, context);
        runs += 1;
        return result;
      }),
    );
    await eventually(() => runs === 1, { within: 10_000 });
    await running.flush(); // what a run came to is counted once it has ended

    expect(writes(running)).to.have.length(1);
    expect(
      await running.metric(
        'controller_runtime_reconcile_total{controller="copying",result="success"}',
      ),
    ).to.equal(2);
  });

  it("shows a concern that watches all of a kind only what the test made", async () => {
    await using running = await RunningDownstream.open();
    const seen: string[] = [];
    await running.hub.create(aProjectOf(running.name));
    const mine = await running.hub.create(running.mine(aProjectOf(running.name)));

    await running.run({
      ...copying(async ({ metadata }) => {
        seen.push(metadata.name);
        return done;
      }),
      hub: true,
    });

    await eventually(() => seen.length > 0, { within: 10_000 });
    expect(seen).to.deep.equal([mine.metadata.name]);
  });

  it("shows no more of that kind where the concern is told of it once more", async () => {
    await using running = await RunningDownstream.open();
    const told: string[] = [];
    const tell = ({ metadata }: Project): string[] => {
      told.push(metadata.name);
      return [];
    };
    await running.run({
      ...copying(),
      hub: true,
      related: [related(Project, { hub: true, map: tell })],
    });

    const strange = await running.hub.create(aProjectOf(running.name));
    const mine = await running.hub.create(running.mine(aProjectOf(running.name)));

    await eventually(() => told.includes(mine.metadata.name), { within: 10_000 });
    expect(told).not.to.include(strange.metadata.name);
  });

  it("lets the hub be the cluster, with one set of caches", async () => {
    await using running = await RunningDownstream.open({ clusterIsHub: true });
    const { metadata } = await running.hub.create(aProjectOf(running.name));

    await running.run(copying());

    const read = () => running.hub.find(ConfigMap, metadata.name, { namespace: "default" });
    await eventually(read, { within: 10_000 });
    expect(running.cluster).to.equal(running.hub);
    const lists = running.sent.filter(({ verb, where }) => verb === "watch" && where === "cluster");
    expect(lists).to.deep.equal([]);
  });
});
