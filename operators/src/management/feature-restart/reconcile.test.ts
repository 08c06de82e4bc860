import { Feature } from "@drover/crds";
import { newFeature, parseFeatures } from "@drover/platform";
import { expect } from "chai";
import { eventually, fakeClock } from "kopf-ts/testing";
import { cluster, RunningConcern } from "../../testing/concern.ts";
import { featureRestart } from "./index.ts";

const defaults = parseFeatures("");
/** Features that no other test of the shared control plane uses; both are off. */
const lasting = "scim";
const dynamic = "harvester-baremetal-container-workload";

describe("feature-restart on an API server", function () {
  this.timeout(30_000);

  before(() => cluster());
  afterEach(async () => {
    await using concern = await RunningConcern.open();
    for (const name of [lasting, dynamic]) {
      const left = await concern.client.find(Feature, name);
      if (left !== undefined) await concern.client.delete(left, { preconditions: "none" });
    }
  });

  /** A process that runs with a feature as it is, and what it was asked to do. */
  const running = async (feature: Feature) => {
    const clock = fakeClock(Date.now());
    const concern = await RunningConcern.open({ clock });
    const reasons: string[] = [];
    const restart = (reason: string): void => void reasons.push(reason);
    const created = await concern.create(feature);
    await concern.run(featureRestart({ features: defaults, restart }));
    await eventually(() => concern.metric(runs).then((count) => count >= 1));
    const set = (value: boolean | null): Promise<Feature> =>
      concern.client.patch(created, { merge: { spec: { value } } });
    const says = (text: string): Promise<true> =>
      eventually(() => concern.lines.some((line) => line.includes(text)));
    return {
      clock,
      concern,
      created,
      reasons,
      set,
      says,
      [Symbol.asyncDispose]: () => concern[Symbol.asyncDispose](),
    };
  };
  const runs = 'controller_runtime_reconcile_total{controller="feature-restart",result="success"}';

  it("case 89: asks for a restart 3 s after a feature changed that needs one, not before", async () => {
    await using it = await running(newFeature(lasting, defaults));

    await it.set(true);
    await it.says("this process ends");
    await it.clock.advance(2_900);
    const early = [...it.reasons];
    await it.clock.advance(200);
    await eventually(() => it.reasons.length > 0);

    expect(early).to.deep.equal([]);
    expect(it.reasons).to.deep.equal([`feature ${lasting} changed`]);
  });

  it("case 89: obeys a dynamic feature at once, without a restart", async () => {
    await using it = await running(newFeature(dynamic, defaults));

    await it.set(true);
    await it.says('"message":"feature changed"');
    await it.clock.advance(10_000);

    expect(it.reasons).to.deep.equal([]);
  });

  it("case 89: lets a locked value win over the spec", async () => {
    const { status, ...rest } = newFeature(lasting, defaults);
    await using it = await running({ ...rest, status: { ...status, lockedValue: false } });

    await it.set(true);
    await eventually(() => it.concern.metric(runs).then((count) => count >= 2));
    await it.clock.advance(10_000);

    expect(it.reasons).to.deep.equal([]);
  });

  it("stays when the feature is changed back in time", async () => {
    await using it = await running(newFeature(lasting, defaults));

    await it.set(true);
    await it.says("this process ends");
    await it.set(null);
    await it.says("no restart is needed");
    await it.clock.advance(10_000);

    expect(it.reasons).to.deep.equal([]);
  });

  it("takes a deleted feature for one with nothing chosen", async () => {
    await using it = await running({ ...newFeature(lasting, defaults), spec: { value: true } });

    await it.concern.client.delete(it.created);
    await it.says("this process ends");
    await it.clock.advance(3_100);

    await eventually(() => it.reasons.length === 1);
  });

  it("writes nothing", async () => {
    await using it = await running(newFeature(lasting, defaults));

    await it.set(true);
    await it.says("this process ends");

    const verbs = it.concern.sent.map(({ verb }) => verb);
    expect(verbs.filter((verb) => !["list", "watch"].includes(verb))).to.deep.equal([]);
  });
});
