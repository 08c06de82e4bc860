import { Setting } from "@drover/crds";
import { aSetting } from "@drover/crds/testing";
import { liveSettings, newSetting } from "@drover/platform";
import { expect } from "chai";
import { type Controller, done, related } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { cluster, RunningConcern } from "../../testing/concern.ts";
import { settings } from "./index.ts";

/** Settings that no other test of the shared control plane uses. */
const name = "ui-offline-preferred";
const forced = { CATTLE_UI_OFFLINE_PREFERRED: "true" };

describe("settings on an API server", function () {
  this.timeout(30_000);

  before(() => cluster());
  afterEach(async () => {
    await using concern = await RunningConcern.open();
    const left = await concern.client.find(Setting, name);
    if (left !== undefined) await concern.client.delete(left, { preconditions: "none" });
  });

  const writes = ({ sent }: RunningConcern): readonly string[] =>
    sent.map(({ verb }) => verb).filter((verb) => !["get", "list", "watch"].includes(verb));
  const source = async (concern: RunningConcern): Promise<string | undefined> =>
    (await concern.client.find(Setting, name))?.source;

  it("forces what the environment says, whatever a person writes", async () => {
    await using concern = await RunningConcern.open();
    const setting = await concern.create(newSetting(name, {}));
    await concern.run(settings({ env: forced }));
    await eventually(async () => (await source(concern)) === "env");

    await concern.client.patch(setting, { merge: { value: "false", source: "db" } });

    const after = await eventually(async () => {
      const live = await concern.client.get(Setting, name);
      return live.value === "true" && live;
    });
    expect(after.source).to.equal("env");
    await eventually(() => writes(concern).join() === "patch,patch");
  });

  it("makes a deleted built-in setting again, and no other", async () => {
    await using concern = await RunningConcern.open();
    await concern.run(settings({ env: {} }));
    const other = await concern.create(aSetting());
    const setting = await concern.create({ ...newSetting(name, {}), value: "false" });

    await concern.client.delete(other);
    await concern.client.delete(setting);

    const again = await eventually(() => concern.client.find(Setting, name));
    expect(again).to.include({ value: "", default: "dynamic" });
    await eventually(() => writes(concern).length > 0); // once it has been answered
    expect(writes(concern)).to.deep.equal(["create"]);
  });

  it("leaves settings alone that are as they should be, that people changed, and that nobody knows", async () => {
    await using concern = await RunningConcern.open();
    const setting = await concern.create(newSetting(name, {}));
    const unknown = await concern.create(aSetting());
    await concern.run(settings({ env: {} }));

    await concern.client.patch(setting, { merge: { value: "true" } });
    await concern.client.patch(unknown, { merge: { value: "mine" } });
    const runs = 'controller_runtime_reconcile_total{controller="settings",result="success"}';
    await eventually(async () => (await concern.metric(runs)) >= 4);

    expect(writes(concern)).to.deep.equal([]);
    await concern.client.delete(unknown, { preconditions: "none" });
  });

  it("writes no value into its log", async () => {
    await using concern = await RunningConcern.open();
    await concern.create({ ...newSetting(name, {}), default: "stale", value: "sesame-open" });
    await concern.run(settings({ env: {} }));

    await eventually(async () => (await concern.client.get(Setting, name)).default !== "stale");
    await eventually(() => concern.lines.some((line) => line.includes("repaired setting")));

    expect(concern.lines.join("\n")).to.not.contain("sesame-open");
  });

  it("reaches who reads it without a restart", async () => {
    await using concern = await RunningConcern.open();
    const setting = await concern.create(newSetting(name, {}));
    const seen: string[] = [];
    const reader: Controller<Setting> = {
      name: "reader",
      watches: Setting,
      related: [related(Setting, { map: () => [name] })],
      reconcile: async (_, { cache }) => {
        seen.push(liveSettings(cache(Setting), {}).text(name));
        return done;
      },
    };
    await concern.run(reader);
    await eventually(() => seen.at(-1) === "dynamic");

    await concern.client.patch(setting, { merge: { value: "true" } });

    await eventually(() => seen.at(-1) === "true");
  });
});
