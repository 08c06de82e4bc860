import { expect } from "chai";
import { ManualClock, rejection } from "../loopback.test.support.ts";
import { Deadline, timeUp } from "./deadline.ts";

describe("Deadline", () => {
  it("ends what is bound when the time is up, and what is bound later at once", () => {
    const clock = new ManualClock();
    const deadline = new Deadline(clock, 100);
    const ends: unknown[] = [];
    deadline.bind({ cancel: (reason) => ends.push(["first", reason]) });

    clock.advance(100);
    deadline.bind({ cancel: (reason) => ends.push(["second", reason]) });

    expect(ends).to.deep.equal([
      ["first", timeUp],
      ["second", timeUp],
    ]);
  });

  it("ends with the reason of its signal, also of one that was aborted before", () => {
    const reason = new Error("enough");
    const ends: unknown[] = [];

    const deadline = new Deadline(new ManualClock(), 100, AbortSignal.abort(reason));
    deadline.bind({ cancel: (each) => ends.push(each) });

    expect(ends).to.deep.equal([reason]);
  });

  it("ends once", () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const deadline = new Deadline(clock, 100, controller.signal);
    const ends: unknown[] = [];
    deadline.bind({ cancel: (each) => ends.push(each) });

    controller.abort("enough");
    clock.advance(100);

    expect(ends).to.deep.equal(["enough"]);
  });

  it("leaves no timer and no listener once disposed", () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const deadline = new Deadline(clock, 100, controller.signal);
    const ends: unknown[] = [];
    deadline.bind({ cancel: (each) => ends.push(each) });

    deadline.dispose();
    clock.advance(100);
    controller.abort();

    expect(ends).to.deep.equal([]);
    expect(clock.waiting()).to.deep.equal([]);
  });

  it("cuts a sleep short and takes its timer away", async () => {
    const clock = new ManualClock();
    const deadline = new Deadline(clock, 100);

    const slept = rejection(deadline.sleep(500));
    clock.advance(100);

    expect(await slept).to.equal(timeUp);
    expect(clock.waiting()).to.deep.equal([]);
  });

  it("passes on what it races against", async () => {
    const deadline = new Deadline(new ManualClock(), 100);

    expect(await deadline.race(Promise.resolve(1))).to.equal(1);
    expect(await rejection(deadline.race(Promise.reject(new Error("no"))))).to.match(/no/);
  });
});
