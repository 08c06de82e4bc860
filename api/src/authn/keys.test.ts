import { scryptSync } from "node:crypto";
import { aToken } from "@drover/crds/testing";
import { hashKey, parseTokenValue, readToken, type StoredToken } from "@drover/platform";
import { expect } from "chai";
import { type Clock, systemClock } from "kopf-ts";
import { BusyError } from "../gate.ts";
import { Keys } from "./keys.ts";

const key = "d".repeat(54);

function stored(token: string): StoredToken {
  const annotations = { "authn.management.cattle.io/token-hashed": "true" };
  const read = readToken(
    aToken({ metadata: { name: "token-a", uid: "1", annotations }, token, ttl: 0 }),
  );
  if (read === undefined) throw new Error("the token cannot be read");
  return read;
}

function shown(text: string) {
  const value = parseTokenValue(`token-a:${text}`);
  if (value === undefined) throw new Error("no value");
  return value;
}

/** Version 1, which counts as costly; a test need not pay for it. */
function scryptOf(text: string): string {
  const salt = Buffer.from("0123456789abcdef", "hex");
  const hash = scryptSync(text, salt, 64, { N: 2 ** 8, r: 8, p: 1, maxmem: 64 << 20 });
  return `$1:0123456789abcdef:8:8:1:${hash.toString("base64").replace(/=+$/, "")}`;
}

describe("Keys", () => {
  const costly = stored(scryptOf(key));

  it("lets no more than a few costly comparisons run or wait", async () => {
    const keys = new Keys(systemClock, { atOnce: 1, waiting: 1 });

    const tries = await Promise.allSettled(
      ["a", "b", "c", "d"].map((each) => keys.fits(costly, shown(each))),
    );

    const refused = tries.filter((each) => each.status === "rejected");
    expect(refused).to.have.length(2);
    for (const { reason } of refused) expect(reason).to.be.instanceOf(BusyError);
    expect(await keys.fits(stored(hashKey(key)), shown(key))).to.equal(true);
  });

  it("remembers what was costly for a while, right or wrong, and only for the same key and hash", async () => {
    let time = 0;
    const clock: Clock = { ...systemClock, monotonic: () => time };
    const keys = new Keys(clock, { waiting: 0, atOnce: 1, remember: 1_000 });
    /** Whether it was computed: two at once have no place then. */
    const isComputed = async (token: StoredToken, text: string): Promise<boolean> => {
      const tries = [keys.fits(token, shown(text)), keys.fits(token, shown(text))];
      return (await Promise.allSettled(tries)).some(({ status }) => status === "rejected");
    };

    expect(await keys.fits(costly, shown(key))).to.equal(true);
    expect(await keys.fits(costly, shown("wrong"))).to.equal(false);

    expect(await isComputed(costly, key)).to.equal(false);
    expect(await isComputed(costly, "wrong")).to.equal(false);
    expect(await isComputed(stored(scryptOf("other")), key)).to.equal(true);
    expect(await keys.fits(stored(scryptOf("other")), shown(key))).to.equal(false);
    time = 1_000;
    expect(await isComputed(costly, key)).to.equal(true);
  });
});
