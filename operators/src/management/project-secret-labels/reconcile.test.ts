import { aProject } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { refTo } from "kopf-ts";
import { Namespace, Secret } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { cluster, RunningConcern } from "../../testing/concern.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { projectSecretClusters } from "./index.ts";

const label = "management.cattle.io/project-scoped-secret";

describe("project-secret-labels on an API server", function () {
  this.timeout(60_000);
  let concern: RunningConcern;

  before(() => cluster());
  beforeEach(async () => {
    concern = await RunningConcern.open();
    await concern.run(projectSecretClusters);
  });
  afterEach(() => concern[Symbol.asyncDispose]());

  const aNamespace = async () => {
    const name = uniqueName("pss");
    await concern.client.create({ ...refTo(Namespace, name) });
    return name;
  };
  const aSecretIn = (
    namespace: string,
    project: string,
    annotations: Readonly<Record<string, string>> = {},
  ) => {
    const name = uniqueName("db");
    const labels = { [label]: project };
    return concern.create<Secret>({
      ...refTo(Secret, name, namespace),
      metadata: { name, namespace, labels, annotations },
    });
  };
  const clusterOf = async (secret: Secret) =>
    (await concern.find(Secret, secret))?.metadata.labels?.[`${label}-cluster`];

  it("labels a Secret in the project's own namespace, also one that comes first, and no other", async () => {
    const [home, backing, project] = [await aNamespace(), await aNamespace(), uniqueName("p")];
    const early = await aSecretIn(backing, project);
    const copy = await aSecretIn(backing, project, {
      "management.cattle.io/project-scoped-secret-copy": "true",
    });
    const elsewhere = await aSecretIn(home, project);
    await quiet(concern);
    expect(writes(concern)).to.deep.equal([]);

    await concern.client.create(
      aProject({
        metadata: { name: project, namespace: home },
        spec: { displayName: "x", clusterName: home },
        status: { backingNamespace: backing },
      }),
    );
    await eventually(async () => (await clusterOf(early)) === home, { within: 10_000 });
    const late = await aSecretIn(backing, project);
    await eventually(async () => (await clusterOf(late)) === home, { within: 10_000 });
    await quiet(concern);

    expect(await clusterOf(copy)).to.equal(undefined);
    expect(await clusterOf(elsewhere)).to.equal(undefined);
    expect(writes(concern)).to.have.length(2);
  });
});
