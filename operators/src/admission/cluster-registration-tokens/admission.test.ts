import type { ClusterRegistrationToken } from "@drover/crds";
import { aClusterRegistrationToken } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { RunningAdmission } from "../../testing/admission.ts";
import { refusal } from "../../testing/refusal.ts";
import { clusterRegistrationTokens } from "./index.ts";

describe("admission of registration tokens", function () {
  this.timeout(60_000);

  const namespace = uniqueName("c");
  let running: RunningAdmission;
  before(async () => {
    running = await RunningAdmission.open({ webhooks: [clusterRegistrationTokens] });
    const metadata = { name: namespace };
    await running.own.create({ apiVersion: "v1", kind: "Namespace", metadata });
  });
  after(() => running[Symbol.asyncDispose]());

  const token = (spec: ClusterRegistrationToken["spec"]): ClusterRegistrationToken =>
    aClusterRegistrationToken({ metadata: { namespace }, ...(spec && { spec }) });
  const create = (spec: ClusterRegistrationToken["spec"]): Promise<string> =>
    refusal(running.client.create(token(spec)));

  it("takes one of the cluster that the namespace is named like", async () => {
    expect(await create({ clusterName: namespace, ttl: 60, gracePeriod: 10 })).to.equal("accepted");
  });

  it("refuses one of another cluster, or of none", async () => {
    expect(await create({ clusterName: "local" })).to.equal(
      "400 spec.clusterName must be the same as the namespace",
    );
    expect(await create({})).to.equal("400 spec.clusterName is required");
  });

  it("refuses times that are too short", async () => {
    const clusterName = namespace;

    expect(await create({ clusterName, ttl: 29 })).to.equal(
      "400 spec.ttl must be at least 30 minutes, or 0 for a token that never expires",
    );
    expect(await create({ clusterName, gracePeriod: 9 })).to.equal(
      "400 spec.gracePeriod must be at least 10 minutes",
    );
  });

  it("judges what changes, and lets the rest of an old one be", async () => {
    const old = await running.own.create(token({ clusterName: "elsewhere", ttl: 5 }));
    const patch = (merge: object) => refusal(running.client.patch(old, { merge }));

    expect(await patch({ metadata: { labels: { a: "b" } } })).to.equal("accepted");
    expect(await patch({ spec: { gracePeriod: 20 } })).to.equal("accepted");
    expect(await patch({ spec: { ttl: 6 } })).to.match(/^400 spec.ttl /);
    expect(await patch({ spec: { clusterName: "other" } })).to.match(/^400 spec.clusterName /);
  });
});
