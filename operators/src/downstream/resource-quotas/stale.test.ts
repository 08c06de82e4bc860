import type { Project } from "@drover/crds";
import { expect } from "chai";
import { Namespace, ResourceQuota } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import type { RunningDownstream } from "../../testing/downstream.ts";
import { eachDownstream } from "../../testing/hooks.ts";
import { inside, newNamespace, newProject } from "../../testing/projects.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { resourceQuotas } from "./index.ts";

const quotaKey = "field.cattle.io/resourceQuota";
const request = '{"limit":{"pods":"3"}}';
const patient = { within: 20_000 };

describe("resource-quotas with a cache that is behind", function () {
  this.timeout(60_000);
  let running: RunningDownstream;

  eachDownstream((opened) => {
    running = opened;
  });

  it("take nothing back before the management cluster says that the project has no quota", async () => {
    const project = await newProject(running, {
      spec: {
        resourceQuota: { limit: { pods: "9" } },
        namespaceDefaultResourceQuota: { limit: { pods: "3" } },
      },
    });
    const { metadata } = await newNamespace(running, { ...inside(project), [quotaKey]: request });
    const quotas = async () =>
      (await running.cluster.list(ResourceQuota, { namespace: metadata.name })).items;
    const annotation = async () =>
      (await running.cluster.get(Namespace, metadata.name)).metadata.annotations?.[quotaKey];
    await running.run(resourceQuotas);
    await eventually(async () => (await quotas())[0]?.spec?.hard?.pods === "3", patient);
    await quiet(running);
    const before = writes(running).length;

    let runs = 0;
    await running.run({
      ...resourceQuotas,
      reconcile: (fresh: Project, context) => {
        const { resourceQuota: _, namespaceDefaultResourceQuota: __, ...spec } = fresh.spec ?? {};
        runs++;
        return resourceQuotas.reconcile({ ...fresh, spec } as Project, context);
      },
    });
    await eventually(() => runs > 0, patient);
    await quiet(running);

    expect(writes(running).slice(before)).to.deep.equal([]);
    expect(await quotas()).to.have.length(1);
    expect(await annotation()).to.equal(request);
  });
});
