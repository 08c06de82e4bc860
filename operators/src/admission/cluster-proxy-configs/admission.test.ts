import { aClusterProxyConfig } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { apiVersionOf } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import { RunningAdmission } from "../../testing/admission.ts";
import { refusal } from "../../testing/refusal.ts";
import { clusterProxyConfigs } from "./index.ts";

describe("admission of proxy configurations", function () {
  this.timeout(60_000);

  let running: RunningAdmission;
  before(async () => {
    running = await RunningAdmission.open({ webhooks: [clusterProxyConfigs] });
  });
  after(() => running[Symbol.asyncDispose]());

  async function newNamespace(): Promise<string> {
    const metadata = { name: uniqueName("c") };
    await running.own.create({ apiVersion: apiVersionOf(Namespace), kind: "Namespace", metadata });
    return metadata.name;
  }

  it("refuses a second one in the namespace of a cluster", async () => {
    const namespace = await newNamespace();
    const first = aClusterProxyConfig({ metadata: { namespace } });

    expect(await refusal(running.client.create(first, { dryRun: true }))).to.equal("accepted");
    expect(await refusal(running.client.create(first))).to.equal("accepted");
    expect(
      await refusal(running.client.create(aClusterProxyConfig({ metadata: { namespace } }))),
    ).to.equal(
      `409 there may be only one clusterproxyconfig per cluster, and ${namespace} has ${first.metadata.name}`,
    );
  });

  it("leaves one of the same name to the API server, and other clusters alone", async () => {
    const namespace = await newNamespace();
    const first = aClusterProxyConfig({ metadata: { namespace } });
    await running.client.create(first);

    const other = { ...first, metadata: { ...first.metadata, namespace: await newNamespace() } };
    expect(await refusal(running.client.create(first))).to.match(/^409 .* already exists$/);
    expect(await refusal(running.client.create(other))).to.equal("accepted");
  });
});
