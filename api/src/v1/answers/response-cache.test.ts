import { expect } from "chai";
import { Metrics } from "kopf-ts";
import { type FakeClock, fakeClock } from "kopf-ts/testing";
import { Body } from "./body.ts";
import { type Chunk, Chunks } from "./chunks.ts";
import { type Grounds, Repeats, type Span } from "./repeats.ts";

const kib = 1024;
const always: Span = { from: 0, until: Number.POSITIVE_INFINITY };
const now = 1000;

/** A body that takes some KiB, and the chunk that it is in. */
function bodyOf(size = 16): { readonly body: Body; readonly chunk: Chunk } {
  const chunks = new Chunks();
  chunks.expect(size * kib);
  chunks.add("x");
  const [chunk] = chunks.take();
  if (chunk === undefined) throw new Error("no chunk");
  return { body: new Body([chunk], false), chunk };
}

/** Whether the room of a chunk would be used for the next answer. */
function isFree({ bytes, size }: Chunk): boolean {
  const chunks = new Chunks();
  chunks.expect(size);
  chunks.add("y");
  const [next] = chunks.take();
  next?.release();
  return next?.bytes.buffer === bytes.buffer;
}

describe("Repeats", () => {
  let clock: FakeClock;
  let repeats: Repeats;
  let grounds: Grounds;

  beforeEach(() => {
    clock = fakeClock();
    repeats = new Repeats({ clock, bytes: 64 * kib });
    grounds = { source: {}, state: "1", question: "pods" };
  });

  /** Answers as a list does: what is not found is made, and told. */
  function ask(of: Grounds, body = bodyOf().body, span = always): boolean {
    const isFound = repeats.find(of, now) !== undefined;
    if (isFound) return true;
    if (repeats.wants(of)) repeats.keep(of, body, span);
    repeats.note(of, body.length);
    return false;
  }

  function asked(times: number, of = grounds, body = bodyOf().body, span = always): boolean {
    for (let index = 1; index < times; index++) ask(of, body, span);
    return ask(of, body, span);
  }

  it("send what was asked for twice", () => {
    const { body } = bodyOf();

    expect([ask(grounds, body), ask(grounds, body), ask(grounds)]).to.deep.equal([
      false,
      false,
      true,
    ]);
    expect(repeats.find(grounds, now)).to.equal(body);
  });

  it("know how long an answer is to be", () => {
    expect(repeats.lengthOf(grounds)).to.equal(undefined);
    ask(grounds);
    expect(repeats.lengthOf(grounds)).to.equal(1);
    expect(repeats.lengthOf({ ...grounds, state: "2" })).to.equal(undefined);
  });

  it("do not want what is too large", () => {
    repeats = new Repeats({ clock, bytes: 8 * 1024 * kib });
    expect(repeats.wants(grounds)).to.equal(false);
    repeats.note(grounds, 4 * 1024 * kib);
    expect(repeats.wants(grounds)).to.equal(true);
    repeats.note(grounds, 4 * 1024 * kib + 1);
    expect(repeats.wants(grounds)).to.equal(false);
    repeats = new Repeats({ clock, bytes: 64 * kib });
    repeats.note(grounds, 64 * kib + 1);
    expect(repeats.wants(grounds)).to.equal(false);
  });

  for (const [name, other] of [
    ["question", { question: "nodes" }],
    ["source", { source: {} }],
    ["state", { state: "2" }],
  ] as const) {
    it(`do not answer another ${name}`, () => {
      asked(3);

      expect(ask({ ...grounds, ...other })).to.equal(false);
    });
  }

  it("count from the beginning in another state", () => {
    asked(3);
    const next = { ...grounds, state: "2" };

    expect([ask(next), ask(next), ask(next)]).to.deep.equal([false, false, true]);
  });

  it("keep nothing that was begun in a state that is over", () => {
    asked(1);
    repeats.find({ ...grounds, state: "2" }, now);
    repeats.keep(grounds, bodyOf().body, always);

    expect(repeats.size).to.equal(0);
    expect(repeats.find(grounds, now)).to.equal(undefined);
  });

  for (const [name, span] of [
    ["that is over", { from: 0, until: now }],
    ["that has not begun, when a clock was set back", { from: now + 1, until: now + 2 }],
  ] as const) {
    it(`do not send what is right in a time ${name}`, () => {
      expect(asked(3, grounds, bodyOf().body, span)).to.equal(false);
    });
  }

  it("give room back when the state is over, and nobody sends it any more", () => {
    const { body, chunk } = bodyOf();
    asked(2, grounds, body);
    body.release();
    expect(isFree(chunk)).to.equal(false);
    const sent = repeats.find(grounds, now);
    sent?.hold();

    repeats.find({ ...grounds, state: "2" }, now);
    expect(repeats.size).to.equal(0);
    expect(isFree(chunk)).to.equal(false);
    sent?.release();
    expect(isFree(chunk)).to.equal(true);
  });

  it("hold one body of those that were made at once", () => {
    const bodies = [bodyOf(), bodyOf(), bodyOf()];
    for (const _ of bodies) repeats.find(grounds, now);
    for (const { body } of bodies) repeats.keep(grounds, body, always);
    for (const { body } of bodies) body.release();

    expect(repeats.size).to.equal(16 * kib);
    expect(repeats.find(grounds, now)).to.equal(bodies[2]?.body);
  });

  describe("that are full", () => {
    const question = (name: string): Grounds => ({ ...grounds, question: name });
    const fill = (): void => {
      for (const name of ["a", "b", "c", "d"]) asked(2, question(name));
      expect(repeats.size).to.equal(64 * kib);
    };

    it("keep what was used lately", async () => {
      fill();
      await clock.advance(14_000);

      expect(asked(3, question("e"))).to.equal(false);
      for (const name of ["a", "b", "c", "d"]) expect(ask(question(name))).to.equal(true);
    });

    it("let what was used longest ago go", async () => {
      fill();
      await clock.advance(14_000);
      ask(question("a"));
      await clock.advance(1_000);

      expect(asked(3, question("e"))).to.equal(true);
      const left = ["a", "b", "c", "d", "e"].filter((name) => repeats.find(question(name), now));
      expect(left).to.deep.equal(["a", "c", "d", "e"]);
    });

    it("let nothing go for what does not fit all the same", async () => {
      fill();
      await clock.advance(14_000);
      ask(question("d"));
      await clock.advance(1_000);

      for (const size of [64, 128]) {
        expect(asked(3, question("large"), bodyOf(size).body)).to.equal(false);
        expect(repeats.size).to.equal(64 * kib);
      }
      expect(asked(3, question("fits"), bodyOf(32).body)).to.equal(true);
      expect(repeats.size).to.equal(64 * kib);
    });

    it("let what is right no more go first, however lately it was kept", async () => {
      const until = clock.now() + 1_000;
      for (const name of ["a", "b"]) asked(2, question(name));
      for (const name of ["c", "d"]) asked(2, question(name), bodyOf().body, { from: 0, until });
      await clock.advance(1_000);

      expect(asked(3, question("e"))).to.equal(true);
      const left = ["a", "b", "c", "d", "e"].filter((name) => repeats.find(question(name), now));
      expect(left).to.deep.equal(["a", "b", "d", "e"]);
    });
  });

  it("let go of what nobody asked for in a minute, and tell what they hold", async () => {
    const metrics = new Metrics();
    repeats = new Repeats({ clock, bytes: 64 * kib, metrics });
    const stop = new AbortController();
    const running = repeats.start(stop.signal);
    for (const question of ["idle", "as idle"]) asked(2, { ...grounds, question });
    asked(2);
    await clock.advance(45_000);
    ask(grounds);
    expect(await metrics.text()).to.contain(`drover_api_repeats_bytes ${48 * kib}\n`);

    await clock.advance(30_000);

    const text = await metrics.text();
    expect(text).to.contain(`drover_api_repeats_bytes ${16 * kib}\n`);
    expect(text).to.contain("drover_api_repeats_total 1\n");
    stop.abort();
    await running;
  });
});
