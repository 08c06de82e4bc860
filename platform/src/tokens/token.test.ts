import { aToken } from "@drover/crds/testing";
import { expect } from "chai";
import { PermanentError } from "kopf-ts";
import { Confidential } from "./confidential.ts";
import { kubeconfigTokenName, systemToken, verifyToken, withHashedKey } from "./token.ts";
import type { TokenValue } from "./value.ts";

const key = "d".repeat(54);
const secret = new Confidential(key);
const value: TokenValue = { store: "v3", name: "token-abcde", key: secret };
const plain = aToken({ metadata: { name: "token-abcde" }, token: key });

describe("verifyToken", () => {
  it("takes the value of a plain and of a hashed token", async () => {
    expect(await verifyToken(plain, value)).to.equal(true);
    expect(await verifyToken(withHashedKey(plain), value)).to.equal(true);
  });

  for (const { name, other } of [
    { name: "another name", other: { ...value, name: "token-other" } },
    { name: "another key", other: { ...value, key: new Confidential("x") } },
    { name: "the other store", other: { ...value, store: "ext" as const } },
  ]) {
    it(`refuses ${name}`, async () => {
      expect(await verifyToken(plain, other)).to.equal(false);
      expect(await verifyToken(withHashedKey(plain), other)).to.equal(false);
    });
  }

  it("refuses every key of a token without one", async () => {
    const { token: _, ...empty } = plain;

    expect(await verifyToken(empty, { ...value, key: new Confidential("") })).to.equal(false);
    expect(
      await verifyToken({ ...empty, token: "" }, { ...value, key: new Confidential("") }),
    ).to.equal(false);
  });

  it("takes a key for hashed only if the annotation says so in these letters", async () => {
    const annotations = { "authn.management.cattle.io/token-hashed": "True" };
    const unsure = { ...plain, metadata: { ...plain.metadata, annotations } };

    expect(await verifyToken(unsure, value)).to.equal(true);
  });
});

describe("withHashedKey", () => {
  it("marks the token and keeps everything else", () => {
    const token = {
      ...plain,
      metadata: { ...plain.metadata, annotations: { note: "kept" } },
      ttl: 7,
    };

    const hashed = withHashedKey(token);

    expect(hashed.token).to.match(/^\$3:1:/);
    expect({ ...hashed, token: key }).to.deep.equal({
      ...token,
      metadata: {
        ...token.metadata,
        annotations: { note: "kept", "authn.management.cattle.io/token-hashed": "true" },
      },
    });
    expect(token.token).to.equal(key);
  });

  it("leaves a hashed token and one without a key as they are", () => {
    const hashed = withHashedKey(plain);
    const { token: _, ...empty } = plain;

    expect(withHashedKey(hashed)).to.equal(hashed);
    expect(withHashedKey(empty)).to.equal(empty);
  });
});

describe("systemToken", () => {
  const input = {
    name: "agent-u-abc",
    key: secret,
    userId: "u-abc",
    kind: "agent",
    description: "Agent",
  };

  it("is derived, local, and ends after an hour", () => {
    expect(systemToken(input)).to.deep.equal({
      apiVersion: "management.cattle.io/v3",
      kind: "Token",
      metadata: {
        name: "agent-u-abc",
        labels: {
          "authn.management.cattle.io/token-userId": "u-abc",
          "authn.management.cattle.io/kind": "agent",
        },
      },
      token: key,
      userId: "u-abc",
      description: "Agent",
      ttl: 3_600_000,
      authProvider: "local",
      isDerived: true,
    });
  });

  it("ends when it is told to", () => {
    expect(systemToken({ ...input, ttl: 5 }).ttl).to.equal(5);
  });

  it("refuses a name of generated tokens, and shows no key", () => {
    expect(() => systemToken({ ...input, name: "token-abcde" }))
      .to.throw(PermanentError, "must not begin with token-")
      .with.property("message")
      .not.contain(key);
  });
});

describe("kubeconfigTokenName", () => {
  it("is that of the user, and of the cluster if there is one", () => {
    expect(kubeconfigTokenName("u-abc")).to.equal("kubeconfig-u-abc");
    expect(kubeconfigTokenName("u-abc", "")).to.equal("kubeconfig-u-abc");
    expect(kubeconfigTokenName("u-abc", "c-m-xyz")).to.equal("kubeconfig-u-abc.c-m-xyz");
  });
});
