import { expect } from "chai";
import { type FakeClock, fakeClock } from "../testing/index.ts";
import { Gathering } from "./gathering.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What is told to a stream, which brings what a test says. */
class Told {
  readonly clock: FakeClock = fakeClock();
  readonly course: string[] = [];
  time = 50;
  readonly gathering: Gathering;
  /** Chunks that wait in the stream, and come when it is resumed. */
  waiting = 0;

  constructor() {
    const stream = {
      pause: () => void this.course.push("pause"),
      resume: () => {
        this.course.push("resume");
        for (; this.waiting > 0; this.waiting--) this.read();
      },
    };
    this.gathering = new Gathering(stream, this.clock, () => this.time);
  }

  /** A chunk comes. */
  read(): void {
    this.course.push("chunk");
    this.gathering.read();
  }

  /** Time passes, and what was ready to go on has gone on. */
  async advance(milliseconds: number): Promise<void> {
    await this.clock.advance(milliseconds);
    for (let count = 0; count < 5; count++) await turn();
  }
}

describe("Gathering", () => {
  it("lets the first chunk through, holds up what follows, then reads all that has come", async () => {
    const told = new Told();
    told.read();
    expect(told.course).to.deep.equal(["chunk", "pause"]);
    told.waiting = 3;
    await told.advance(49);
    expect(told.course).to.deep.equal(["chunk", "pause"]);

    await told.advance(1);

    const first = ["chunk", "pause", "resume", "chunk", "chunk", "chunk"];
    expect(told.course).to.deep.equal(first);
    told.read();
    expect(told.course).to.deep.equal([...first, "chunk", "pause"]);
  });

  it("does not hold up a stream that goes on bringing something in each turn", async () => {
    const told = new Told();
    told.read();
    told.gathering.hurry();
    await turn();
    expect(told.course.at(-1)).to.equal("resume");
    for (let count = 0; count < 10; count++) {
      told.read();
      await turn();
    }
    expect(told.course.filter((each) => each === "pause")).to.have.length(1);

    await told.advance(0);
    told.read();

    expect(told.course.filter((each) => each === "pause")).to.have.length(2);
  });

  it("holds nothing up where there is no time, and goes by the time as it is then", async () => {
    const told = new Told();
    told.time = 0;
    told.read();
    told.read();
    expect(told.course).to.deep.equal(["chunk", "chunk"]);

    told.time = 10;
    told.read();
    await told.advance(10);

    expect(told.course.slice(2)).to.deep.equal(["chunk", "pause", "resume"]);
  });

  it("reads on when hurried, not before that returns, and no second time", async () => {
    const told = new Told();
    told.read();

    told.gathering.hurry();
    told.gathering.hurry();
    expect(told.course).to.deep.equal(["chunk", "pause"]);
    await turn();
    expect(told.course).to.deep.equal(["chunk", "pause", "resume"]);
    await told.advance(1_000);

    expect(told.course).to.deep.equal(["chunk", "pause", "resume"]);
  });

  for (const [when, before] of [
    ["its time is over", () => undefined],
    ["somebody hurries", (told) => told.gathering.hurry()],
  ] satisfies readonly [string, (told: Told) => void][]) {
    it(`leaves the stream alone once it is disposed, though ${when}`, async () => {
      const told = new Told();
      told.read();
      before(told);
      told.gathering[Symbol.dispose]();
      await told.advance(1_000);

      expect(told.course).to.deep.equal(["chunk", "pause"]);
      expect(told.clock.pending).to.equal(0);
    });
  }
});
