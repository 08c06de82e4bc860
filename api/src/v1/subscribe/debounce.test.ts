import { expect } from "chai";
import { fakeClock } from "kopf-ts/testing";
import { Debounce } from "./debounce.ts";

describe("Debounce", () => {
  it("sends the first at once, then the newest of each interval, and nothing when nothing is new", async () => {
    const clock = fakeClock();
    const sent: string[] = [];
    using debounce = new Debounce(clock, 100, (revision) => sent.push(revision) > 0);

    debounce.tell("1");
    debounce.tell("2");
    debounce.tell("3");
    expect(sent).to.deep.equal(["1"]);
    await clock.advance(99);
    expect(sent).to.deep.equal(["1"]);
    await clock.advance(1);
    expect(sent).to.deep.equal(["1", "3"]);
    await clock.advance(1_000);
    expect(sent).to.deep.equal(["1", "3"]);
    expect(clock.pending).to.equal(0);
    debounce.tell("4");
    expect(sent).to.deep.equal(["1", "3", "4"]);
  });

  it("keeps what could not be sent", async () => {
    const clock = fakeClock();
    const sent: string[] = [];
    let isFull = true;
    using debounce = new Debounce(clock, 100, (revision) => {
      if (!isFull) sent.push(revision);
      return !isFull;
    });

    debounce.tell("1");
    await clock.advance(250);
    debounce.tell("2");
    isFull = false;
    await clock.advance(50);

    expect(sent).to.deep.equal(["2"]);
  });

  it("leaves no timer", () => {
    const clock = fakeClock();
    const debounce = new Debounce(clock, 100, () => true);
    debounce.tell("1");
    debounce.tell("2");
    expect(clock.pending).to.equal(1);

    debounce[Symbol.dispose]();

    expect(clock.pending).to.equal(0);
  });
});
