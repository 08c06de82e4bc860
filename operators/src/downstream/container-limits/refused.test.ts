import { Project } from "@drover/crds";
import { expect } from "chai";
import { refTo } from "kopf-ts";
import { LimitRange } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { RunningDownstream } from "../../testing/downstream.ts";
import { eventsAbout } from "../../testing/events.ts";
import { beforeAllServers } from "../../testing/hooks.ts";
import { annotate, inside, newNamespace, newProject } from "../../testing/projects.ts";
import { quiet } from "../../testing/writes.ts";
import { containerLimits } from "./index.ts";

const limitKey = "field.cattle.io/containerDefaultResourceLimit";
const patient = { within: 20_000 };

describe("container-limits that the API server refuses", function () {
  this.timeout(60_000);

  beforeAllServers();

  it("leave the LimitRange as it was, are told once, and are not tried for ever", async () => {
    await using running = await RunningDownstream.open();
    await running.run(containerLimits);
    const project = await newProject(running, {
      spec: { containerDefaultResourceLimit: { limitsCpu: "1", requestsCpu: "1" } },
    });
    const namespace = await newNamespace(running, inside(project));
    const { name } = namespace.metadata;
    const ranges = async () => (await running.cluster.list(LimitRange, { namespace: name })).items;
    const [before] = await eventually(async () => {
      const found = await ranges();
      return found.length === 1 && found;
    }, patient);

    await annotate(running, namespace, { [limitKey]: '{"requestsCpu":"5"}' });
    const told = await eventually(async () => {
      await running.flush();
      const found = await eventsAbout(running.cluster, name);
      return found.length > 0 && found;
    }, patient);
    await quiet(running);

    expect(told[0]).to.contain("InvalidContainerDefaultResourceLimit").and.contain("LimitRange");
    expect((await ranges())[0]?.spec).to.deep.equal(before?.spec);
    expect(running.lines.filter((line) => line.includes('"level":"error"'))).to.deep.equal([]);
    await running.hub.delete(refTo(Project, project.metadata.name, running.name));
  });
});
