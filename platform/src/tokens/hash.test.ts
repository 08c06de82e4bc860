import { createHash, scryptSync } from "node:crypto";
import { expect } from "chai";
import { seededRandom } from "kopf-ts/testing";
import { hashKey, hashVersion, verifyKey } from "./hash.ts";

const key = "d".repeat(54);
const vector =
  "$3:1:uFrxm43ggfw:zsN1zEFC7SvABTdR58o7yjIqfrI4cQ/HSYz3jBwwVnx5X+/ph4etGDIU9dvIYuy1IvnYUVe6a/Ar95xE+gfjhA";

const salt = Buffer.from("0123456789abcdef", "hex");
const unpadded = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");

/** A hash of version 1 with any cost; the API of the standard library, used apart from the code under test. */
function scryptHash(logN: number, r: number, p: number): string {
  const maxmem = 256 * 1024 * 1024;
  const derived = scryptSync(key, salt, 64, { N: 2 ** logN, r, p, maxmem });
  return `$1:${salt.toString("hex")}:${logN}:${r}:${p}:${unpadded(derived)}`;
}

const version1 = scryptHash(15, 8, 1);
const version2 = `$2:${unpadded(salt)}:${unpadded(createHash("sha256").update(salt).update(key).digest())}`;

describe("case 79: verifyKey", () => {
  it("takes 54 d for the check vector, whose salt makes the same hash", async () => {
    const [, , vectorSalt = ""] = vector.split(":");
    const digest = createHash("sha3-512")
      .update(Buffer.from(vectorSalt, "base64"))
      .update(key)
      .digest();

    expect(`$3:1:${vectorSalt}:${unpadded(digest)}`).to.equal(vector);
    expect(await verifyKey(key, vector, true)).to.equal(true);
  });

  for (const { version, stored } of [
    { version: 1, stored: version1 },
    { version: 2, stored: version2 },
    { version: 3, stored: vector },
  ]) {
    it(`takes the right key of version ${version} and no other`, async () => {
      expect(hashVersion(stored)).to.equal(version);
      expect(await verifyKey(key, stored, true)).to.equal(true);
      expect(await verifyKey(`${key}d`, stored, true)).to.equal(false);
      expect(await verifyKey("", stored, true)).to.equal(false);
      expect(await verifyKey(stored, stored, true)).to.equal(false);
    });
  }

  it("compares an unhashed token directly", async () => {
    expect(await verifyKey(key, key, false)).to.equal(true);
    expect(await verifyKey(key, `${key}d`, false)).to.equal(false);
    expect(await verifyKey("", "", false)).to.equal(false);
  });

  it("does not look at the form of what is stored, but at the mark", async () => {
    expect(await verifyKey(key, vector, false)).to.equal(false);
    expect(await verifyKey(key, key, true)).to.equal(false);
  });

  it("needs more memory for version 1 than Node allows by default", async () => {
    expect(() => scryptSync(key, salt, 64, { N: 2 ** 15, r: 8, p: 1 })).to.throw("memory limit");
    expect(await verifyKey(key, version1, true)).to.equal(true);
  });
});

describe("hashKey", () => {
  it("writes version 3, salted anew each time, in base64 without padding", async () => {
    const one = hashKey(key);

    expect(one).to.match(/^\$3:1:[A-Za-z0-9+/]{11}:[A-Za-z0-9+/]{86}$/);
    expect(one).not.to.equal(hashKey(key));
    expect(await verifyKey(key, one, true)).to.equal(true);
  });

  it("is verified for any key and for no key with one character changed", async () => {
    const random = seededRandom(42);
    for (let round = 0; round < 200; round += 1) {
      const characters = Array.from({ length: 1 + random.below(80) }, () =>
        String.fromCharCode(33 + random.below(94)),
      );
      const at = random.below(characters.length);
      const other = characters.with(at, characters[at] === "a" ? "b" : "a").join("");
      const stored = hashKey(characters.join(""));

      const told = `seed ${random.seed}, round ${round}`;
      expect(await verifyKey(characters.join(""), stored, true), told).to.equal(true);
      expect(await verifyKey(other, stored, true), told).to.equal(false);
    }
  });
});

describe("a hostile stored hash", () => {
  const [, , , , , derived = ""] = version1.split(":");
  const [, vectorVariant = "", vectorSalt = "", digest = ""] = vector.split(":");
  const hostile = [
    { name: "nothing", stored: "" },
    { name: "an unknown version", stored: vector.replace("$3", "$4") },
    { name: "no dollar sign", stored: vector.slice(1) },
    { name: "another variation of SHA-3", stored: vector.replace("$3:1:", "$3:2:") },
    { name: "a part too many", stored: `${vector}:x` },
    { name: "a part too few", stored: `$3:${vectorVariant}:${digest}` },
    { name: "padding", stored: `${vector}==` },
    { name: "a line after it", stored: `${vector}\n` },
    { name: "the URL-safe alphabet", stored: vector.replaceAll("+", "-").replaceAll("/", "_") },
    { name: "bits that mean nothing", stored: `${vector.slice(0, -1)}B` },
    { name: "an empty hash", stored: `$3:1:${vectorSalt}:` },
    { name: "an empty salt", stored: `$3:1::${digest}` },
    { name: "a short hash", stored: `$3:1:${vectorSalt}:AAAA` },
    { name: "a salt of a megabyte", stored: `$3:1:${"A".repeat(1 << 20)}:${digest}` },
    { name: "version 2 with a hash of version 3", stored: `$2:${vectorSalt}:${digest}` },
    { name: "scrypt with N of 2^16", stored: `$1:0123456789abcdef:16:8:1:${derived}` },
    { name: "scrypt with N of 2^99", stored: `$1:0123456789abcdef:99:8:1:${derived}` },
    { name: "scrypt with N of 1", stored: `$1:0123456789abcdef:0:8:1:${derived}` },
    { name: "scrypt with r of 9", stored: `$1:0123456789abcdef:15:9:1:${derived}` },
    { name: "scrypt with r of 0", stored: `$1:0123456789abcdef:15:0:1:${derived}` },
    { name: "scrypt with p of 2", stored: `$1:0123456789abcdef:15:8:2:${derived}` },
    { name: "scrypt with a negative p", stored: `$1:0123456789abcdef:15:8:-1:${derived}` },
    { name: "scrypt with a salt in capitals", stored: `$1:0123456789ABCDEF:15:8:1:${derived}` },
    { name: "scrypt without a hash", stored: "$1:0123456789abcdef:15:8:1:" },
    { name: "scrypt for one byte", stored: "$1:0123456789abcdef:15:8:1:AA" },
  ];

  for (const { name, stored } of hostile) {
    it(`does not match, throw or cost work: ${name}`, async () => {
      expect(hashVersion(stored)).to.equal(undefined);
      expect(await verifyKey(key, stored, true)).to.equal(false);
    });
  }

  it("may cost less than Rancher's own", async () => {
    expect(await verifyKey(key, scryptHash(10, 4, 1), true)).to.equal(true);
  });

  it("never matches after a change at any place", async () => {
    for (let at = 0; at < vector.length; at += 1) {
      const changed = vector.slice(0, at) + (vector[at] === "A" ? "B" : "A") + vector.slice(at + 1);

      expect(await verifyKey(key, changed, true), `at ${at}`).to.equal(false);
    }
  });
});
