import { aSetting } from "@drover/crds/testing";
import { expect } from "chai";
import { type SettingRefusal, type SettingSurroundings, settingRefusal } from "./refusal.ts";
import { type SettingName, settings } from "./settings.ts";

const around = (
  others: Partial<Record<SettingName, string>> = {},
  rest: Partial<SettingSurroundings> = {},
): SettingSurroundings => ({
  env: {},
  current: (name) => others[name] ?? settings[name].default,
  looseClusters: () => [],
  ...rest,
});

const setting = (name: string, value: string, rest = {}) =>
  aSetting({ metadata: { name }, value, source: "", ...rest });

/** What comes of changing a value that was empty before. */
const changed = (
  name: string,
  value: string,
  others?: Partial<Record<SettingName, string>>,
): SettingRefusal | undefined =>
  settingRefusal({ before: setting(name, ""), after: setting(name, value) }, around(others));

describe("settingRefusal", () => {
  for (const { name, value, others, message } of [
    {
      name: "disable-inactive-user-after",
      value: "15h",
      message: "must not be less than auth-user-session-ttl-minutes",
    },
    { name: "disable-inactive-user-after", value: "16h", message: undefined },
    { name: "disable-inactive-user-after", value: "0s", message: undefined },
    { name: "delete-inactive-user-after", value: "335h59m", message: "must be at least 336h" },
    { name: "delete-inactive-user-after", value: "336h", message: undefined },
    { name: "delete-inactive-user-after", value: "0", message: undefined },
    {
      name: "delete-inactive-user-after",
      value: "336h",
      others: { "auth-user-session-ttl-minutes": "20161" },
      message: "must not be less than auth-user-session-ttl-minutes",
    },
    {
      name: "auth-user-session-ttl-minutes",
      value: "0",
      message: "must be a whole number of at least 1",
    },
    { name: "auth-user-session-ttl-minutes", value: "999999", message: undefined },
    {
      name: "auth-user-session-ttl-minutes",
      value: "61",
      others: { "disable-inactive-user-after": "1h" },
      message: "must not be greater than disable-inactive-user-after",
    },
    {
      name: "auth-user-session-ttl-minutes",
      value: "20161",
      others: { "disable-inactive-user-after": "0s", "delete-inactive-user-after": "336h" },
      message: "must not be greater than delete-inactive-user-after",
    },
    {
      name: "auth-user-session-ttl-minutes",
      value: "61",
      others: { "disable-inactive-user-after": "unreadable" },
      message: undefined,
    },
    {
      name: "auth-user-session-idle-ttl-minutes",
      value: "0",
      message: "must be a whole number of at least 1",
    },
    {
      name: "auth-user-session-idle-ttl-minutes",
      value: "961",
      message: "must not be greater than auth-user-session-ttl-minutes",
    },
    { name: "auth-user-session-idle-ttl-minutes", value: "960", message: undefined },
    {
      name: "crt-default-ttl-minutes",
      value: "29",
      message: "must be a whole number of at least 30",
    },
    {
      name: "crt-default-ttl-minutes",
      value: "180",
      message: "must be greater than crt-default-grace-period-minutes",
    },
    { name: "crt-default-ttl-minutes", value: "181", message: undefined },
    {
      name: "crt-default-grace-period-minutes",
      value: "9",
      message: "must be a whole number of at least 10",
    },
    {
      name: "crt-default-grace-period-minutes",
      value: "43200",
      message: "must be less than crt-default-ttl-minutes",
    },
    { name: "crt-default-grace-period-minutes", value: "43199", message: undefined },
    {
      name: "user-retention-cron",
      value: "daily",
      message: "must be a cron expression of five fields, such as 0 0 * * 0",
    },
    {
      name: "user-last-login-default",
      value: "yesterday",
      message: "must be a time in RFC 3339, such as 2023-11-29T00:00:00Z",
    },
    { name: "cluster-agent-default-priority-class", value: "{", message: "must be a JSON object" },
  ]) {
    it(`${message === undefined ? "allows" : "refuses"} ${value} for ${name} ${JSON.stringify(others ?? "")}`, () => {
      const refusal = changed(name, value, others);

      expect(refusal?.message).to.equal(message && `value of setting ${name} ${message}`);
    });
  }

  for (const { title, change } of [
    { title: "a creation", change: { after: setting("cacerts", "x") } },
    {
      title: "an update",
      change: { before: setting("cacerts", ""), after: setting("cacerts", "x") },
    },
    { title: "a deletion", change: { before: setting("cacerts", "x") } },
  ]) {
    it(`refuses ${title} of a read-only setting`, () => {
      const refusal = settingRefusal(change, around());

      expect(refusal).to.deep.equal({
        reason: "ReadOnly",
        message: "value of setting cacerts is readOnly",
      });
    });
  }

  it("refuses to change what the environment sets, by the object's word or the process's", () => {
    const before = setting("server-url", "https://a.test", { source: "env" });
    const after = setting("server-url", "https://b.test");
    const env = { CATTLE_SERVER_URL: "https://a.test" };

    expect(settingRefusal({ before, after }, around())?.reason).to.equal("ReadOnly");
    expect(settingRefusal({ before }, around())?.reason).to.equal("ReadOnly");
    expect(settingRefusal({ before: after, after: before }, around({}, { env }))?.reason).to.equal(
      "ReadOnly",
    );
  });

  it("allows changes of metadata alone, of read-only and of bad old values too", () => {
    const labels = { mine: "yes" };
    for (const name of ["cacerts", "password-min-length"]) {
      const before = setting(name, "nonsense", { source: "env" });
      const after = { ...before, metadata: { ...before.metadata, labels } };
      expect(settingRefusal({ before, after }, around())).to.equal(undefined);
    }
  });

  it("refuses to empty a setting that has a default, and only such", () => {
    const emptied = (name: string, value: string) =>
      settingRefusal({ before: setting(name, value), after: setting(name, "") }, around());

    expect(emptied("password-min-length", "14")?.message).to.match(
      /^value of setting .* must not be empty/,
    );
    expect(emptied("user-retention-cron", "0 0 * * *")).to.equal(undefined);
  });

  it("refuses another default than the server's, which would count without being judged", () => {
    const name = "delete-inactive-user-after";
    const refused = (wanted: string | undefined, before = setting(name, "")) =>
      settingRefusal({ before, after: setting(name, "", { default: wanted }) }, around());

    expect(refused("1h")).to.deep.equal({
      reason: "Invalid",
      message: "default of setting delete-inactive-user-after must not be changed",
    });
    expect(refused("1h", setting(name, "", { default: "1h" }))).to.equal(undefined);
    expect(refused("", setting(name, "", { default: "1h" }))).to.equal(undefined);
  });

  it("lets names it does not know and deletions be", () => {
    expect(changed("of-tomorrow", "anything")).to.equal(undefined);
    expect(settingRefusal({ before: setting("password-min-length", "14") }, around())).to.equal(
      undefined,
    );
  });

  describe("agent-tls-mode", () => {
    const before = setting("agent-tls-mode", "system-store");
    const loose = around({}, { looseClusters: () => ["c-m-1"] });

    it("does not become strict while a cluster's agent could not follow", () => {
      const refusal = settingRefusal({ before, after: setting("agent-tls-mode", "strict") }, loose);

      expect(refusal).to.deep.equal({
        reason: "Forbidden",
        message:
          "value of setting agent-tls-mode must not become strict: condition AgentTlsStrictCheck of cluster c-m-1 is not True",
      });
    });

    it("counts the default where there is no value", () => {
      const old = setting("agent-tls-mode", "", { default: "system-store" });
      const after = setting("agent-tls-mode", "", { default: "strict" });

      expect(settingRefusal({ before: old, after }, loose)?.reason).to.equal("Forbidden");
    });

    it("becomes strict by force, or when all agents can follow", () => {
      const metadata = { name: "agent-tls-mode", annotations: { "cattle.io/force": "true" } };
      const forced = setting("agent-tls-mode", "strict", { metadata });

      expect(settingRefusal({ before, after: forced }, loose)).to.equal(undefined);
      expect(
        settingRefusal({ before, after: setting("agent-tls-mode", "strict") }, around()),
      ).to.equal(undefined);
    });

    it("always becomes system-store", () => {
      const strict = setting("agent-tls-mode", "strict");

      expect(settingRefusal({ before: strict, after: before }, loose)).to.equal(undefined);
    });
  });
});
