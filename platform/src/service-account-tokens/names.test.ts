import { expect } from "chai";
import { apiVersionOf } from "kopf-ts";
import { type Secret, ServiceAccount } from "kopf-ts/kinds";
import { isTokenOf, referredSecret, tokenSecret } from "./names.ts";

const accountWith = (metadata: object = {}): ServiceAccount => ({
  apiVersion: apiVersionOf(ServiceAccount),
  kind: ServiceAccount.kind,
  metadata: { name: "agent", namespace: "ns", uid: "1", ...metadata },
});
const secretWith = (fields: Partial<Secret> = {}, annotations: object = {}): Secret => {
  const { metadata, ...rest } = tokenSecret(accountWith());
  const all = { ...metadata, annotations: { ...metadata.annotations, ...annotations } };
  return { ...rest, metadata: all, ...fields } as Secret;
};

describe("tokenSecret", () => {
  it("bears what Kubernetes and Rancher look for", () => {
    const secret = tokenSecret(accountWith());

    expect(secret.type).to.equal("kubernetes.io/service-account-token");
    expect(secret.metadata.name).to.match(/^agent-token-[0-9a-f]{10}$/);
    expect(secret.metadata.labels).to.deep.equal({ "cattle.io/service-account.name": "agent" });
    expect(secret.metadata.annotations).to.deep.equal({
      "kubernetes.io/service-account.name": "agent",
    });
    expect(secret.metadata.ownerReferences?.[0]).to.include({ kind: "ServiceAccount", uid: "1" });
  });

  it("has a name that follows from the account, and another for one made anew", () => {
    const [name, again, anew] = ["1", "1", "2"].map(
      (uid) => tokenSecret(accountWith({ uid })).metadata.name,
    );

    expect(again).to.equal(name);
    expect(anew).not.to.equal(name);
  });

  it("has names that Kubernetes takes, however long the account's is", () => {
    const { metadata } = tokenSecret(accountWith({ name: "a".repeat(253) }));

    expect(metadata.name).to.have.length.at.most(253);
    expect(Object.values(metadata.labels ?? {})[0]).to.have.length.at.most(63);
  });
});

describe("isTokenOf", () => {
  for (const { name, secret, expected } of [
    { name: "a new one", secret: secretWith(), expected: true },
    {
      name: "a filled one",
      secret: secretWith({}, { "kubernetes.io/service-account.uid": "1" }),
      expected: true,
    },
    {
      name: "one of the account before",
      secret: secretWith({}, { "kubernetes.io/service-account.uid": "0" }),
      expected: false,
    },
    {
      name: "another account's",
      secret: secretWith({}, { "kubernetes.io/service-account.name": "other" }),
      expected: false,
    },
    { name: "another type", secret: secretWith({ type: "Opaque" }), expected: false },
    {
      name: "one on its way out",
      secret: secretWith({
        metadata: { ...secretWith().metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
      }),
      expected: false,
    },
  ]) {
    it(`is ${expected} for ${name}`, () => {
      expect(isTokenOf(secret, accountWith())).to.equal(expected);
    });
  }
});

describe("referredSecret", () => {
  for (const { reference, expected } of [
    { reference: "ns/agent-token-x", expected: "agent-token-x" },
    { reference: "elsewhere/agent-token-x", expected: undefined },
    { reference: "agent-token-x", expected: undefined },
    { reference: "ns/", expected: undefined },
    { reference: "ns/a/b", expected: undefined },
    { reference: "", expected: undefined },
  ]) {
    it(`is ${expected} for "${reference}"`, () => {
      const annotations = { "rancher.io/service-account.secret-ref": reference };

      expect(referredSecret(accountWith({ annotations }))).to.equal(expected);
    });
  }

  it("is undefined without annotation", () => {
    expect(referredSecret(accountWith())).to.equal(undefined);
  });
});
