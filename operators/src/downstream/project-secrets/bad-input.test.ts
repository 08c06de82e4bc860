import type { Project } from "@drover/crds";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { refTo } from "kopf-ts";
import { Namespace, Secret, ServiceAccount } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import type { RunningDownstream } from "../../testing/downstream.ts";
import { eventsIn } from "../../testing/events.ts";
import { eachDownstream } from "../../testing/hooks.ts";
import { inside, newNamespace, newProject } from "../../testing/projects.ts";
import { quiet } from "../../testing/writes.ts";
import { projectSecrets } from "./index.ts";

const label = "management.cattle.io/project-scoped-secret";
const patient = { within: 20_000 };
const text = (value: string) => Buffer.from(value).toString("base64");

describe("secrets of projects and labels that people change", function () {
  this.timeout(60_000);
  let running: RunningDownstream;

  eachDownstream((opened) => {
    running = opened;
  });

  const aProjectWithNamespace = async () => {
    const backingNamespace = uniqueName(`${running.name}-p`);
    await running.hub.create({ ...refTo(Namespace, backingNamespace) });
    return newProject(running, { status: { backingNamespace } });
  };
  const aMemberOf = async (project: Project) =>
    (await newNamespace(running, inside(project))).metadata.name;
  const aSourceOf = ({ metadata, status }: Project, fields: Partial<Secret> = {}) => {
    const [name, namespace] = [uniqueName("db"), status?.backingNamespace ?? ""];
    const labels = { [label]: metadata.name, [`${label}-cluster`]: running.name };
    return running.hub.create<Secret>({
      ...refTo(Secret, name, namespace),
      data: { password: text("s3cr3t") },
      ...fields,
      metadata: { name, namespace, labels, ...fields.metadata },
    });
  };
  const copyIn = (namespace: string, { metadata }: Secret) =>
    running.cluster.find(Secret, metadata.name, { namespace });

  it("takes copies back when their source is labelled for another project, or for none that there is", async () => {
    const [project, other] = [await aProjectWithNamespace(), await aProjectWithNamespace()];
    const [first, second] = [await aMemberOf(project), await aMemberOf(project)];
    const [known, unknown] = [await aSourceOf(project), await aSourceOf(project)];
    await running.run(projectSecrets);
    for (const source of [known, unknown]) {
      await eventually(() => copyIn(first, source), patient);
      await eventually(() => copyIn(second, source), patient);
    }

    for (const [source, name] of [
      [known, other.metadata.name],
      [unknown, uniqueName("never")],
    ] as const) {
      await running.hub.patch(refTo(Secret, source.metadata.name, source.metadata.namespace), {
        merge: { metadata: { labels: { [label]: name } } },
      });
    }

    for (const source of [known, unknown]) {
      await eventually(async () => (await copyIn(first, source)) === undefined, patient);
      await eventually(async () => (await copyIn(second, source)) === undefined, patient);
    }
  });

  it("copies no token of an account, which Kubernetes would delete or fill in anew for ever", async () => {
    const project = await aProjectWithNamespace();
    const namespace = await aMemberOf(project);
    const home = project.status?.backingNamespace ?? "";
    // Kubernetes deletes tokens of accounts that are not there yet.
    const account = () => running.hub.find(ServiceAccount, "default", { namespace: home });
    await eventually(account, patient);
    const source = await aSourceOf(project, {
      type: "kubernetes.io/service-account-token",
      metadata: {
        name: uniqueName("token"),
        namespace: home,
        labels: { [label]: project.metadata.name, [`${label}-cluster`]: running.name },
        annotations: { "kubernetes.io/service-account.name": "default" },
      },
    });
    await running.run(projectSecrets);

    const told = await eventually(async () => {
      await running.flush();
      const found = await eventsIn(running.hub, home, source.metadata.name);
      return found.length > 0 && found;
    }, patient);
    await quiet(running);

    expect(told[0]).to.contain("InvalidCopy").and.contain("service-account-token");
    expect(await copyIn(namespace, source)).to.equal(undefined);
  });
});
