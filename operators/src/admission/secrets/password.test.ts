import { aUser } from "@drover/crds/testing";
import { hashPassword, passwordHashAnnotation, passwordSecret } from "@drover/platform";
import { expect } from "chai";
import type { Secret } from "kopf-ts/kinds";
import { passwordChange, withHash } from "./password.ts";

const user = aUser({ metadata: { name: "u-ada", uid: "1" } });
const bcrypt = `$2a$10$${"a".repeat(53)}`;

const encoded = (text: string): string => Buffer.from(text).toString("base64");
function secretWith(
  data: Readonly<Record<string, string>>,
  annotations: Readonly<Record<string, string>> = {},
): Secret {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "u-ada", namespace: "cattle-local-user-passwords", annotations },
    data,
  };
}

describe("passwordChange", () => {
  let stored: Secret;
  let other: Secret;
  before(async () => {
    stored = passwordSecret(user, await hashPassword("correct horse battery"));
    other = passwordSecret(user, await hashPassword("another long one"));
  });
  const annotated = (data: Readonly<Record<string, string>>): Secret =>
    secretWith(data, { [passwordHashAnnotation]: "pbkdf2sha3512" });

  it("finds a plain text", () => {
    const secret = secretWith({ password: encoded("löng enough") });

    expect(passwordChange(secret, undefined)).to.deep.equal({ type: "plain", text: "löng enough" });
    expect(passwordChange(secretWith({}), undefined)).to.deep.equal({ type: "plain", text: "" });
  });

  it("finds no text in bytes that are none", () => {
    const password = Buffer.from([0xff, 0xfe]).toString("base64");

    expect(passwordChange(secretWith({ password }), undefined)).to.deep.equal({
      type: "plain",
      text: undefined,
    });
  });

  it("finds hashes that were made elsewhere", () => {
    const old = secretWith({ password: encoded(bcrypt) }, { [passwordHashAnnotation]: "bcrypt" });

    expect(passwordChange(stored, undefined).type).to.equal("hashed");
    expect(passwordChange(other, stored).type).to.equal("hashed");
    expect(passwordChange(old, undefined).type).to.equal("hashed");
    expect(passwordChange(stored, old).type).to.equal("hashed");
  });

  it("takes what only claims to be a hash for a plain text", () => {
    const password = encoded("x".repeat(31));

    for (const claimed of [
      annotated({ password, salt: encoded("s".repeat(32)) }),
      annotated({ password: encoded("x".repeat(32)) }),
      secretWith({ password: encoded(bcrypt) }, { [passwordHashAnnotation]: "md5" }),
      secretWith({ password }, { [passwordHashAnnotation]: "bcrypt" }),
    ]) {
      expect(passwordChange(claimed, undefined).type).to.equal("plain");
    }
  });

  it("takes a new password beside the old salt for a plain text, even of a hash's length", () => {
    const text = "exactly thirty-two bytes of text";
    const patched = { ...stored, data: { ...stored.data, password: encoded(text) } };

    expect(Buffer.byteLength(text)).to.equal(32);
    expect(passwordChange(patched, stored)).to.deep.equal({ type: "plain", text });
  });

  it("does not hash a hash whose annotation was removed", () => {
    const stripped = { ...stored, metadata: { ...stored.metadata, annotations: {} } };

    expect(passwordChange(stripped, stored).type).to.equal("hashed");
  });
});

describe("withHash", () => {
  const applied = "kubectl.kubernetes.io/last-applied-configuration";

  it("leaves no trace of the plain text, and keeps what is not about it", async () => {
    const plain = "correct horse battery";
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "2" };
    const given = secretWith(
      { password: encoded(plain), note: encoded(plain) },
      { [applied]: JSON.stringify({ stringData: { password: plain } }), team: "a" },
    );
    const secret = { ...given, metadata: { ...given.metadata, ownerReferences: [owner] } };

    const hashed = withHash(secret, user, await hashPassword(plain));

    const text = JSON.stringify(hashed);
    expect(text).not.to.contain(plain);
    expect(text).not.to.contain(encoded(plain));
    expect(hashed.metadata.annotations).to.deep.equal({
      team: "a",
      [passwordHashAnnotation]: "pbkdf2sha3512",
    });
    expect(Object.keys(hashed.data ?? {})).to.have.members(["password", "salt"]);
    expect(hashed.metadata.ownerReferences).to.deep.equal([
      owner,
      { apiVersion: "management.cattle.io/v3", kind: "User", name: "u-ada", uid: "1" },
    ]);
  });
});
