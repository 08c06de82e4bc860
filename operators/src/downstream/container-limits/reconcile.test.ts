import { isDeepStrictEqual } from "node:util";
import { type ContainerResourceLimit, Project } from "@drover/crds";
import { expect } from "chai";
import { type ObjectMeta, refTo } from "kopf-ts";
import { LimitRange, type Namespace } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import type { RunningDownstream } from "../../testing/downstream.ts";
import { eventsOf } from "../../testing/events.ts";
import { eachDownstream } from "../../testing/hooks.ts";
import { annotate, inside, newNamespace, newProject } from "../../testing/projects.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { containerLimits } from "./index.ts";

const label = "resourcequota.management.cattle.io/default-resource-quota";
const projectId = "field.cattle.io/projectId";
const limitKey = "field.cattle.io/containerDefaultResourceLimit";
const within = { within: 15_000 };

describe("container-limits between a hub and a cluster", function () {
  this.timeout(60_000);
  let running: RunningDownstream;

  eachDownstream((opened) => {
    running = opened;
  });

  const aProjectWith = (containerDefaultResourceLimit: ContainerResourceLimit) =>
    newProject(running, { spec: { containerDefaultResourceLimit } });
  const aMemberOf = (project: Project, more: Readonly<Record<string, string>> = {}) =>
    newNamespace(running, { ...inside(project), ...more });
  const rangesIn = async ({ metadata: { name } }: Namespace) =>
    (await running.cluster.list(LimitRange, { namespace: name })).items;
  /** Resolves when the one labelled LimitRange says this. */
  const untilItem = (namespace: Namespace, item: unknown) =>
    eventually(async () => {
      const found = (await rangesIn(namespace)).filter(
        ({ metadata }) => metadata.labels?.[label] === "true",
      );
      return found.length === 1 && isDeepStrictEqual(found[0]?.spec?.limits, [item]);
    }, within);
  const untilNone = (namespace: Namespace) =>
    eventually(async () => (await rangesIn(namespace)).length === 0, within);

  it("case 49: merges namespace and project, and follows both", async () => {
    await running.run(containerLimits);
    const project = await aProjectWith({ limitsCpu: "2", limitsMemory: "1Gi" });
    const own = JSON.stringify({ limitsCpu: "1", requestsCpu: "500m" });
    const namespace = await aMemberOf(project, { [limitKey]: own });

    const expected = {
      type: "Container",
      default: { cpu: "1", memory: "1Gi" },
      defaultRequest: { cpu: "500m", memory: "1Gi" }, // the server fills in requests by limits
    };
    await untilItem(namespace, expected);
    const [range] = await rangesIn(namespace);
    expect(range?.metadata.name).to.match(/^default-[a-z0-9]{5}$/);

    const ref = refTo(Project, project.metadata.name, running.name);
    await running.hub.patch(ref, {
      merge: { spec: { containerDefaultResourceLimit: { limitsMemory: "2Gi" } } },
    });
    await untilItem(namespace, {
      type: "Container",
      default: { cpu: "1", memory: "2Gi" },
      defaultRequest: { cpu: "500m", memory: "2Gi" },
    });
    await annotate(running, namespace, { [limitKey]: null });
    await untilItem(namespace, {
      type: "Container",
      default: { cpu: "2", memory: "2Gi" },
      defaultRequest: { cpu: "2", memory: "2Gi" },
    });
    await running.hub.patch(ref, { merge: { spec: { containerDefaultResourceLimit: null } } });
    await untilNone(namespace);
  });

  it("follows a namespace into another project and out of all of them", async () => {
    await running.run(containerLimits);
    const limits = { requestsCpu: "1", limitsCpu: "1" };
    const [from, to] = [
      await aProjectWith(limits),
      await aProjectWith({ ...limits, limitsCpu: "3" }),
    ];
    const namespace = await aMemberOf(from);
    await untilItem(namespace, {
      type: "Container",
      default: { cpu: "1" },
      defaultRequest: { cpu: "1" },
    });

    await annotate(running, namespace, inside(to));
    await untilItem(namespace, {
      type: "Container",
      default: { cpu: "3" },
      defaultRequest: { cpu: "1" },
    });

    await annotate(running, namespace, { [projectId]: null });
    await untilNone(namespace);
  });

  it("does as the annotation says outside of projects, too", async () => {
    await running.run(containerLimits);

    const namespace = await newNamespace(running, {
      [limitKey]: '{"requestsMemory":"64Mi","limitsMemory":"64Mi"}',
    });

    await untilItem(namespace, {
      type: "Container",
      default: { memory: "64Mi" },
      defaultRequest: { memory: "64Mi" },
    });
  });

  it("repairs what somebody deletes, changes or relabels, leaves others' alone, and then writes nothing", async () => {
    await running.run(containerLimits);
    const project = await aProjectWith({ limitsCpu: "1000m", requestsCpu: "0.5" });
    const namespace = await aMemberOf(project);
    const item = { type: "Container", default: { cpu: "1" }, defaultRequest: { cpu: "500m" } };
    await untilItem(namespace, item);
    const { name } = namespace.metadata;
    const [made] = await rangesIn(namespace);
    const ref = refTo(LimitRange, made?.metadata.name ?? "", name);
    const strange = await running.cluster.create<LimitRange>({
      ...ref,
      metadata: { name: "default-zzzzz", namespace: name, labels: { [label]: "true" } },
      spec: { limits: [{ type: "Pod", max: { cpu: "9" } }] },
    });
    const isRepaired = async () => {
      const live = await running.cluster.find(LimitRange, ref.metadata.name, { namespace: name });
      const said = isDeepStrictEqual(live?.spec?.limits, [item]);
      return said && live?.metadata.labels?.[label] === "true" && live;
    };

    await running.cluster.patch(ref, { merge: { metadata: { labels: null } } });
    await eventually(isRepaired, within);
    for (const limits of [[], [{ ...item, default: { cpu: "1", memory: "9Gi" } }]]) {
      await running.cluster.patch(ref, { merge: { spec: { limits } } });
      await eventually(isRepaired, within);
    }
    await eventually(isRepaired, within);
    await running.cluster.delete(ref);
    await eventually(isRepaired, within);
    await quiet(running);
    await running.stop();
    const before = writes(running).filter(({ where }) => where === "cluster").length;
    await running.run(containerLimits);
    await annotate(running, namespace, { "example.com/touched": "true" });
    await quiet(running);

    expect(writes(running).filter(({ where }) => where === "cluster").length).to.equal(before);
    const left = await running.cluster.get(LimitRange, strange.metadata.name, { namespace: name });
    expect(left.metadata.resourceVersion).to.equal(strange.metadata.resourceVersion);
  });

  it("takes over the oldest of what a Rancher made, and removes the others", async () => {
    const project = await aProjectWith({ limitsCpu: "1", requestsCpu: "1" });
    const namespace = await aMemberOf(project);
    const metadata = {
      generateName: "default-",
      namespace: namespace.metadata.name,
      labels: { [label]: "true" },
    };
    const old = {
      apiVersion: "v1",
      kind: LimitRange.kind,
      metadata: metadata as unknown as ObjectMeta, // the server makes the name
      spec: { limits: [{ type: "Container", default: { cpu: "7" } }] },
    };
    const made = [await running.cluster.create(old), await running.cluster.create(old)];

    await running.run(containerLimits);

    await untilItem(namespace, {
      type: "Container",
      default: { cpu: "1" },
      defaultRequest: { cpu: "1" },
    });
    await eventually(async () => (await rangesIn(namespace)).length === 1, within);
    const [left] = await rangesIn(namespace);
    expect(made.map((each) => each.metadata.uid)).to.include(left?.metadata.uid);
  });

  it("tells what is wrong with limits, keeps to the project's, and does not try for ever", async () => {
    await running.run(containerLimits);
    const project = await aProjectWith({ limitsCpu: "1", requestsCpu: "1" });
    const namespace = await aMemberOf(project, { [limitKey]: "{" });
    const reversed = await aMemberOf(project, { [limitKey]: '{"requestsCpu":"5"}' });

    await untilItem(namespace, {
      type: "Container",
      default: { cpu: "1" },
      defaultRequest: { cpu: "1" },
    });
    const eventsAbout = (each: Namespace) =>
      eventually(async () => {
        await running.flush();
        const [event] = await eventsOf(running.cluster, each.metadata.name);
        return event;
      }, within);

    expect((await eventsAbout(namespace)).note).to.contain("is no JSON object");
    expect((await eventsAbout(reversed)).note).to.contain("LimitRange");
    expect(await rangesIn(reversed)).to.deep.equal([]);
    expect(running.lines.filter((line) => line.includes('"level":"error"'))).to.deep.equal([]);
  });

  it("leaves alone a namespace of a project that nobody knows", async () => {
    await running.run(containerLimits);
    const project = await aProjectWith({ limitsCpu: "1", requestsCpu: "1" });
    const namespace = await aMemberOf(project);
    const item = { type: "Container", default: { cpu: "1" }, defaultRequest: { cpu: "1" } };
    await untilItem(namespace, item);

    await running.hub.delete(refTo(Project, project.metadata.name, running.name));
    await quiet(running);

    await untilItem(namespace, item);
  });
});
