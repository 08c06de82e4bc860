import { Cluster } from "@drover/crds";
import { aCluster } from "@drover/crds/testing";
import { secondTestEnv } from "@drover/env";
import { expect } from "chai";
import { refTo } from "kopf-ts";
import { Namespace, Secret } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { cluster as hubPlane } from "../../testing/concern.ts";
import { RunningDownstream } from "../../testing/downstream.ts";
import { eventsAbout } from "../../testing/events.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { caValidation } from "./index.ts";

const namespace = "cattle-system";
const report = refTo(Secret, "stv-aggregation", namespace);
const runs = 'controller_runtime_reconcile_total{controller="ca-validation",result="success"}';

describe("ca-validation on two API servers", function () {
  this.timeout(60_000);

  let concern: RunningDownstream;

  before(async function () {
    this.timeout(180_000);
    await Promise.all([hubPlane(), secondTestEnv()]);
  });
  beforeEach(async () => {
    concern = await RunningDownstream.open();
    await concern.cluster.create(refTo(Namespace, namespace) as Namespace).catch(() => undefined);
  });
  afterEach(async () => {
    await concern.cluster.delete(report);
    await concern[Symbol.asyncDispose]();
  });

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
    await until(async () => (await concern.metric(runs)) >= 1);
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
    const [before, ran] = [writes(concern).length, await concern.metric(runs)];

    await concern.run(caValidation);
    await until(async () => (await concern.metric(runs)) > ran);
    await quiet(concern);

    expect((await condition())?.reason).to.equal("ReachedDirectly");
    expect([before, writes(concern).length]).to.deep.equal([1, 1]);
  });
});

/** The suite shares a slow machine. */
function until<T>(check: () => T | Promise<T>): ReturnType<typeof eventually<T>> {
  return eventually(check, { within: 15_000 });
}
