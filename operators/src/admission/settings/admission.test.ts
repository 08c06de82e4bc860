import { type Cluster, Setting } from "@drover/crds";
import { aCluster, aSetting } from "@drover/crds/testing";
import { type ControlPlane, startControlPlane } from "@drover/env";
import { newSetting, type SettingName } from "@drover/platform";
import { expect } from "chai";
import { eventually } from "kopf-ts/testing";
import { RunningAdmission } from "../../testing/admission.ts";
import { install } from "../../testing/concern.ts";
import { refusal } from "../../testing/refusal.ts";
import { settings } from "./index.ts";

/** The environment of the server. */
const env = { CATTLE_SERVER_URL: "https://drover.example.com" };

// Names of settings are the same for all, and agent-tls-mode looks at every cluster: nobody else may be there.
describe("admission of settings", function () {
  this.timeout(60_000);

  let plane: ControlPlane;
  let running: RunningAdmission;
  before(async () => {
    plane = await startControlPlane({ name: "settings", controllerManager: false });
    await install(plane);
    running = await RunningAdmission.open({ webhooks: [settings({ env })], controlPlane: plane });
  });
  after(async () => {
    await running?.[Symbol.asyncDispose]();
    await plane?.[Symbol.asyncDispose]();
  });

  async function make(name: SettingName, fields: Partial<Setting> = {}): Promise<Setting> {
    const left = await running.own.find(Setting, name);
    if (left !== undefined) await running.own.delete(left);
    return running.own.create({ ...newSetting(name, {}), ...fields });
  }
  const set = (name: SettingName, value: string, dryRun = false): Promise<string> =>
    refusal(running.client.patch({ ...newSetting(name, {}) }, { merge: { value } }, { dryRun }));

  it("case 86: lets only the server write cacerts, and everybody read it", async () => {
    const readOnly = "405 value of setting cacerts is readOnly";
    expect(await refusal(running.client.create(newSetting("cacerts", {})))).to.equal(readOnly);
    const setting = await make("cacerts");

    expect(await set("cacerts", "x")).to.equal(readOnly);
    expect(await set("cacerts", "x", true)).to.equal(readOnly);
    expect(await refusal(running.client.delete(setting))).to.equal(readOnly);
    expect(await refusal(running.client.create(newSetting("cacerts", {})))).to.equal(readOnly);
    expect((await running.client.get(Setting, "cacerts")).value).to.equal("");
  });

  it("case 86: answers 404 for a setting that is not there, and 409 for one that is", async () => {
    await make("ui-pl");

    expect(await set("ui-brand", "x")).to.match(/^404 /);
    expect(await refusal(running.client.create(newSetting("ui-pl", {})))).to.match(/^409 /);
  });

  it("refuses to change what the environment sets", async () => {
    const told = "readOnly because an environment variable sets it";
    await make("server-url", { source: "env", value: env.CATTLE_SERVER_URL });
    const leftover = await make("ui-brand", { source: "env", value: "suse" });

    expect(await set("server-url", "https://x.example.com")).to.equal(
      `405 value of setting server-url is ${told}`,
    );
    expect(await refusal(running.client.delete(leftover))).to.equal(
      `405 value of setting ui-brand is ${told}`,
    );
  });

  for (const { name, good, bad } of [
    { name: "password-min-length", good: "8", bad: "eight" },
    { name: "user-retention-cron", good: "0 0 * * 0", bad: "sundays" },
    { name: "user-last-login-default", good: "2023-11-29T00:00:00Z", bad: "2024-12-31" },
    { name: "delete-inactive-user-after", good: "336h", bad: "335h" },
    { name: "disable-inactive-user-after", good: "16h", bad: "15h" },
    { name: "auth-user-session-ttl-minutes", good: "960", bad: "0" },
    { name: "auth-user-session-idle-ttl-minutes", good: "960", bad: "961" },
    { name: "crt-default-ttl-minutes", good: "200", bad: "29" },
    { name: "crt-default-grace-period-minutes", good: "10", bad: "9" },
    {
      name: "cluster-agent-default-priority-class",
      good: '{"value":1000000000,"preemptionPolicy":"Never"}',
      bad: '{"value":1000000001}',
    },
    {
      name: "fleet-agent-default-pod-disruption-budget",
      good: '{"minAvailable":"1","maxUnavailable":"0"}',
      bad: '{"minAvailable":"101%"}',
    },
    { name: "first-login", good: "false", bad: "no" },
  ] as const) {
    it(`takes ${name} ${good} and refuses ${bad} without repeating it`, async () => {
      await make(name);

      const answer = await set(name, bad);

      expect(answer).to.match(new RegExp(`^400 value of setting ${name} must `));
      expect(answer).not.to.contain(` ${bad}`);
      expect(await set(name, good)).to.equal("accepted");
    });
  }

  it("compares a value with those in force", async () => {
    await make("auth-user-session-ttl-minutes");
    await make("auth-user-session-idle-ttl-minutes", { value: "100" });

    await running.own.patch(newSetting("auth-user-session-ttl-minutes", {}), {
      merge: { value: "200" },
    });

    await eventually(
      async () => (await set("auth-user-session-idle-ttl-minutes", "201", true)) !== "accepted",
    );
    expect(await set("auth-user-session-idle-ttl-minutes", "200")).to.equal("accepted");
  });

  it("lets metadata change, values that are older than a rule stay, and unknown settings be", async () => {
    const old = await make("password-min-length", { value: "many" });
    const patch = (merge: object) => refusal(running.client.patch(old, { merge }));

    expect(await patch({ metadata: { labels: { a: "b" } } })).to.equal("accepted");
    expect(await patch({ customized: true })).to.equal("accepted");
    expect(await patch({ value: "more" })).to.match(/^400 /);
    expect(await patch({ default: "1" })).to.equal(
      "400 default of setting password-min-length must not be changed",
    );
    expect(await refusal(running.client.create(aSetting({ value: "anything" })))).to.equal(
      "accepted",
    );
  });

  describe("agent-tls-mode", () => {
    const loose = (name: string): string =>
      `400 value of setting agent-tls-mode must not become strict: condition AgentTlsStrictCheck of cluster ${name} is not True`;

    async function check(cluster: Cluster, status: "True" | "False"): Promise<void> {
      const conditions = [{ type: "AgentTlsStrictCheck", status }];
      const merge = { status: { conditions } };
      await running.own.patch(cluster, { merge }, { subresource: "status" });
    }

    it("becomes strict only when every agent but local's trusts cacerts alone, or by force", async () => {
      const setting = await make("agent-tls-mode", { value: "system-store" });
      await running.own.create(aCluster({ metadata: { name: "local" } }));
      const cluster = await running.own.create(aCluster());
      const strict = (): Promise<string> => set("agent-tls-mode", "strict", true);
      await eventually(async () => (await strict()) === loose(cluster.metadata.name));

      await check(cluster, "False");
      expect(await strict()).to.equal(loose(cluster.metadata.name));
      await check(cluster, "True");
      await eventually(async () => (await strict()) === "accepted");

      await check(cluster, "False");
      await eventually(async () => (await strict()) === loose(cluster.metadata.name));
      const merge = {
        value: "strict",
        metadata: { annotations: { "cattle.io/force": "true" } },
      };
      expect(await refusal(running.client.patch(setting, { merge }))).to.equal("accepted");
    });
  });
});
