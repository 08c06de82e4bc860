import { aUser } from "@drover/crds/testing";
import { expect } from "chai";
import { seededRandom } from "kopf-ts/testing";
import type { PasswordHash, Pbkdf2Hash } from "./hash.ts";
import {
  type PasswordSecret,
  parseLegacyPassword,
  parsePasswordSecret,
  passwordPatch,
  passwordSecret,
} from "./secret.ts";

const user = aUser({ metadata: { name: "u-abc", uid: "uid-1" } });
const hash: Pbkdf2Hash = {
  algorithm: "pbkdf2sha3512",
  key: Buffer.alloc(32, 1),
  salt: Buffer.alloc(32, 2),
};
const bcryptText = "$2a$10$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe";
const bcrypt: PasswordHash = { algorithm: "bcrypt", text: bcryptText };

/** The user's Secret with other data, or another annotation. */
function secretWith(
  data: Readonly<Record<string, unknown>> | undefined,
  algorithm?: string,
): PasswordSecret {
  const { metadata, ...rest } = passwordSecret(user, hash);
  const annotations = { "cattle.io/password-hash": algorithm ?? "pbkdf2sha3512" };
  return { ...rest, metadata: { ...metadata, annotations }, data } as unknown as PasswordSecret;
}

const base64 = (length: number): string => Buffer.alloc(length, 3).toString("base64");

describe("case 77: passwordSecret", () => {
  it("has the name of the user, whose it is, and the raw bytes in base64", () => {
    expect(passwordSecret(user, hash)).to.deep.equal({
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        name: "u-abc",
        namespace: "cattle-local-user-passwords",
        annotations: { "cattle.io/password-hash": "pbkdf2sha3512" },
        ownerReferences: [
          { apiVersion: "management.cattle.io/v3", kind: "User", name: "u-abc", uid: "uid-1" },
        ],
      },
      data: {
        password: Buffer.alloc(32, 1).toString("base64"),
        salt: Buffer.alloc(32, 2).toString("base64"),
      },
    });
  });

  it("keeps a bcrypt hash as it is, without a salt", () => {
    const secret = passwordSecret(user, bcrypt);

    expect(secret.metadata.annotations).to.deep.equal({ "cattle.io/password-hash": "bcrypt" });
    expect(secret.data).to.deep.equal({ password: Buffer.from(bcryptText).toString("base64") });
  });

  it("refuses a user that the API server has not made yet", () => {
    const { uid: _, ...metadata } = user.metadata;

    expect(() => passwordSecret({ metadata }, hash)).to.throw(TypeError, "u-abc has no uid");
  });
});

describe("parsePasswordSecret", () => {
  it("reads what passwordSecret writes", () => {
    expect(parsePasswordSecret(passwordSecret(user, bcrypt))).to.deep.equal(bcrypt);
    expect(parsePasswordSecret(passwordSecret(user, hash))).to.deep.equal(hash);
  });

  for (const { name, data, algorithm } of [
    { name: "no data", data: undefined },
    { name: "no password", data: { salt: base64(32) } },
    { name: "no salt", data: { password: base64(32) } },
    { name: "an empty password", data: { password: "", salt: base64(32) } },
    { name: "a key that is too short", data: { password: base64(31), salt: base64(32) } },
    { name: "a key that is too long", data: { password: base64(33), salt: base64(32) } },
    { name: "a salt that is too short", data: { password: base64(32), salt: base64(7) } },
    { name: "a salt that is too long", data: { password: base64(32), salt: base64(129) } },
    { name: "a huge password", data: { password: base64(1 << 20), salt: base64(32) } },
    { name: "a number", data: { password: 7, salt: base64(32) } },
    { name: "what is no base64", data: { password: "*".repeat(44), salt: base64(32) } },
    { name: "an unknown algorithm", data: { password: base64(32) }, algorithm: "md5" },
    { name: "the name of something else", data: { password: base64(32) }, algorithm: "toString" },
    { name: "bcrypt that is none", data: { password: base64(32) }, algorithm: "bcrypt" },
  ]) {
    it(`reads nothing from ${name}`, () => {
      expect(parsePasswordSecret(secretWith(data, algorithm))).to.equal(undefined);
    });
  }

  it("reads nothing from a Secret without annotations", () => {
    const { annotations: _, ...metadata } = passwordSecret(user, hash).metadata;

    expect(parsePasswordSecret({ ...passwordSecret(user, hash), metadata })).to.equal(undefined);
  });

  it("reads or refuses any bytes, and never throws", () => {
    const random = seededRandom(5);
    for (let round = 0; round < 300; round += 1) {
      const text = Array.from({ length: random.below(60) }, () =>
        String.fromCharCode(random.below(300)),
      ).join("");
      const algorithm = random.pick(["bcrypt", "pbkdf2sha3512", text]);

      const found = parsePasswordSecret(secretWith({ password: text, salt: text }, algorithm));

      expect(found, `seed ${random.seed}, round ${round}`).to.equal(undefined);
    }
  });
});

describe("parseLegacyPassword", () => {
  for (const { name, text } of [
    { name: "the highest cost", text: bcryptText.replace("$10$", "$14$") },
    { name: "the lowest cost", text: bcryptText.replace("$10$", "$04$") },
    { name: "the minor version b", text: bcryptText.replace("$2a$", "$2b$") },
  ]) {
    it(`takes ${name}`, () => {
      expect(parseLegacyPassword(text)).to.deep.equal({ algorithm: "bcrypt", text });
    });
  }

  for (const { name, text } of [
    { name: "nothing", text: "" },
    { name: "a plain password", text: "correct horse battery" },
    { name: "a cost that takes too long", text: bcryptText.replace("$10$", "$15$") },
    { name: "a cost that takes hours", text: bcryptText.replace("$10$", "$31$") },
    { name: "a cost beyond the format", text: bcryptText.replace("$10$", "$99$") },
    { name: "a cost below the format", text: bcryptText.replace("$10$", "$03$") },
    { name: "a cut hash", text: bcryptText.slice(0, -1) },
    { name: "a line after it", text: `${bcryptText}\n` },
    { name: "an unknown version", text: bcryptText.replace("$2a$", "$2x$") },
  ]) {
    it(`refuses ${name}`, () => expect(parseLegacyPassword(text)).to.equal(undefined));
  }
});

describe("passwordPatch", () => {
  it("replaces the data and names the new form, if the old password is still there", () => {
    const written = passwordSecret(user, hash);

    expect(passwordPatch(bcrypt, hash)).to.deep.equal([
      { op: "test", path: "/data/password", value: Buffer.from(bcryptText).toString("base64") },
      { op: "replace", path: "/data", value: written.data },
      {
        op: "replace",
        path: "/metadata/annotations/cattle.io~1password-hash",
        value: "pbkdf2sha3512",
      },
    ]);
  });
});
