import { expect } from "chai";
import {
  namespaceConditions,
  namespaceStatus,
  withoutNamespaceConditions,
} from "./namespace-status.ts";

const now = Date.parse("2026-01-02T03:04:05.678Z");
const aNamespace = (status?: string) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: {
    name: "shop",
    ...(status !== undefined && { annotations: { "cattle.io/status": status } }),
  },
});
const roles = {
  Type: "InitialRolesPopulated",
  Status: "True",
  Message: "",
  LastUpdateTime: "2025-01-01T00:00:00Z",
};
const quota = { Type: "ResourceQuotaInit", Status: "False", Message: "no", LastUpdateTime: "x" };
const both = JSON.stringify({ Conditions: [roles, quota] });
const update = { type: "ResourceQuotaInit", status: "True" } as const;

describe("namespaceStatus", () => {
  it("adds a condition in Rancher's form", () => {
    expect(namespaceStatus(aNamespace(), [update], now)).to.equal(
      '{"Conditions":[{"Type":"ResourceQuotaInit","Status":"True","Message":"","LastUpdateTime":"2026-01-02T03:04:05Z"}]}',
    );
  });

  it("changes its own, in place, and keeps those of others to the letter", () => {
    const text = JSON.stringify({ Conditions: [quota, roles], more: 1 });

    const { Conditions, more } = JSON.parse(namespaceStatus(aNamespace(text), [update], now));

    expect(Conditions[0]).to.include({ Type: "ResourceQuotaInit", Status: "True", Message: "" });
    expect(Conditions[1]).to.deep.equal(roles);
    expect(more).to.equal(1);
  });

  it("is the very same text when it says so already, whatever the time", () => {
    const text = ` ${JSON.stringify({ Conditions: [roles] })}`;

    expect(namespaceStatus(aNamespace(text), [{ type: roles.Type, status: "True" }], now)).to.equal(
      text,
    );
  });

  it("moves the time with the message", () => {
    const said = { ...update, status: "False", message: "never" } as const;

    const [, changed] = namespaceConditions(
      aNamespace(namespaceStatus(aNamespace(both), [said], now)),
    );

    expect(changed).to.include({ Message: "never", LastUpdateTime: "2026-01-02T03:04:05Z" });
  });

  for (const text of ["", "{", "[]", '{"Conditions":7}', '{"Conditions":[null]}', "null"]) {
    it(`replaces what cannot be read: ${text || "nothing"}`, () => {
      const said = namespaceConditions(
        aNamespace(namespaceStatus(aNamespace(text), [update], now)),
      );

      expect(said.map(({ Type }) => Type)).to.deep.equal(["ResourceQuotaInit"]);
    });
  }
});

describe("withoutNamespaceConditions", () => {
  for (const { name, text, types, expected } of [
    {
      name: "keeps the others",
      text: both,
      types: [quota.Type],
      expected: JSON.stringify({ Conditions: [roles] }),
    },
    { name: "is the same text when there are none", text: both, types: ["Other"], expected: both },
    {
      name: "leaves nothing where nothing is left",
      text: both,
      types: [quota.Type, roles.Type],
      expected: undefined,
    },
    { name: "leaves alone what cannot be read", text: "{", types: [quota.Type], expected: "{" },
    {
      name: "has nothing to take from nothing",
      text: undefined,
      types: [quota.Type],
      expected: undefined,
    },
  ]) {
    it(name, () => {
      expect(withoutNamespaceConditions(aNamespace(text), types)).to.equal(expected);
    });
  }
});
