import { ClusterRegistrationToken } from "@drover/crds";
import { aClusterRegistrationToken } from "@drover/crds/testing";
import { expect } from "chai";
import { apiVersionOf, type ObjectMeta } from "kopf-ts";
import type { Secret } from "kopf-ts/kinds";
import { Confidential } from "../tokens/confidential.ts";
import { registrationOf, registrationSecrets } from "./authenticate.ts";
import { readRegistrationValues, registrationData } from "./values.ts";

const now = Date.UTC(2030, 0, 1);
const graceEnd = now + 60_000;

const aToken = (namespace = "c-1", name = "default-token"): ClusterRegistrationToken =>
  aClusterRegistrationToken({
    metadata: { namespace, name, uid: `uid-${namespace}` },
    status: { tokenSecretName: `crt-token-${name}` },
  });

/** With a current and a previous value. */
function secretOf(token: ClusterRegistrationToken, metadata: Partial<ObjectMeta> = {}): Secret {
  const { name, namespace = "", uid = "" } = token.metadata;
  const owner = { apiVersion: apiVersionOf(ClusterRegistrationToken), kind: token.kind, name, uid };
  const values = {
    token: new Confidential("current"),
    previous: { token: new Confidential("previous"), expiresAt: graceEnd },
  };
  const data = Object.entries(registrationData(values)).filter(([, value]) => value !== null);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: `crt-token-${name}`, namespace, ownerReferences: [owner], ...metadata },
    data: Object.fromEntries(data),
  } as Secret;
}

/** As caches would answer. */
function sources(
  tokens: readonly ClusterRegistrationToken[],
  secrets: readonly Secret[],
  at = now,
): Parameters<typeof registrationOf>[1] {
  const key = ({ metadata }: ClusterRegistrationToken) => `${metadata.namespace}/${metadata.name}`;
  return {
    now: at,
    tokens: { get: (name) => tokens.find((token) => key(token) === name) },
    secrets: {
      byIndex: (_, value) =>
        secrets.filter((secret) => registrationSecrets.of(secret).includes(value)),
    },
  };
}

describe("registrationOf", () => {
  const token = aToken();

  for (const { name, value, at, expected } of [
    { name: "the current value", value: "current", at: now, expected: {} },
    { name: "the previous value", value: "previous", at: now, expected: { until: graceEnd } },
    { name: "the previous one at its end", value: "previous", at: graceEnd, expected: undefined },
    { name: "the current one then", value: "current", at: graceEnd, expected: {} },
    { name: "another value", value: "other", at: now, expected: undefined },
    { name: "no value", value: "", at: now, expected: undefined },
    { name: "a value beyond reason", value: "x".repeat(1e6), at: now, expected: undefined },
  ]) {
    it(`${expected ? "lets in" : "does not let in"} with ${name}`, () => {
      const found = registrationOf(value, sources([token], [secretOf(token)], at));

      const registration = { cluster: "c-1", token: "default-token" };
      expect(found).to.deep.equal(expected && { ...registration, ...expected });
    });
  }

  for (const { name, tokens, metadata } of [
    { name: "without an owner", tokens: [token], metadata: { ownerReferences: [] } },
    { name: "of another name", tokens: [token], metadata: { name: "crt-token-other" } },
    {
      name: "being deleted",
      tokens: [token],
      metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" },
    },
    { name: "of no token", tokens: [], metadata: {} },
    { name: "that its token does not name", tokens: [{ ...token, status: {} }], metadata: {} },
    {
      name: "of an earlier token of the name",
      tokens: [{ ...token, metadata: { ...token.metadata, uid: "new" } }],
      metadata: {},
    },
    {
      name: "of a token on its way out",
      tokens: [
        { ...token, metadata: { ...token.metadata, deletionTimestamp: "2030-01-01T00:00:00Z" } },
      ],
      metadata: {},
    },
  ]) {
    it(`takes no notice of a Secret ${name}`, () => {
      const found = registrationOf("current", sources(tokens, [secretOf(token, metadata)]));

      expect(found).to.equal(undefined);
    });
  }

  it("lets a copied value into the cluster of the older Secret", () => {
    const other = aToken("c-2");
    const old = secretOf(token, { creationTimestamp: "2029-01-01T00:00:00Z" });
    const copy = secretOf(other, { creationTimestamp: "2029-06-01T00:00:00Z" });

    expect(registrationOf("current", sources([token, other], [copy, old]))?.cluster).to.equal(
      "c-1",
    );
  });

  it("keeps values out of the index", () => {
    const keys = registrationSecrets.of(secretOf(token));

    expect(keys).to.have.length(2);
    expect(keys.join()).to.match(/^[0-9a-f]{64},[0-9a-f]{64}$/);
  });
});

describe("readRegistrationValues", () => {
  const text = (value: string) => Buffer.from(value).toString("base64");
  const secret = (data: Record<string, string>): Secret => ({
    ...secretOf(aToken()),
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, text(value)])),
  });

  it("reads what registrationData writes", () => {
    const values = readRegistrationValues(secretOf(aToken()));

    expect(values?.token.reveal()).to.equal("current");
    expect(values?.previous?.token.reveal()).to.equal("previous");
    expect(values?.previous?.expiresAt).to.equal(graceEnd);
    expect(JSON.stringify(values)).to.not.contain("current");
  });

  for (const { name, data, expected } of [
    { name: "nothing", data: {}, expected: undefined },
    { name: "an empty value", data: { token: "" }, expected: undefined },
    { name: "a value beyond reason", data: { token: "x".repeat(257) }, expected: undefined },
    {
      name: "a previous value without an end",
      data: { token: "a", previousToken: "b" },
      expected: [undefined, undefined],
    },
    {
      name: "times that are none",
      data: { token: "a", expiresAt: "soon", previousToken: "b", gracePeriodExpiresAt: "later" },
      expected: [undefined, undefined],
    },
  ]) {
    it(`makes do with ${name}`, () => {
      const values = readRegistrationValues(secret(data));

      expect(values && [values.expiresAt, values.previous]).to.deep.equal(expected);
    });
  }
});
