import { expect } from "chai";
import { hashPassword, hashWith, type PasswordHash, verifyPassword } from "./hash.ts";
import { parseLegacyPassword } from "./secret.ts";

const salt = Buffer.from("0123456789abcdef0123456789abcdef");
const derived = Buffer.from("EZhL/Vh281Stbtlv4FQaiI9oanrChHm2C1FmR/B34MM=", "base64");
const stored: PasswordHash = { algorithm: "pbkdf2sha3512", key: derived, salt };

/** Public check vectors of bcrypt, as jBCrypt and its ports use them. */
const bcryptOfA = "$2a$06$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe";
const bcryptOfAbc = "$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i";

function legacy(text: string): PasswordHash {
  const parsed = parseLegacyPassword(text);
  if (parsed === undefined) throw new Error("the vector is refused");
  return parsed;
}

describe("hashPassword", () => {
  it("derives the key of the check vector", async () => {
    const { key } = await hashWith("testpassword", salt);

    expect(Buffer.from(key).toString("base64")).to.equal(derived.toString("base64"));
  });

  it("makes 32 bytes of key and a salt of 32 bytes that is new each time", async () => {
    const [one, other] = await Promise.all([hashPassword("same"), hashPassword("same")]);

    expect([one.key.length, one.salt.length]).to.deep.equal([32, 32]);
    expect(Buffer.compare(one.salt, other.salt)).not.to.equal(0);
    expect(Buffer.compare(one.key, other.key)).not.to.equal(0);
  });

  it("leaves the event loop free while it works", async () => {
    let turns = 0;
    let working = true;
    const turn = (): void => {
      turns += 1;
      if (working) setImmediate(turn);
    };
    setImmediate(turn);

    await hashPassword("testpassword");
    working = false;

    expect(turns).to.be.greaterThan(10);
  });

  it("takes half a surrogate pair for U+FFFD, as a JSON parser in Go does", async () => {
    const [half, replaced] = await Promise.all([
      hashWith("pass\ud800word", salt),
      hashWith("pass\ufffdword", salt),
    ]);

    expect(Buffer.compare(half.key, replaced.key)).to.equal(0);
  });
});

describe("case 77: verifyPassword", () => {
  it("takes the right password of a PBKDF2 hash, and asks for no rewrite", async () => {
    const verdict = await verifyPassword("testpassword", stored);

    expect(verdict).to.deep.equal({ matches: true, rewrite: false });
  });

  for (const { name, password } of [
    { name: "another password", password: "testpassworD" },
    { name: "the empty password", password: "" },
    { name: "the password and a space", password: "testpassword " },
  ]) {
    it(`refuses ${name} of a PBKDF2 hash`, async () => {
      expect(await verifyPassword(password, stored)).to.deep.equal(no);
    });
  }

  for (const { password, text } of [
    { password: "a", text: bcryptOfA },
    { password: "abc", text: bcryptOfAbc },
    { password: "abc", text: bcryptOfAbc.replace("$2a$", "$2b$") },
    { password: "abc", text: bcryptOfAbc.replace("$2a$", "$2y$") },
  ]) {
    it(`takes the right password of a ${text.slice(0, 6)} hash and asks for a rewrite`, async () => {
      const verdict = await verifyPassword(password, legacy(text));

      expect(verdict).to.deep.equal({ matches: true, rewrite: true });
    });
  }

  it("refuses another password of a bcrypt hash, and asks for no rewrite then", async () => {
    expect(await verifyPassword("b", legacy(bcryptOfA))).to.deep.equal(no);
  });

  it("takes what a rewrite stores, in the new form", async () => {
    const rewritten = await hashPassword("abc");

    expect(await verifyPassword("abc", rewritten)).to.deep.equal({ matches: true, rewrite: false });
  });
});

const no = { matches: false, rewrite: false };

describe("verifyPassword", () => {
  it("matches nothing where nothing is stored", async () => {
    expect(await verifyPassword("testpassword", undefined)).to.deep.equal(no);
    expect(await verifyPassword("", undefined)).to.deep.equal(no);
  });

  it("works for an unknown user about as long as for a known one", async () => {
    const took = async (known: PasswordHash | undefined): Promise<number> => {
      const start = process.cpuUsage();
      await verifyPassword("wrong", known);
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    await took(stored);

    const known = await took(stored);
    const unknown = await took(undefined);

    expect(unknown).to.be.greaterThan(known / 3);
    expect(unknown).to.be.lessThan(known * 3);
  });

  it("does the work of an unknown user for a bcrypt hash that costs too much", async () => {
    const costly: PasswordHash = { algorithm: "bcrypt", text: bcryptOfA.replace("$06$", "$31$") };

    expect(await verifyPassword("a", costly)).to.deep.equal(no);
  });

  for (const length of [0, 1, 31, 33, 64]) {
    it(`refuses a stored key of ${length} bytes and does not throw`, async () => {
      const wrong: PasswordHash = { ...stored, key: Buffer.alloc(length) };

      expect(await verifyPassword("testpassword", wrong)).to.deep.equal(no);
    });
  }
});
