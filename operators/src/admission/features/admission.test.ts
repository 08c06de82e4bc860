import type { Feature } from "@drover/crds";
import { aFeature } from "@drover/crds/testing";
import { expect } from "chai";
import { RunningAdmission } from "../../testing/admission.ts";
import { refusal } from "../../testing/refusal.ts";
import { features } from "./index.ts";

describe("admission of features", function () {
  this.timeout(60_000);

  let running: RunningAdmission;
  before(async () => {
    running = await RunningAdmission.open({ webhooks: [features] });
  });
  after(() => running[Symbol.asyncDispose]());

  const set = (feature: Feature, value: boolean | null) =>
    refusal(running.client.patch(feature, { merge: { spec: { value } } }));

  it("case 88: refuses to create one, whoever asks", async () => {
    const told = "405 features cannot be created; the server makes those it knows";

    expect(await refusal(running.client.create(aFeature()))).to.equal(told);
    expect(await refusal(running.client.create(aFeature(), { dryRun: true }))).to.equal(told);
    expect(await refusal(running.own.create(aFeature()))).to.equal("accepted");
  });

  it("lets people turn a feature on and off, and back to its default", async () => {
    const feature = await running.own.create(aFeature());

    for (const value of [true, false, null]) expect(await set(feature, value)).to.equal("accepted");
  });

  it("case 89: keeps a locked value", async () => {
    const feature = await running.own.create(
      aFeature({ spec: { value: true }, status: { dynamic: true, lockedValue: true } }),
    );

    expect(await set(feature, false)).to.equal(
      `400 spec.value of feature ${feature.metadata.name} is locked to true`,
    );
    expect(await set(feature, null)).to.equal("accepted");
    expect(await set(feature, true)).to.equal("accepted");
  });

  it("lets go what is being deleted", async () => {
    const held = await running.own.create(
      aFeature({
        metadata: { finalizers: ["drover.test/hold"] },
        spec: { value: true },
        status: { lockedValue: true },
      }),
    );
    await running.client.delete(held);

    const merge = { metadata: { finalizers: null }, spec: { value: false } };
    expect(await refusal(running.client.patch(held, { merge }))).to.equal("accepted");
  });
});
