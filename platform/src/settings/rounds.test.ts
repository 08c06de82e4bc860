import { expect } from "chai";
import { Rounds } from "./rounds.ts";

const start = Date.parse("2026-01-01T10:20:00Z");
const eleven = Date.parse("2026-01-01T11:00:00Z");
const noon = Date.parse("2026-01-01T12:00:00Z");
const hourly = "0 * * * *";
const keys =
  (...names: readonly string[]) =>
  () =>
    names;
const none = () => {
  throw new Error("nobody asked for the keys");
};

describe("Rounds", () => {
  it("wait for the time that the expression names, and ask for no keys before", () => {
    expect(new Rounds().turn(hourly, start, none)).to.deep.equal({
      keys: [],
      first: false,
      last: false,
      next: { requeueAt: eleven },
    });
  });

  it("deal out the keys a few at a time, and then wait for the next time", () => {
    const rounds = new Rounds({ perSecond: 2 });
    rounds.turn(hourly, start, none);

    const turns = [eleven, eleven + 1_000, eleven + 2_000].map((now) =>
      rounds.turn(hourly, now, keys("a", "b", "c", "d", "e")),
    );

    expect(turns).to.deep.equal([
      { keys: ["a", "b"], first: true, last: false, next: { requeueAfter: 1_000 } },
      { keys: ["c", "d"], first: false, last: false, next: { requeueAfter: 1_000 } },
      { keys: ["e"], first: false, last: true, next: { requeueAt: noon } },
    ]);
  });

  it("end a round without keys at once", () => {
    const rounds = new Rounds();
    rounds.turn(hourly, start, none);

    expect(rounds.turn(hourly, eleven, keys())).to.deep.equal({
      keys: [],
      first: true,
      last: true,
      next: { requeueAt: noon },
    });
  });

  it("leave out a time that comes while a round is going on", () => {
    const rounds = new Rounds({ perSecond: 1 });
    rounds.turn(hourly, start, none);
    rounds.turn(hourly, eleven, keys("a", "b"));

    const late = rounds.turn(hourly, noon + 60_000, none);

    expect(late.keys).to.deep.equal(["b"]);
    expect(late.next).to.deep.equal({ requeueAt: noon });
    expect(rounds.turn(hourly, noon + 61_000, keys("a")).first).to.equal(true);
  });

  it("follow another expression, which ends nothing", () => {
    const rounds = new Rounds({ perSecond: 1 });
    rounds.turn(hourly, start, none);
    rounds.turn(hourly, eleven, keys("a", "b"));

    const turn = rounds.turn("0 12 * * *", eleven + 1_000, none);

    expect(turn).to.deep.equal({
      keys: ["b"],
      first: false,
      last: true,
      next: { requeueAt: noon },
    });
  });

  for (const expression of ["", "nonsense", "0 0 30 2 *"]) {
    it(`never begin by "${expression}"`, () => {
      const rounds = new Rounds();
      rounds.turn(hourly, start, none);

      expect(rounds.turn(expression, noon, none).next).to.deep.equal({});
    });
  }

  it("end with an empty expression", () => {
    const rounds = new Rounds({ perSecond: 1 });
    rounds.turn(hourly, start, none);
    rounds.turn(hourly, eleven, keys("a", "b"));

    expect(rounds.turn("", eleven + 1_000, none).keys).to.deep.equal([]);
  });
});
