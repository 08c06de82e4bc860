import { annotations, labels } from "@drover/crds";
import { expect } from "chai";
import { Namespace } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import type { RunningDownstream } from "../../testing/downstream.ts";
import { eventsAbout } from "../../testing/events.ts";
import { eachDownstream } from "../../testing/hooks.ts";
import { newNamespace } from "../../testing/projects.ts";
import { settledWrites } from "../../testing/writes.ts";
import { clusterNamespaces } from "./index.ts";

const patient = { within: 20_000 };

describe("cluster-namespaces and annotations that name no project", function () {
  this.timeout(60_000);

  let running: RunningDownstream;

  eachDownstream((opened) => {
    running = opened;
  });

  for (const { title, project } of [
    { title: "a path", project: "../../namespaces" },
    { title: "the folder above", project: ".." },
    { title: "this folder", project: "." },
    { title: "a subresource", project: "p-1/status" },
    { title: "a query", project: "p-1?watch=true" },
    { title: "what is no name", project: "No Name" },
    { title: "a name that is too long", project: "p".repeat(300) },
  ]) {
    it(`leaves a namespace of ${title} alone, and says so once`, async () => {
      const namespace = await newNamespace(running, {
        [annotations.projectId]: `${running.name}:${project}`,
      });

      await running.run(clusterNamespaces({ env: {} }));
      const { name } = namespace.metadata;
      const told = await eventually(async () => {
        await running.flush();
        const found = await eventsAbout(running.cluster, name);
        return found.length > 0 && found;
      }, patient);

      expect(told[0]).to.contain("UnknownProject");
      expect(await settledWrites(running)).to.deep.equal([]);
      const live = await running.cluster.get(Namespace, name);
      expect(live.metadata.labels?.[labels.projectId]).to.equal(undefined);
      expect(running.lines.filter((line) => line.includes('"level":"error"'))).to.deep.equal([]);
    });
  }
});
