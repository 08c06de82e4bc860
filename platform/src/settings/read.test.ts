import { aSetting } from "@drover/crds/testing";
import { expect } from "chai";
import {
  booleanOf,
  bytesOf,
  environmentName,
  millisecondsOf,
  numberOf,
  settingValue,
} from "./read.ts";

const env = { CATTLE_SERVER_URL: "https://env.test" };
const object = aSetting({
  metadata: { name: "server-url" },
  value: "https://value.test",
  default: "https://default.test",
});

describe("settingValue", () => {
  for (const { title, sources, expected } of [
    {
      title: "prefers the environment",
      sources: { env, object },
      expected: ["https://env.test", "env"],
    },
    {
      title: "then takes the value",
      sources: { env: {}, object },
      expected: ["https://value.test", "db"],
    },
    {
      title: "then the default",
      sources: { env: {}, object: { ...object, value: "" } },
      expected: ["https://default.test", "default"],
    },
    {
      title: "then the table",
      sources: { env: {}, object: { ...object, value: "", default: "" } },
      expected: ["", "fallback"],
    },
    { title: "does without an object", sources: { env: {} }, expected: ["", "fallback"] },
    {
      title: "passes over an empty variable",
      sources: { env: { CATTLE_SERVER_URL: "" }, object },
      expected: ["https://value.test", "db"],
    },
  ]) {
    it(title, () => {
      const { value, source } = settingValue("server-url", sources);

      expect([value, source]).to.deep.equal(expected);
    });
  }

  it("takes the default from the variable that the table names", () => {
    const resolved = settingValue("system-default-registry", {
      env: { CATTLE_BASE_REGISTRY: "r.test" },
    });

    expect(resolved).to.deep.equal({ value: "r.test", source: "fallback" });
  });

  it("names the variable after the setting", () => {
    expect(environmentName("agent-tls-mode")).to.equal("CATTLE_AGENT_TLS_MODE");
  });
});

describe("typed readers", () => {
  const stored = (name: string, value: string) => ({
    env: {},
    object: aSetting({ metadata: { name }, value }),
  });

  it("read numbers, booleans and lengths of time", () => {
    expect(numberOf("password-min-length", stored("password-min-length", "14"))).to.equal(14);
    expect(booleanOf("hide-local-cluster", stored("hide-local-cluster", "true"))).to.equal(true);
    const ttl = "kubeconfig-default-token-ttl-minutes";
    expect(millisecondsOf(ttl, stored(ttl, "0.01"))).to.equal(600);
    const retention = "disable-inactive-user-after";
    expect(millisecondsOf(retention, stored(retention, "1h30m"))).to.equal(5_400_000);
    expect(millisecondsOf(retention, { env: {} })).to.equal(undefined);
  });

  for (const [text, bytes] of [
    ["1Mi", 1_048_576],
    ["2048", 2048],
    ["2k", 2000],
    ["2K", 2000],
    ["1.5Ki", 1536],
    ["2.0005k", 2000],
    ["3M", 3_000_000],
    ["0.001G", 1_000_000],
    ["0.00001Ti", 10_995_116],
    ["0", 1_048_576],
    ["1Gi", 1_048_576],
    ["many", 1_048_576],
  ] as const) {
    it(`read ${text} as ${bytes} bytes`, () => {
      const limit = "public-api-body-limit";
      expect(bytesOf(limit, stored(limit, text))).to.equal(bytes);
    });
  }

  it("take the default for a value that is older than admission", () => {
    expect(numberOf("password-min-length", stored("password-min-length", "many"))).to.equal(12);
    expect(booleanOf("first-login", stored("first-login", "perhaps"))).to.equal(true);
    expect(
      millisecondsOf("agent-rollout-timeout", stored("agent-rollout-timeout", "-1h")),
    ).to.equal(300_000);
  });

  it("refuse a setting of another kind", () => {
    expect(() => numberOf("server-url", { env: {} })).to.throw(
      TypeError,
      "setting server-url is no number",
    );
    expect(() => booleanOf("server-url", { env: {} })).to.throw(TypeError);
    expect(() => bytesOf("server-url", { env: {} })).to.throw(TypeError);
    expect(() => millisecondsOf("server-url", { env: {} })).to.throw(TypeError);
  });
});
