import { expect } from "chai";
import { type FakeClock, fakeClock } from "../testing/index.ts";
import { Gathering } from "./gathering.ts";
import { Pauses } from "./pauses.ts";

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

  /** A chunk comes, which ends an event unless told otherwise. */
  read(isWhole = true): void {
    this.course.push("chunk");
    this.gathering.read(isWhole);
  }

  /** Two chunks come soon after each other, so that what follows gathers. */
  begin(): void {
    this.read();
    this.read();
    expect(this.course.splice(0)).to.deep.equal(["chunk", "chunk", "pause"]);
  }

  /** Time passes, and what was ready to go on has gone on. */
  async advance(milliseconds: number): Promise<void> {
    await this.clock.advance(milliseconds);
    for (let count = 0; count < 5; count++) await turn();
  }
}

describe("Gathering", () => {
  it("holds up what follows two chunks that come soon after each other, then lets all through that has come", async () => {
    const told = new Told();
    told.begin();
    told.waiting = 3;
    await told.advance(49);
    expect(told.course).to.deep.equal([]);

    await told.advance(1);

    expect(told.course.splice(0)).to.deep.equal(["resume", "chunk", "chunk", "chunk"]);
    told.read();
    expect(told.course).to.deep.equal(["chunk", "pause"]);
  });

  it("holds nothing up behind a chunk that comes alone", async () => {
    const told = new Told();
    for (let count = 0; count < 3; count++) {
      told.read();
      await told.advance(51);
    }

    expect(told.course).to.deep.equal(["chunk", "chunk", "chunk"]);
  });

  it("goes on holding up what comes thick, behind the first chunk after each wait", async () => {
    const told = new Told();
    told.begin();
    for (let count = 0; count < 3; count++) {
      told.waiting = 2;
      await told.advance(50);
      await told.advance(5);
      told.read();
      expect(told.course.splice(0)).to.deep.equal(["resume", "chunk", "chunk", "chunk", "pause"]);
    }
  });

  it("holds nothing up in the middle of an event", () => {
    const told = new Told();
    told.read();
    told.read(false);
    told.read(false);
    told.read();

    expect(told.course).to.deep.equal(["chunk", "chunk", "chunk", "chunk", "pause"]);
  });

  it("does not hold up a stream that goes on bringing something in each turn", async () => {
    const told = new Told();
    told.begin();
    told.gathering.hurry();
    await turn();
    expect(told.course.splice(0)).to.deep.equal(["resume"]);
    for (let count = 0; count < 10; count++) {
      told.read();
      await turn();
    }
    expect(told.course.splice(0)).to.not.include("pause");

    await told.advance(0);
    told.read();

    expect(told.course).to.deep.equal(["chunk", "pause"]);
  });

  it("holds nothing up where there is no time, and goes by the time as it is then", async () => {
    const told = new Told();
    told.time = 0;
    told.read();
    told.read();
    expect(told.course.splice(0)).to.deep.equal(["chunk", "chunk"]);

    told.time = 10;
    told.read();
    await told.advance(10);

    expect(told.course).to.deep.equal(["chunk", "pause", "resume"]);
  });

  it("reads on when hurried, not before that returns, and no second time", async () => {
    const told = new Told();
    told.begin();

    told.gathering.hurry();
    told.gathering.hurry();
    expect(told.course).to.deep.equal([]);
    await turn();
    expect(told.course).to.deep.equal(["resume"]);
    await told.advance(1_000);

    expect(told.course).to.deep.equal(["resume"]);
  });

  for (const [when, before] of [
    ["its time is over", () => undefined],
    ["somebody hurries before", (told) => told.gathering.hurry()],
  ] satisfies readonly [string, (told: Told) => void][]) {
    it(`leaves the stream alone once it is disposed, though ${when}`, async () => {
      const told = new Told();
      told.begin();
      before(told);
      told.gathering[Symbol.dispose]();
      told.gathering.hurry();
      await told.advance(1_000);

      expect(told.course).to.deep.equal([]);
      expect(told.clock.pending).to.equal(0);
    });
  }
});

describe("Pauses", () => {
  it("let a stream go on when nobody holds it up any more", () => {
    const course: string[] = [];
    const pauses = new Pauses({
      pause: () => void course.push("pause"),
      resume: () => void course.push("resume"),
    });
    const [one, other] = [pauses.holder(), pauses.holder()];

    one.pause();
    one.pause();
    other.pause();
    one.resume();
    one.resume();
    expect(course).to.not.include("resume");
    other.resume();
    other.resume();

    expect(course.filter((each) => each === "resume")).to.have.length(1);
    expect(course.at(-1)).to.equal("resume");
  });
});
