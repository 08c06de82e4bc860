import { freePort } from "@drover/env";
import { expect } from "chai";
import { systemClock } from "../../base/index.ts";
import { isForbidden } from "../../kube/index.ts";
import { eventually } from "../../testing/index.ts";
import { allow, deny } from "../request.ts";
import { ConfigMap, type Data, Plant } from "../testing/plant.ts";
import type { Mutator, Validator } from "../webhook.ts";
import type { Configuration } from "./configurations.ts";

const rules = [{ operations: ["CREATE"] }] as const;
const validator: Validator<Data> = {
  kind: ConfigMap,
  rules,
  validate: ({ object }) => (object?.data?.refuse === undefined ? allow() : deny(403, "no")),
};
const mutator: Mutator<Data> = { kind: ConfigMap, rules, mutate: () => undefined };

describe("webhook configurations", function () {
  this.timeout(60_000);

  let plant: Plant;
  beforeEach(async () => {
    plant = await Plant.open({ webhooks: [validator, mutator] });
  });
  afterEach(() => plant[Symbol.asyncDispose]());

  const asks = (): Promise<boolean> =>
    plant.client
      .create(plant.configMap({ refuse: "probe" }), { dryRun: true })
      .then(() => false, isForbidden);
  const current = async (): Promise<Configuration> => {
    const found = await plant.configuration();
    if (found === undefined) throw new Error("there is no configuration");
    return found;
  };
  const entries = async () => (await current()).webhooks ?? [];

  for (const { name, damage } of [
    {
      name: "a changed policy",
      damage: (live: Configuration) => ({
        ...live,
        webhooks:
          live.webhooks?.map((entry) => ({ ...entry, failurePolicy: "Ignore" as const })) ?? [],
      }),
    },
    { name: "a lost entry", damage: (live: Configuration) => ({ ...live, webhooks: [] }) },
    {
      name: "an entry of somebody else",
      damage: (live: Configuration) => ({
        ...live,
        webhooks: (live.webhooks ?? []).flatMap((entry) => [
          entry,
          { ...entry, name: `other.${entry.name}` },
        ]),
      }),
    },
    {
      name: "another bundle",
      damage: (live: Configuration) => ({
        ...live,
        webhooks:
          live.webhooks?.map((entry) => ({
            ...entry,
            clientConfig: { ...entry.clientConfig, caBundle: "" },
          })) ?? [],
      }),
    },
  ]) {
    it(`are put back after ${name}`, async () => {
      await plant.leader(asks);
      const before = await entries();

      await plant.client.update(damage(await current()));

      await eventually(
        async () => {
          expect(await entries()).to.deep.equal(before);
          return true;
        },
        { within: 5000 },
      );
    });
  }

  it("come back when somebody deletes them", async () => {
    await plant.leader(asks);
    const before = await current();

    await plant.client.delete(before);

    const again = await eventually(
      async () => {
        const found = await plant.configuration();
        return found?.metadata.uid !== before.metadata.uid && found;
      },
      { within: 5000 },
    );
    expect(again.webhooks).to.deep.equal(before.webhooks);
  });

  it("keep labels and annotations of others", async () => {
    await plant.leader(asks);
    const live = await current();
    const labels = { mine: "1" };

    await plant.client.update({ ...live, metadata: { ...live.metadata, labels }, webhooks: [] });
    await eventually(async () => (await entries()).length === 1, { within: 5000 });

    expect((await current()).metadata.labels).to.deep.equal(labels);
  });

  it("are written once: a second start, and a long look, write nothing", async () => {
    const port = await freePort();
    const first = await plant.leader(asks, { port });
    await eventually(() => first.writes.length >= 4, { within: 5000 }); // each is a reconciler's own
    expect([...first.writes].sort()).to.deep.equal([
      "create mutatingwebhookconfigurations.admissionregistration.k8s.io",
      "create secrets",
      "create secrets",
      "create validatingwebhookconfigurations.admissionregistration.k8s.io",
    ]);
    const before = await current();
    await first[Symbol.asyncDispose]();

    const second = await plant.leader(asks, { port });
    await systemClock.sleep(300); // nothing is what is waited for

    expect(second.writes).to.deep.equal([]);
    expect(await current()).to.deep.equal(before);
  });

  it("go when no webhook is left for them", async () => {
    const first = await plant.leader(asks);
    await eventually(() => plant.configuration("mutation"), { within: 5000 }); // each is a reconciler's own
    await first[Symbol.asyncDispose]();

    const second = await plant.replica({ webhooks: [validator] });
    await second.lead();

    await eventually(async () => (await plant.configuration("mutation")) === undefined, {
      within: 5000,
    });
    expect(await plant.configuration("validation")).to.not.equal(undefined);
  });

  it("go on a clean stop of the leader if so told, and stay gone", async () => {
    const leader = await plant.leader(asks, { removeOnStop: true });

    await leader.abdicate();

    expect(await plant.configuration("validation")).to.equal(undefined);
    expect(await plant.configuration("mutation")).to.equal(undefined);
    await eventually(async () => !(await asks()), { within: 5000 });
  });
});
