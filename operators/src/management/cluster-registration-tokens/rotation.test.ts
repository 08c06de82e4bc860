import { Confidential, type RegistrationValues } from "@drover/platform";
import { expect } from "chai";
import { livesOf, nextChange, type RotationInput, rotated } from "./rotation.ts";

const minute = 60_000;
const now = Date.UTC(2030, 0, 1);
const token = new Confidential("first");
const defaults = { ttl: 43_200, grace: 180 };
const lives = { ttl: 1000 * minute, grace: 100 * minute };

const inputOf = (
  values?: RegistrationValues,
  more: Partial<RotationInput> = {},
): RotationInput => ({
  values,
  lives,
  isOn: true,
  uid: "uid-1",
  created: now,
  now,
  ...more,
});

describe("livesOf", () => {
  for (const { name, spec, expected } of [
    { name: "the settings", spec: {}, expected: [43_200, 180] },
    { name: "what the token asks for", spec: { ttl: 60, gracePeriod: 20 }, expected: [60, 20] },
    { name: "no less than the minima", spec: { ttl: 1, gracePeriod: 1 }, expected: [30, 10] },
    {
      name: "80 % of a ttl that the grace would outlast",
      spec: { ttl: 60, gracePeriod: 60 },
      expected: [60, 48],
    },
    { name: "80 % for a default that is longer", spec: { ttl: 100 }, expected: [100, 80] },
    { name: "no end for 0", spec: { ttl: 0 }, expected: [undefined, 180] },
    { name: "no end for less", spec: { ttl: -5, gracePeriod: 1 }, expected: [undefined, 10] },
  ]) {
    it(name, () => {
      const { ttl, grace } = livesOf(spec, defaults);

      expect([ttl && ttl / minute, grace / minute]).to.deep.equal(expected);
    });
  }

  it("case 24: cuts a grace as long as the ttl to 80 % of it; a ttl of 0 or less has no end", () => {
    expect(livesOf({ ttl: 100, gracePeriod: 100 }, defaults).grace).to.equal(80 * minute);
    expect(livesOf({ ttl: 100, gracePeriod: 99 }, defaults).grace).to.equal(99 * minute);
    expect([0, -1].map((ttl) => livesOf({ ttl }, defaults).ttl)).to.deep.equal([
      undefined,
      undefined,
    ]);
  });

  it("has no end where the settings say so", () => {
    expect(livesOf({}, { ttl: 0, grace: 180 }).ttl).to.equal(undefined);
  });
});

describe("rotated", () => {
  it("makes a value with an end up to a tenth later than its ttl", () => {
    const { token: made, expiresAt = 0, previous } = rotated(inputOf());

    expect(made.reveal()).to.match(/^[bcdfghjklmnpqrstvwxz2456789]{54}$/);
    expect(expiresAt - now).to.be.within(1000 * minute, 1100 * minute);
    expect(expiresAt % 1000).to.equal(0);
    expect(previous).to.equal(undefined);
  });

  it("spreads the ends of many, each of which is always the same, by a day at most", () => {
    const year = { ttl: 525_600 * minute, grace: minute };
    const ends = ["a", "b", "c"].map((uid) => {
      const input = inputOf({ token }, { uid, lives: year });
      expect(rotated(input)).to.deep.equal(rotated(input));
      return (rotated(input).expiresAt ?? 0) - now - year.ttl;
    });

    expect(new Set(ends).size).to.equal(3);
    for (const end of ends) expect(end).to.be.within(0, 1440 * minute);
  });

  it("case 22: leaves what is there, the very same object", () => {
    const values = { token, expiresAt: now + minute };

    expect(rotated(inputOf(values))).to.equal(values);
  });

  it("counts from creation, and from now where that would be over", () => {
    const fresh = rotated(inputOf({ token }, { created: now - 500 * minute }));
    const old = rotated(inputOf({ token }, { created: now - 5000 * minute }));

    expect(fresh.expiresAt).to.be.within(now + 500 * minute, now + 600 * minute);
    expect(old.expiresAt).to.be.within(now + 1000 * minute, now + 1100 * minute);
  });

  it("case 23: replaces the value at its end, keeps the old one for the grace, then forgets it", () => {
    const replaced = rotated(inputOf({ token, expiresAt: now }));
    const again = rotated(inputOf(replaced));
    const before = rotated(inputOf(replaced, { now: now + lives.grace - 1 }));
    const after = rotated(inputOf(replaced, { now: now + lives.grace }));

    expect(replaced.token.reveal()).to.not.equal("first");
    expect(replaced.previous?.token).to.equal(token);
    expect(replaced.previous?.expiresAt).to.equal(now + lives.grace);
    expect(replaced.expiresAt).to.be.within(now + 1000 * minute, now + 1100 * minute);
    expect([again, before]).to.deep.equal([replaced, replaced]);
    expect(after).to.deep.equal({ token: replaced.token, expiresAt: replaced.expiresAt });
  });

  it("case 25: leaves values alone while it is off, but for a grace that has passed", () => {
    const overdue = { token, expiresAt: now - minute };
    const previous = { token: new Confidential("old"), expiresAt: now + minute };
    const off = { isOn: false };

    expect(rotated(inputOf(overdue, off))).to.equal(overdue);
    expect(rotated(inputOf({ token, previous }, off)).previous).to.equal(previous);
    expect(rotated(inputOf({ token, previous }, { ...off, now: now + minute })).previous).to.equal(
      undefined,
    );
    expect(rotated(inputOf(undefined, off)).expiresAt).to.equal(undefined);
  });

  it("takes back an end when the value shall have none", () => {
    const endless = { lives: { ...lives, ttl: undefined } };
    const values = { token };

    expect(rotated(inputOf({ token, expiresAt: now - 1 }, endless)).expiresAt).to.equal(undefined);
    expect(rotated(inputOf(values, endless))).to.equal(values);
  });

  it("brings an end nearer when lives got shorter, and leaves it when they got longer", () => {
    const far = rotated(inputOf({ token, expiresAt: now + 5000 * minute }));
    const near = { token, expiresAt: now + minute };

    expect(far.expiresAt).to.be.within(now + 1000 * minute, now + 1100 * minute);
    expect(rotated(inputOf(far))).to.equal(far);
    expect(rotated(inputOf(near, { lives: { ...lives, ttl: 9000 * minute } }))).to.equal(near);
  });

  it("never ends when the end has no date, and asks for no write then", () => {
    const ages = { lives: { ttl: 1e15, grace: minute } };
    const values = { token };

    expect(rotated(inputOf(values, ages))).to.equal(values);
  });
});

describe("nextChange", () => {
  const previous = { token, expiresAt: now + 2 };

  for (const { name, values, isOn, expected } of [
    { name: "the end", values: { token, expiresAt: now + 1 }, isOn: true, expected: 1 },
    { name: "the grace", values: { token, expiresAt: now + 3, previous }, isOn: true, expected: 2 },
    {
      name: "the grace alone while it is off",
      values: { token, expiresAt: now + 1, previous },
      isOn: false,
      expected: 2,
    },
    { name: "never", values: { token }, isOn: true, expected: Number.NaN },
  ]) {
    it(`is ${name}`, () => {
      expect((nextChange(values, isOn) ?? Number.NaN) - now).to.deep.equal(expected);
    });
  }
});
