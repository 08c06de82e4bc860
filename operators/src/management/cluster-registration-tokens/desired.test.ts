import { aClusterRegistrationToken } from "@drover/crds/testing";
import { Confidential } from "@drover/platform";
import { expect } from "chai";
import type { Secret } from "kopf-ts/kinds";
import {
  defaultToken,
  isSecretOf,
  legacyValues,
  newSecret,
  readerRole,
  secretNameOf,
  secretPatch,
  statusOf,
} from "./desired.ts";

const at = Date.UTC(2030, 0, 1);
const token = aClusterRegistrationToken({ metadata: { name: "x", namespace: "c-1", uid: "u-1" } });
const values = { token: new Confidential("secret"), expiresAt: at };
const commands = { serverUrl: "https://drover.test", caChecksum: "", cluster: "c-1", env: [] };
const encoded = (text: string) => Buffer.from(text).toString("base64");

describe("newSecret", () => {
  it("is Rancher's, and belongs to the token", () => {
    const { metadata, data, type } = newSecret(token, "crt-token-x", values);

    expect([metadata.namespace, metadata.name, type]).to.deep.equal([
      "c-1",
      "crt-token-x",
      "Opaque",
    ]);
    expect(data).to.deep.equal({
      token: encoded("secret"),
      expiresAt: encoded("2030-01-01T00:00:00Z"),
    });
    expect(metadata.ownerReferences?.[0]).to.include({
      apiVersion: "management.cattle.io/v3",
      kind: "ClusterRegistrationToken",
      name: "x",
      uid: "u-1",
    });
  });
});

describe("secretPatch", () => {
  const stored = {
    ...newSecret(token, "crt-token-x", values),
    metadata: {
      ...newSecret(token, "crt-token-x", values).metadata,
      uid: "s",
      resourceVersion: "7",
    },
  };
  const previous = { token: new Confidential("old"), expiresAt: at };

  it("is nothing for what is stored", () => {
    expect(secretPatch(stored, values)).to.equal(undefined);
  });

  it("changes what differs, in the version that was looked at", () => {
    expect(secretPatch(stored, { token: values.token, previous })).to.deep.equal({
      metadata: { uid: "s", resourceVersion: "7" },
      data: {
        expiresAt: null,
        previousToken: encoded("old"),
        gracePeriodExpiresAt: encoded("2030-01-01T00:00:00Z"),
      },
    });
  });

  it("labels one that a Rancher made", () => {
    const unlabelled = { ...stored, metadata: { ...stored.metadata, labels: {} } };

    expect(secretPatch(unlabelled, values)).to.deep.equal({
      metadata: {
        uid: "s",
        resourceVersion: "7",
        labels: { "drover.dev/registration-token": "true" },
      },
    });
  });
});

describe("isSecretOf", () => {
  const secret = newSecret(token, "crt-token-x", values);
  const [reference] = secret.metadata.ownerReferences ?? [];
  const owned = (change: object): Secret =>
    ({
      ...secret,
      metadata: { ...secret.metadata, ownerReferences: [{ ...reference, ...change }] },
    }) as Secret;

  for (const { name, change, expected } of [
    { name: "its own", change: {}, expected: true },
    { name: "that of an earlier token of its name", change: { uid: "u-0" }, expected: false },
    { name: "that of another", change: { name: "y" }, expected: false },
    { name: "that of another kind", change: { kind: "ConfigMap" }, expected: false },
    { name: "that of another group", change: { apiVersion: "x.io/v3" }, expected: false },
  ]) {
    it(`is ${expected} of ${name}`, () => {
      expect(isSecretOf(token, owned(change))).to.equal(expected);
    });
  }
});

describe("statusOf", () => {
  it("tells times and commands, and never a value", () => {
    const previous = { token: new Confidential("old"), expiresAt: at + 1000 };
    const status = statusOf("crt-token-x", { ...values, previous }, commands);

    expect(status).to.include({
      tokenSecretName: "crt-token-x",
      expiresAt: "2030-01-01T00:00:00Z",
      gracePeriodExpiresAt: "2030-01-01T00:00:01Z",
    });
    expect(status).to.not.have.property("token");
    expect(JSON.stringify(status)).to.not.match(/secret"|old/);
  });

  it("case 20: has no commands while nobody knows where the server is", () => {
    expect(statusOf("s", { token: values.token }, { ...commands, serverUrl: "" })).to.deep.equal({
      tokenSecretName: "s",
    });
  });
});

describe("legacyValues", () => {
  it("are what an older Rancher kept in the status", () => {
    expect(legacyValues({ ...token, status: { token: "abc" } })?.token.reveal()).to.equal("abc");
    expect(legacyValues({ ...token, status: { token: "" } })).to.equal(undefined);
    expect(legacyValues(token)).to.equal(undefined);
  });
});

describe("readerRole", () => {
  const named = (name: string, secret?: string, metadata: object = {}) =>
    aClusterRegistrationToken({
      metadata: { name, namespace: "c-1", ...metadata },
      ...(secret && { status: { tokenSecretName: secret } }),
    });

  it("case 26: reads the Secrets that tokens name, always in one order", () => {
    const tokens = [named("b", "crt-token-b"), named("a", "crt-token-a"), named("c")];
    const leaving = named("d", "crt-token-d", { deletionTimestamp: "2030-01-01T00:00:00Z" });

    const role = readerRole("c-1", [...tokens, leaving]);

    expect(role).to.deep.equal(readerRole("c-1", [leaving, ...tokens.toReversed()]));
    expect([role?.metadata.namespace, role?.metadata.name]).to.deep.equal([
      "c-1",
      "crt-token-reader",
    ]);
    expect(role?.rules).to.deep.equal([
      {
        verbs: ["get"],
        apiGroups: [""],
        resources: ["secrets"],
        resourceNames: ["crt-token-a", "crt-token-b"],
      },
    ]);
  });

  it("is none without Secrets, for a rule without names would allow all", () => {
    expect(readerRole("c-1", [named("c")])).to.equal(undefined);
  });
});

describe("names", () => {
  it("of Secrets follow from those of tokens, as far as a name can be", () => {
    const long = aClusterRegistrationToken({ metadata: { name: "x".repeat(244) } });

    expect(secretNameOf(token)).to.equal("crt-token-x");
    expect(secretNameOf(long)).to.equal(undefined);
  });

  it("of the default token", () => {
    const { metadata, spec } = defaultToken("c-1");

    expect(metadata).to.deep.equal({ name: "default-token", namespace: "c-1" });
    expect(spec).to.deep.equal({ clusterName: "c-1" });
  });
});
