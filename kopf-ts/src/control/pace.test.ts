import { expect } from "chai";
import { systemClock } from "../base/index.ts";
import { Pace } from "./pace.ts";

/** Numbers the turns of the event loop until it is disposed. */
class Turns implements Disposable {
  now = 0;
  #isOver = false;

  constructor() {
    const count = (): void => {
      this.now += 1;
      if (!this.#isOver) setImmediate(count);
    };
    setImmediate(count);
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
  }
}

/** As workers do: begins, works and ends; answers in which turn it began. */
async function work(pace: Pace, turns: Turns, task: () => Promise<unknown>): Promise<number> {
  while (!pace.hasRoom) await pace.rest();
  const began = turns.now;
  const turn = pace.begin();
  await task();
  pace.end(turn);
  return began;
}

const aLittle = (): Promise<void> => systemClock.sleep(20);
const nothing = (): Promise<void> => Promise.resolve();

describe("the pace of workers", () => {
  it("lets no more than 16 of them begin something long in one turn", async () => {
    using turns = new Turns();
    const pace = new Pace(systemClock);

    const began = await Promise.all(Array.from({ length: 200 }, () => work(pace, turns, aLittle)));

    const perTurn = Map.groupBy(began, (turn) => turn);
    expect(Math.max(...[...perTurn.values()].map(({ length }) => length))).to.be.at.most(16);
    expect(began).to.have.length(200);
  });

  it("does not count those that have ended in the turn", async () => {
    using turns = new Turns();
    const pace = new Pace({ ...systemClock, monotonic: () => 0 });

    const began: number[] = [];
    for (let key = 0; key < 200; key++) began.push(await work(pace, turns, nothing));

    expect(new Set(began)).to.have.property("size", 1);
  });

  it("has no room once 10 ms of a turn are used up, and again in the next", async () => {
    using turns = new Turns();
    let now = 0;
    const pace = new Pace({ ...systemClock, monotonic: () => now });
    const first = await work(pace, turns, nothing);
    expect(pace.hasRoom).to.equal(true);

    now += 11;
    expect(pace.hasRoom).to.equal(false);
    const second = work(pace, turns, nothing);

    expect(await second).to.be.above(first);
  });
});
