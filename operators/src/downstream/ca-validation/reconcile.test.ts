import { Cluster } from "@drover/crds";
import { aCluster } from "@drover/crds/testing";
import { expect } from "chai";
import { refTo } from "kopf-ts";
import { Namespace, Secret } from "kopf-ts/kinds";
import type { RunningDownstream } from "../../testing/downstream.ts";
import { eventsAbout } from "../../testing/events.ts";
import { eachDownstream } from "../../testing/hooks.ts";
import { hasRun, sentOnRestart } from "../../testing/runs.ts";
import { until } from "../../testing/until.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { caValidation } from "./index.ts";

const namespace = "cattle-system";
const report = refTo(Secret, "stv-aggregation", namespace);

describe("ca-validation on two API servers", function () {
  this.timeout(60_000);

  let concern: RunningDownstream;

  eachDownstream(
    async (running) => {
      concern = running;
      await concern.cluster.create(refTo(Namespace, namespace) as Namespace).catch(() => undefined);
    },
    () => concern.cluster.delete(report),
  );

  const condition = async () =>
    (await concern.hub.get(Cluster, concern.name)).status?.conditions?.find(
      ({ type }) => type === "AgentTlsStrictCheck",
    );
  const says = (status: string) => until(async () => (await condition())?.status === status);
  const create = (annotations = {}) =>
    concern.hub.create(aCluster({ metadata: { name: concern.name, annotations } }));

  it("follows what the agent reports, and puts it back", async () => {
    const cluster = await create();
    await concern.run(caValidation);
    await hasRun(concern, caValidation.name);
    const early = writes(concern);

    const stringData = { CATTLE_CACERTS_VALID: "true", "ca.crt": "pem" };
    await concern.cluster.create({ ...report, stringData } as Secret);
    await says("True");
    await concern.cluster.patch(report, {
      merge: { stringData: { CATTLE_CACERTS_VALID: "false" } },
    });
    await says("False");
    const conditions = [{ type: "AgentTlsStrictCheck", status: "True" }];
    await concern.hub.patch(
      cluster,
      { merge: { status: { conditions } } },
      { subresource: "status" },
    );
    await says("False");

    expect(early).to.deep.equal([]);
    await concern.flush();
    const told = await eventsAbout(concern.hub, concern.name);
    expect(told.join()).to.contain("CertificateNotTrusted: the agent cannot verify the server");
  });

  it("is content with a cluster that a kubeconfig leads to, and says so once", async () => {
    await create({ "drover.dev/kubeconfig-secret": "x" });
    await concern.run(caValidation);
    await says("True");
    await quiet(concern);
    const before = writes(concern).length;

    await sentOnRestart(concern, caValidation);

    expect((await condition())?.reason).to.equal("ReachedDirectly");
    expect([before, writes(concern).length]).to.deep.equal([1, 1]);
  });
});
