import { expect } from "chai";
import { fakeClock } from "kopf-ts/testing";
import { Debounce } from "./debounce.ts";

/** A debounce of 100 ms, and what it has sent. */
function aDebounce() {
  const clock = fakeClock();
  const sent: string[] = [];
  const sink = { isFull: false, send: (revision: string) => void sent.push(revision) };
  return { clock, sent, sink, debounce: new Debounce(clock, 100, sink) };
}

describe("Debounce", () => {
  it("sends the first at once, then the newest of each interval, and nothing when nothing is new", async () => {
    const { clock, sent, debounce } = aDebounce();

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
    const { clock, sent, sink, debounce } = aDebounce();
    sink.isFull = true;

    debounce.tell("1");
    await clock.advance(250);
    debounce.tell("2");
    sink.isFull = false;
    await clock.advance(50);

    expect(sent).to.deep.equal(["2"]);
  });

  it("sends the last one at once, also to who does not read, and nothing else that waited", async () => {
    const { clock, sent, sink, debounce } = aDebounce();
    sink.isFull = true;
    debounce.tell("1");

    debounce.tellLast("2");
    sink.isFull = false;
    await clock.advance(1_000);

    expect(sent).to.deep.equal(["2"]);
  });

  it("sends what waits at once, and once", async () => {
    const { clock, sent, debounce } = aDebounce();
    debounce.tell("1");
    debounce.tell(() => "2");

    debounce.tellRest();
    debounce.tellRest();
    await clock.advance(1_000);

    expect(sent).to.deep.equal(["1", "2"]);
    expect(clock.pending).to.equal(0);
  });

  it("leaves no timer", () => {
    const { clock, debounce } = aDebounce();
    debounce.tell("1");
    debounce.tell("2");
    expect(clock.pending).to.equal(1);

    debounce[Symbol.dispose]();

    expect(clock.pending).to.equal(0);
  });
});
