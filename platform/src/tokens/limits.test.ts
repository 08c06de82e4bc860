import { aSetting } from "@drover/crds/testing";
import { expect } from "chai";
import { liveSettings } from "../settings/index.ts";
import { idleTtl, ttlLimits } from "./limits.ts";
import { clampTtl } from "./ttl.ts";

const minute = 60_000;

function settingsOf(values: Readonly<Record<string, string>> = {}) {
  const get = (name: string) => {
    const value = values[name];
    return value === undefined ? undefined : aSetting({ metadata: { name }, value });
  };
  return liveSettings({ get }, {});
}

describe("ttlLimits", () => {
  for (const { kind, values, expected } of [
    { kind: "session", values: {}, expected: { standard: 960, maximum: 960 } },
    { kind: "", values: {}, expected: { standard: 129_600, maximum: 129_600 } },
    { kind: "kubeconfig", values: {}, expected: { standard: 43_200, maximum: 129_600 } },
    {
      kind: "kubeconfig",
      values: { "auth-token-max-ttl-minutes": "100" },
      expected: { standard: 43_200, maximum: 100 },
    },
    {
      kind: "kubeconfig",
      values: { "auth-token-max-ttl-minutes": "0", "kubeconfig-max-token-ttl-minutes": "70" },
      expected: { standard: 43_200, maximum: 70 },
    },
    {
      kind: "kubeconfig",
      values: { "kubeconfig-max-token-ttl-minutes": "0" },
      expected: { standard: 43_200, maximum: 129_600 },
    },
    {
      kind: "kubeconfig",
      values: { "kubeconfig-default-token-ttl-minutes": "0.01" },
      expected: { standard: 0.01, maximum: 129_600 },
    },
  ]) {
    it(`of kind "${kind}" with ${JSON.stringify(values)}`, () => {
      const { standard, maximum } = ttlLimits(kind, settingsOf(values));

      expect([standard, maximum]).to.deep.equal([
        expected.standard * minute,
        expected.maximum * minute,
      ]);
    });
  }

  it("case 81: let a kubeconfig's token live 0.01 minutes", () => {
    const limits = ttlLimits(
      "kubeconfig",
      settingsOf({ "kubeconfig-default-token-ttl-minutes": "0.01" }),
    );

    expect(clampTtl(0, limits)).to.equal(600);
  });
});

describe("idleTtl", () => {
  it("follows the setting", () => {
    expect(idleTtl(settingsOf())).to.equal(960 * minute);
    expect(idleTtl(settingsOf({ "auth-user-session-idle-ttl-minutes": "5" }))).to.equal(5 * minute);
  });
});
