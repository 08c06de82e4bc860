import { expect } from "chai";
import { Metrics } from "kopf-ts";
import { type FakeClock, fakeClock } from "kopf-ts/testing";
import { Body } from "./body.ts";
import { type Chunk, Chunks } from "./chunks.ts";
import type { Freshness } from "./kept-answers.ts";
import { ResponseCache, type ResponseKey } from "./response-cache.ts";
import { Run } from "./run.ts";

const kib = 1024;
const isStill = (): boolean => true;
const always: Freshness = { from: 0, until: Number.POSITIVE_INFINITY, isStill };

/** A body that takes some KiB, and the chunk that it is in. */
function bodyOf(size = 16): { readonly body: Body; readonly chunk: Chunk } {
  const chunks = new Chunks();
  chunks.expect(size * kib);
  chunks.add("x");
  const [chunk] = chunks.take();
  if (chunk === undefined) throw new Error("no chunk");
  return { body: new Body([chunk], false), chunk };
}

/** What a body of so many KiB counts for, with what it is found by. */
function entry(question: string, size = 16): number {
  return size * kib + question.length + 200;
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

describe("ResponseCache", () => {
  let clock: FakeClock;
  let responses: ResponseCache;
  let key: ResponseKey;

  beforeEach(() => {
    clock = fakeClock();
    responses = new ResponseCache({ clock, bytes: 64 * kib });
    key = { source: {}, state: "1", question: "pods" };
  });

  /** Answers as a list does: what is not found is made, and told. */
  function ask(of: ResponseKey, body = bodyOf().body, fresh = always): boolean {
    const isFound = responses.find(of) !== undefined;
    if (isFound) return true;
    if (responses.wants(of)) responses.keep(of, body, fresh);
    responses.note(of, body.length);
    return false;
  }

  function asked(times: number, of = key, body = bodyOf().body, fresh = always): boolean {
    for (let index = 1; index < times; index++) ask(of, body, fresh);
    return ask(of, body, fresh);
  }

  it("sends what was asked for twice", () => {
    const { body } = bodyOf();

    expect([ask(key, body), ask(key, body), ask(key)]).to.deep.equal([false, false, true]);
    expect(responses.find(key)).to.equal(body);
  });

  it("knows how long an answer is to be", () => {
    expect(responses.lengthOf(key)).to.equal(undefined);
    ask(key);
    expect(responses.lengthOf(key)).to.equal(1);
    expect(responses.lengthOf({ ...key, state: "2" })).to.equal(undefined);
  });

  it("does not want what is too large", () => {
    responses = new ResponseCache({ clock, bytes: 8 * 1024 * kib });
    expect(responses.wants(key)).to.equal(false);
    responses.note(key, 4 * 1024 * kib);
    expect(responses.wants(key)).to.equal(true);
    responses.note(key, 4 * 1024 * kib + 1);
    expect(responses.wants(key)).to.equal(false);
    responses = new ResponseCache({ clock, bytes: 64 * kib });
    responses.note(key, 64 * kib + 1);
    expect(responses.wants(key)).to.equal(false);
  });

  for (const [name, other] of [
    ["question", { question: "nodes" }],
    ["source", { source: {} }],
    ["state", { state: "2" }],
  ] as const) {
    it(`does not answer another ${name}`, () => {
      asked(3);

      expect(ask({ ...key, ...other })).to.equal(false);
    });
  }

  it("counts from the beginning in another state", () => {
    asked(3);
    const next = { ...key, state: "2" };

    expect([ask(next), ask(next), ask(next)]).to.deep.equal([false, false, true]);
  });

  it("keeps nothing that was begun in a state that is over", () => {
    asked(1);
    responses.find({ ...key, state: "2" });
    responses.keep(key, bodyOf().body, always);

    expect(responses.size).to.equal(0);
    expect(responses.find(key)).to.equal(undefined);
  });

  for (const [name, fresh] of [
    ["that is over", (now: number) => ({ ...always, from: now - 2, until: now })],
    [
      "that has not begun, when a clock was set back",
      (now: number) => ({ ...always, from: now + 1, until: now + 2 }),
    ],
  ] as const) {
    it(`does not send what is right in a time ${name}`, () => {
      expect(asked(3, key, bodyOf().body, fresh(clock.now()))).to.equal(false);
    });
  }

  it("does not send what was read from what has changed since", () => {
    let isSame = true;
    asked(2, key, bodyOf().body, { ...always, isStill: () => isSame });
    expect(ask(key)).to.equal(true);
    isSame = false;

    expect(ask(key)).to.equal(false);
    expect(ask(key)).to.equal(true);
  });

  it("keeps nothing that was read from what has changed meanwhile", () => {
    asked(2, key, bodyOf().body, { ...always, isStill: () => false });

    expect(responses.size).to.equal(0);
  });

  it("gives room back when the state is over, and nobody sends it any more", () => {
    const { body, chunk } = bodyOf();
    asked(2, key, body);
    body.release();
    expect(isFree(chunk)).to.equal(false);
    const sent = responses.find(key);
    sent?.hold();

    responses.find({ ...key, state: "2" });
    expect(responses.size).to.equal(0);
    expect(isFree(chunk)).to.equal(false);
    sent?.release();
    expect(isFree(chunk)).to.equal(true);
  });

  it("holds one body of those that were made at once", () => {
    const bodies = [bodyOf(), bodyOf(), bodyOf()];
    for (const _ of bodies) responses.find(key);
    for (const { body } of bodies) responses.keep(key, body, always);
    for (const { body } of bodies) body.release();

    expect(responses.size).to.equal(entry("pods"));
    expect(responses.find(key)).to.equal(bodies[2]?.body);
  });

  describe("that is full", () => {
    const question = (name: string): ResponseKey => ({ ...key, question: name });
    const full = 4 * entry("a");
    const fill = (): void => {
      for (const name of ["a", "b", "c", "d"]) asked(2, question(name));
      expect(responses.size).to.equal(full);
    };

    beforeEach(() => {
      responses = new ResponseCache({ clock, bytes: full });
    });

    const all = (): readonly boolean[] => [..."abcd"].map((name) => ask(question(name)));

    it("keeps what was used lately, until another is asked for twice as often", async () => {
      fill();
      ask(question("e"));
      await clock.advance(8_000);
      expect(asked(1, question("e"))).to.equal(false);
      expect(all()).to.deep.equal([true, true, true, true]);
      await clock.advance(3_000);
      expect(asked(1, question("e"))).to.equal(false);
      expect(responses.find(question("a"))).to.not.equal(undefined);

      await clock.advance(1_500);
      ask(question("e"));

      expect(ask(question("e"))).to.equal(true);
      const left = [..."abcd"].filter((name) => responses.find(question(name)));
      expect(left).to.deep.equal(["a", "c", "d"]);
    });

    it("keeps what was used just now, whoever asks how often", async () => {
      fill();
      await clock.advance(99);

      expect(asked(9, question("e"))).to.equal(false);
      expect(all()).to.deep.equal([true, true, true, true]);
    });

    it("sends some of it to who walks through more than fits, again and again", async () => {
      const walk = async (): Promise<number> => {
        let found = 0;
        for (const name of "abcdef") {
          if (ask(question(name))) found++;
          await clock.advance(1_000);
        }
        return found;
      };
      for (let times = 0; times < 4; times++) await walk();

      expect(await walk()).to.equal(4);
    });

    it("lets what was used longest ago go", async () => {
      fill();
      ask(question("e"));
      await clock.advance(14_000);
      ask(question("a"));
      await clock.advance(1_000);

      expect(asked(2, question("e"))).to.equal(true);
      const left = ["a", "b", "c", "d", "e"].filter((name) => responses.find(question(name)));
      expect(left).to.deep.equal(["a", "c", "d", "e"]);
    });

    it("lets nothing go for what does not fit all the same", async () => {
      fill();
      await clock.advance(15_000);
      ask(question("d"));

      for (const size of [64, 128]) {
        expect(asked(3, question("large"), bodyOf(size).body)).to.equal(false);
        expect(responses.size).to.equal(full);
      }
      expect(asked(3, question("fits"), bodyOf(32).body)).to.equal(true);
      expect(responses.size).to.equal(2 * entry("a") + entry("fits", 32));
    });

    it("lets what is right no more go first, however lately it was kept", async () => {
      const until = clock.now() + 1_000;
      let isSame = true;
      const others = { b: { ...always, until }, c: { ...always, isStill: () => isSame } };
      for (const name of ["a", "d"]) asked(2, question(name));
      for (const [name, fresh] of Object.entries(others))
        asked(2, question(name), bodyOf().body, fresh);
      for (const name of ["e", "f"]) ask(question(name));
      isSame = false;
      await clock.advance(1_000);

      for (const name of ["e", "f"]) expect(asked(2, question(name))).to.equal(true);
      const left = [..."abcdef"].filter((name) => responses.find(question(name)));
      expect(left).to.deep.equal(["a", "d", "e", "f"]);
    });
  });

  describe("of bodies around a run", () => {
    const items = (): ResponseKey => ({ ...key, source: runs, question: "items" });
    const runs = {};
    const found = (of = items(), renew: (run: Run) => Run | undefined = () => undefined) =>
      responses.findRun(of, renew);

    /** A run, and a body that it stands in, with a chunk of its own. */
    function around(): { readonly run: Run; readonly body: Body } {
      const { chunk } = bodyOf(32);
      const run = new Run([chunk], { items: 1, from: 0, until: 0 });
      run.hold();
      return { run, body: new Body([bodyOf().chunk, chunk], false) };
    }

    /** As a list does that finds no run. */
    function keep(fresh = always): ReturnType<typeof around> {
      const made = around();
      for (const of of [items(), key]) responses.note(of, 1);
      for (const of of [items(), key]) responses.find(of);
      responses.keep(items(), made.run, fresh);
      responses.keep(key, made.body, always, made.run);
      return made;
    }

    it("counts their bytes once", () => {
      const { run, body } = keep();

      expect(found()).to.equal(run);
      expect(responses.find(key)).to.equal(body);
      expect(responses.size).to.equal(entry("items", 32) + entry("pods"));
    });

    it("counts them with the body where the run is not kept", () => {
      const { run, body } = around();
      responses.find(key);
      responses.keep(key, body, always, run);

      expect(responses.size).to.equal(entry("pods", 48));
    });

    it("finds no run for a body, and no body for a run", () => {
      keep();

      expect(found(key)).to.equal(undefined);
      expect(responses.find(items())).to.equal(undefined);
    });

    it("finds a run of the same alone, where the question does not tell all of it", () => {
      const of = (...keys: readonly string[]): ResponseKey => ({ ...items(), of: keys });
      const runOf = (key: ResponseKey): Run => {
        const { run } = around();
        responses.findRun(key, () => undefined);
        responses.keep(key, run, always);
        return run;
      };
      const first = runOf(of("a", "b", "c"));

      expect(found(of("a", "b", "c"))).to.equal(first);
      for (const others of [of("a", "d", "c"), of("a", "b"), of("a", "b", "c", "d"), items()])
        expect(found(others)).to.equal(undefined);
      expect(found(of("a", "b", "c")), "it stays meanwhile").to.equal(first);
      expect(responses.size).to.equal(entry("items", 32) + 3 * 8);

      const second = runOf(of("a", "d", "c"));
      expect(found(of("a", "d", "c"))).to.equal(second);
      expect(found(of("a", "b", "c"))).to.equal(undefined);
      expect(responses.size).to.equal(entry("items", 32) + 3 * 8);
    });

    it("has a run made right whose time is over, with nothing else that changed", async () => {
      let isSame = true;
      const { run, body } = keep({ from: 0, until: clock.now() + 1, isStill: () => isSame });
      const next = (): Run =>
        new Run([bodyOf(32).chunk], { items: 1, from: clock.now(), until: clock.now() + 1000 });
      const [second, third] = [next(), next()];
      await clock.advance(1);

      expect(found(items(), (old) => (old === run ? second : undefined))).to.equal(second);
      expect(found(items(), () => third)).to.equal(second);
      expect(responses.find(key)).to.equal(undefined);
      expect(responses.size).to.equal(entry("items", 32));
      for (const each of [run, run, body, second, second]) each.release();
      const chunks = [run, second].map(({ chunks }) => chunks[0] as Chunk);
      expect(chunks.map(isFree)).to.deep.equal([true, false]);

      await clock.advance(1000);
      isSame = false;
      expect(found(items(), () => third)).to.equal(undefined);
      expect(responses.size).to.equal(0);
    });

    it("lets nothing go sooner because its time is over, where it can be made right", async () => {
      responses = new ResponseCache({ clock, bytes: 64 * kib });
      keep({ ...always, until: clock.now() + 1 });
      await clock.advance(1);
      const other = { ...key, question: "other" };

      expect(asked(3, other, bodyOf(32).body)).to.equal(false);
      const next = new Run([bodyOf(32).chunk], { items: 1, from: 0, until: clock.now() + 1000 });
      expect(found(items(), () => next)).to.equal(next);
    });

    it("counts a run as large as it is after it was made right", async () => {
      keep({ ...always, until: clock.now() + 1 });
      await clock.advance(1);
      const next = new Run([bodyOf(16).chunk], { items: 1, from: 0, until: clock.now() + 1000 });
      found(items(), () => next);

      expect(responses.size).to.equal(entry("items", 16));
    });

    it("does not keep a run that there is no room for once it was made right", async () => {
      responses = new ResponseCache({ clock, bytes: entry("items", 32) + entry("pods") });
      keep({ ...always, until: clock.now() + 1 });
      await clock.advance(1);
      const { chunk } = bodyOf(kib);
      const next = new Run([chunk], { items: 1, from: 0, until: clock.now() + 1000 });

      expect(found(items(), () => next)).to.equal(next);
      next.release();
      expect(responses.size).to.equal(0);
      expect(isFree(chunk)).to.equal(true);
    });

    it("lets go of a run that cannot be made right", async () => {
      keep({ ...always, until: clock.now() + 1 });
      await clock.advance(1);

      expect(found()).to.equal(undefined);
      expect(responses.size).to.equal(0);
    });

    it("lets bodies go with their run", () => {
      let isSame = true;
      const { run, body } = keep({ ...always, isStill: () => isSame });
      isSame = false;
      expect(found()).to.equal(undefined);

      expect(responses.size).to.equal(0);
      expect(responses.find(key)).to.equal(undefined);
      body.release();
      const [chunk] = run.chunks;
      run.release();
      expect(chunk && isFree(chunk)).to.equal(true);
    });

    it("keeps a run whose body goes", () => {
      const { run } = keep();
      const next = { ...key, state: "2" };

      expect(responses.find(next)).to.equal(undefined);
      expect(responses.size).to.equal(entry("items", 32));
      expect(found()).to.equal(run);
    });

    it("keeps a run as long as its body is sent", async () => {
      const stop = new AbortController();
      const running = responses.start(stop.signal);
      const { run, body } = keep();
      for (let minutes = 0; minutes < 3; minutes += 0.5) {
        await clock.advance(30_000);
        expect(responses.find(key)).to.equal(body);
      }

      expect(found()).to.equal(run);
      stop.abort();
      await running;
    });

    it("counts rightly what comes after a run went with its bodies", async () => {
      const stop = new AbortController();
      const running = responses.start(stop.signal);
      keep();
      await clock.advance(120_000);
      expect(responses.size).to.equal(0);

      for (const question of ["one", "two", "three"]) asked(2, { ...key, question });
      await clock.advance(120_000);

      expect(responses.size).to.equal(0);
      stop.abort();
      await running;
    });

    it("keeps no body for which its run would have to go", async () => {
      responses = new ResponseCache({ clock, bytes: entry("items", 32) + 100 });
      const { run, body } = around();
      for (const of of [items(), key]) responses.find(of);
      responses.keep(items(), run, { ...always, until: clock.now() + 20_000 });
      await clock.advance(20_000);
      responses.keep(key, body, always, run);

      expect(responses.size).to.equal(0);
      expect(responses.find(key)).to.equal(undefined);
    });

    it("tells how often runs were found", async () => {
      const metrics = new Metrics();
      responses = new ResponseCache({ clock, bytes: 64 * kib, metrics });
      keep();
      for (let times = 0; times < 2; times++) found();
      responses.find(key);

      const text = await metrics.text();
      expect(text).to.contain("drover_api_response_cache_run_hits_total 2\n");
      expect(text).to.contain("drover_api_response_cache_hits_total 1\n");
    });
  });

  it("lets go of what nobody asked for in a minute, and tells what it holds", async () => {
    const metrics = new Metrics();
    responses = new ResponseCache({ clock, bytes: 128 * kib, metrics });
    const stop = new AbortController();
    const running = responses.start(stop.signal);
    for (const question of ["idle", "as idle"]) asked(2, { ...key, question });
    asked(2);
    await clock.advance(45_000);
    ask(key);
    expect(await metrics.text()).to.contain(
      `drover_api_response_cache_bytes ${entry("idle") + entry("as idle") + entry("pods")}\n`,
    );

    await clock.advance(30_000);

    const text = await metrics.text();
    expect(text).to.contain(`drover_api_response_cache_bytes ${entry("pods")}\n`);
    expect(text).to.contain("drover_api_response_cache_hits_total 1\n");
    stop.abort();
    await running;
  });

  it("lets go of what is right no more when it looks the next time", async () => {
    const stop = new AbortController();
    const running = responses.start(stop.signal);
    asked(2, key, bodyOf().body, { ...always, until: clock.now() + 1_000 });

    await clock.advance(14_000);
    expect(responses.size).to.equal(entry("pods"));
    await clock.advance(1_000);

    expect(responses.size).to.equal(0);
    stop.abort();
    await running;
  });
});
