import { expect } from "chai";
import { type Clock, RecentWarnings, silentLogger, sleeper, systemClock } from "../base/index.ts";
import { defineKind, type RawStream } from "../kube/index.ts";
import { type FakeClock, fakeClock } from "../testing/index.ts";
import { Backoff } from "./backoff.ts";
import { Bookmarks } from "./bookmarks.ts";
import { ListModeMemory } from "./memory.ts";
import { Position } from "./position.ts";
import { read } from "./read.ts";
import { Reporter } from "./reporter.ts";
import { changes, page, streamedList } from "./request.ts";
import { scanObject } from "./scan.ts";
import type { WatchState } from "./sink.ts";
import { defaultTiming } from "./timing.ts";
import { Turns } from "./turns.ts";

describe("Position", () => {
  const at = (...steps: readonly ((position: Position) => void)[]): Position => {
    const position = new Position();
    for (const step of steps) step(position);
    return position;
  };
  const listed = (p: Position): void => p.listed("5");
  const advanced = (p: Position): void => p.advance("7");
  const told =
    (name: string, resourceVersion: string, deleted = false) =>
    (p: Position): void => {
      const metadata = JSON.stringify({ name, namespace: "n", resourceVersion });
      const bytes = Buffer.from(`{"metadata":${metadata.replace("BROKEN", "\\x")}}`);
      const object = scanObject(bytes, 0, bytes.length);
      if (object !== undefined) p.told(object, deleted);
    };
  const inN = { namespace: "n", uid: "", deleted: false };
  for (const { what, position, expected } of [
    {
      what: "at the start",
      position: at(),
      expected: { resumable: false, streamFrom: "", listFrom: "0" },
    },
    {
      what: "after a list",
      position: at(listed),
      expected: { resumable: true, resourceVersion: "5" },
    },
    {
      what: "after changes",
      position: at(listed, advanced),
      expected: { resumable: true, resourceVersion: "7" },
    },
    {
      what: "in doubt",
      position: at(listed, advanced, (p) => p.doubt()),
      expected: { resumable: false, streamFrom: "7", listFrom: "7" },
    },
    {
      what: "expired",
      position: at(listed, (p) => p.expire()),
      expected: { resumable: false, streamFrom: "", listFrom: "" },
    },
    {
      what: "listed again",
      position: at(
        listed,
        (p) => p.expire(),
        listed,
        (p) => p.doubt(),
      ),
      expected: { streamFrom: "5", listFrom: "5" },
    },
    {
      what: "questioned",
      position: at(listed, (p) => p.question()),
      expected: { resumable: true, unproven: true, resourceVersion: "5" },
    },
    {
      what: "questioned and proven",
      position: at(
        listed,
        (p) => p.question(),
        (p) => p.proven(),
      ),
      expected: { resumable: true, unproven: false },
    },
    {
      what: "questioned and listed anew",
      position: at(listed, (p) => p.question(), listed),
      expected: { resumable: true, unproven: false },
    },
    {
      what: "behind a list in the order of names",
      position: at(told("a", "9"), told("b", "10"), told("c", "8")),
      expected: { last: { ...inN, name: "b", resourceVersion: "10" } },
    },
    {
      what: "behind a deletion",
      position: at(told("a", "9"), told("a", "11", true)),
      expected: { last: { ...inN, name: "a", resourceVersion: "11", deleted: true } },
    },
    {
      what: "behind an object whose texts are broken",
      position: at(told("a", "9"), told("b", "BROKEN")),
      expected: { last: { ...inN, name: "a", resourceVersion: "9" } },
    },
    {
      what: "at the beginning of another list",
      position: at(told("a", "9"), (p) => p.begin()),
      expected: { last: undefined },
    },
    {
      what: "after an event without a version",
      position: at(listed, (p) => p.advance("")),
      expected: { resourceVersion: "5" },
    },
  ]) {
    it(`knows where to go on ${what}`, () => {
      const { resumable, resourceVersion, streamFrom, listFrom } = position;
      const { unproven, last } = position;
      const found = { resumable, resourceVersion, streamFrom, listFrom, unproven, last };
      expect(found).to.deep.include(expected);
    });
  }
});

describe("Backoff", () => {
  it("doubles from 0.8 to 30 s with full jitter", () => {
    const lowest = new Backoff(fakeClock(), defaultTiming, () => 0);
    const highest = new Backoff(fakeClock(), defaultTiming, () => 0.999_999);
    const low = Array.from({ length: 8 }, () => Math.round(lowest.next()));
    const high = Array.from({ length: 8 }, () => Math.round(highest.next()));

    expect(low).to.deep.equal([800, 1_600, 3_200, 6_400, 12_800, 15_000, 15_000, 15_000]);
    expect(high).to.deep.equal([1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000, 30_000]);
  });

  it("begins again after two minutes without a failure, not counting its own waits", async () => {
    const clock = fakeClock();
    const backoff = new Backoff(clock, defaultTiming, () => 0);
    backoff.next();
    backoff.next(); // 1.6 s

    await clock.advance(1_600 + 119_000);
    expect(backoff.next()).to.equal(3_200);
    await clock.advance(3_200 + 121_000);
    expect(backoff.next()).to.equal(800);
  });
});

describe("Bookmarks", () => {
  const after = (...steps: readonly ("sawEndOfList" | "sawPeriodic" | "missed")[]): boolean => {
    const bookmarks = new Bookmarks();
    for (const step of steps) bookmarks[step]();
    return bookmarks.expected;
  };
  for (const { steps, expected } of [
    { steps: [], expected: false },
    { steps: ["sawEndOfList"], expected: true },
    { steps: ["sawEndOfList", "missed"], expected: false },
    { steps: ["sawEndOfList", "missed", "sawEndOfList"], expected: false },
    { steps: ["sawEndOfList", "missed", "sawPeriodic"], expected: true },
    { steps: ["sawPeriodic", "missed"], expected: false },
    { steps: ["sawPeriodic", "missed", "sawPeriodic"], expected: true },
  ] as const) {
    it(`${expected ? "expects" : "does not expect"} bookmarks after [${steps.join(", ")}]`, () => {
      expect(after(...steps)).to.equal(expected);
    });
  }
});

describe("ListModeMemory", () => {
  it("remembers by group, version and resource", () => {
    const memory = new ListModeMemory();
    const kind = defineKind({
      group: "g",
      version: "v1",
      plural: "things",
      kind: "Thing",
      scope: "Cluster",
    });

    memory.remember(kind, "pages");

    expect(memory.modeOf({ ...kind })).to.equal("pages");
    expect(memory.modeOf({ ...kind, version: "v2" })).to.equal(undefined);
    memory.forget(kind);
    expect(memory.modeOf(kind)).to.equal(undefined);
  });
});

describe("Reporter", () => {
  it("tells a state once, and a degraded one again only for another reason", () => {
    const told: WatchState[] = [];
    const reporter = new Reporter({ state: (state) => told.push(state) }, silentLogger);
    const degraded = (reason: string, message = ""): WatchState => ({
      phase: "degraded",
      reason,
      message,
    });

    const states = [
      ...[{ phase: "listing" }, { phase: "listing" }, { phase: "live" }, { phase: "live" }],
      ...[degraded("A", "1"), degraded("A", "2"), degraded("B"), { phase: "live" }],
    ] as const;
    for (const state of states) reporter.tell(state);

    expect(told).to.deep.equal([
      ...[{ phase: "listing" }, { phase: "live" }],
      ...[degraded("A", "1"), degraded("B"), { phase: "live" }],
    ]);
  });
});

describe("Reporters that share what they said", () => {
  const table = [
    { reason: "Unreachable", levels: ["warn", "debug", "info", "debug", "warn"] },
    { reason: "Forbidden", levels: ["warn", "warn", "info", "info", "warn"] },
  ] as const;
  for (const { reason, levels } of table) {
    it(`log ${reason} ${reason === "Forbidden" ? "each" : "once, until it is over"}`, () => {
      const logged: string[] = [];
      const at = (level: string) => (): void => void logged.push(level);
      const logger = { ...silentLogger, debug: at("debug"), info: at("info"), warn: at("warn") };
      const states: WatchState[] = [];
      const warnings = new RecentWarnings(fakeClock());
      const [one, other] = [1, 2].map(
        () => new Reporter({ state: (state) => states.push(state) }, logger, warnings),
      );
      const degraded = { phase: "degraded", reason, message: "m" } as const;

      for (const each of [one, other]) each?.tell(degraded);
      for (const each of [one, other]) each?.tell({ phase: "live" });
      other?.tell(degraded);

      expect(logged).to.deep.equal(levels);
      expect(states).to.have.length(5);
    });
  }
});

describe("requests", () => {
  const kind = defineKind({
    group: "apps",
    version: "v1",
    plural: "deployments",
    kind: "Deployment",
    scope: "Namespaced",
  });
  const selected = { kind, namespace: "ns", labelSelector: "a=b" };
  const target = { ...selected, metadataOnly: false, table: false };
  const packed = { "accept-encoding": "gzip" };
  const base = "/apis/apps/v1/namespaces/ns/deployments?labelSelector=a%3Db";
  for (const { what, request, path } of [
    {
      what: "a streamed list of the newest",
      request: streamedList(target, "", 300_400),
      path: `${base}&watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=301`,
    },
    {
      what: "a streamed list from a version",
      request: streamedList(target, "5", 1_000),
      path: `${base}&watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=1`,
    },
    {
      what: "changes",
      request: changes(target, "5", 1_000),
      path: `${base}&watch=1&resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=1`,
    },
    {
      what: "a first page",
      request: page(target, { resourceVersion: "0", limit: 500, next: "" }),
      path: `${base}&limit=500&resourceVersion=0`,
    },
    {
      what: "a further page",
      request: page(target, { resourceVersion: "0", limit: 500, next: "t/=" }),
      path: `${base}&limit=500&continue=t%2F%3D`,
    },
    {
      what: "everything at once",
      request: page(target, { resourceVersion: "", limit: undefined, next: "" }),
      path: base,
    },
  ]) {
    it(`asks for ${what}`, () => {
      const isWatch = path.includes("watch=1");
      const headers = { accept: "application/json", ...(!isWatch && packed) };
      expect(request).to.deep.equal({ path, headers });
    });
  }

  it("asks for metadata of objects and of lists", () => {
    const metadata = { ...target, metadataOnly: true };
    expect(changes(metadata, "5", 1).headers).to.deep.equal({
      accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
    });
    expect(page(metadata, { resourceVersion: "", limit: 1, next: "" }).headers).to.deep.equal({
      accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
      ...packed,
    });
  });

  it("asks for tables of objects or of metadata, and for what a server without tables has", () => {
    const table = { ...target, table: true };
    expect(changes(table, "5", 1_000)).to.deep.equal({
      path: `${base}&watch=1&resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=1&includeObject=Object`,
      headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1,application/json" },
    });
    const metadata = { ...table, metadataOnly: true };
    expect(page(metadata, { resourceVersion: "", limit: undefined, next: "" })).to.deep.equal({
      path: `${base}&includeObject=Metadata`,
      headers: {
        accept:
          "application/json;as=Table;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
        ...packed,
      },
    });
  });
});

/** A stream that a test fills. */
function aStream(): RawStream & {
  push(chunk: Buffer): void;
  readonly paused: readonly boolean[];
  readonly closed: boolean;
} {
  const end = Promise.withResolvers<void>();
  const paused: boolean[] = [];
  let onChunk: (chunk: Buffer) => void = () => undefined;
  let closed = false;
  return {
    status: 200,
    headers: {},
    body: (async function* () {})(),
    pipe: (onData) => {
      onChunk = onData;
      return end.promise;
    },
    pause: () => void paused.push(true),
    resume: () => void paused.push(false),
    close: () => {
      closed = true;
      end.resolve();
    },
    push: (chunk) => onChunk(chunk),
    paused,
    get closed() {
      return closed;
    },
  };
}

describe("Turns", () => {
  const work = (
    turns: Turns,
    clock: FakeClock,
    stream: RawStream,
    duration: number,
  ): Promise<void> => {
    const start = clock.monotonic();
    const passing = clock.advance(duration);
    return passing.then(() => turns.worked(stream, start));
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it("pauses streams when a turn is used up, together, and resumes them in the next", async () => {
    let now = 0;
    const clock = { ...systemClock, monotonic: () => now };
    const turns = new Turns(clock, 10);
    const [one, other] = [aStream(), aStream()];

    turns.worked(one, now);
    now = 6;
    turns.worked(one, 0);
    now = 11;
    turns.worked(other, 6);
    turns.worked(other, 6);
    expect([one.paused, other.paused]).to.deep.equal([[], [true]]);
    turns.worked(one, 11);
    expect(one.paused).to.deep.equal([true]);

    await turn();
    expect([one.paused, other.paused]).to.deep.equal([
      [true, false],
      [true, false],
    ]);
  });

  it("lets a stream run that works little in each turn", async () => {
    const clock = fakeClock();
    const turns = new Turns(clock, 10);
    const stream = aStream();

    for (let i = 0; i < 5; i++) {
      await work(turns, clock, stream, 6);
      await turn();
    }

    expect(stream.paused).to.deep.equal([]);
  });
});

describe("read", () => {
  const reading = (clock: Clock, deadline: (heard: number) => number, lookEvery = 1_000_000) => ({
    clock,
    turns: new Turns(clock, 10),
    onChunk: () => undefined,
    deadline,
    lookEvery,
    giveUp: () => new Error("silent"),
  });
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it("gives a stream up when its deadline comes, not before", async () => {
    const clock = fakeClock();
    const stream = aStream();
    const done = read(
      stream,
      reading(clock, (heard) => heard + 100),
    ).catch((error) => error.message);
    await clock.advance(99);
    stream.push(Buffer.from("x"));
    await clock.advance(99);
    expect(stream.closed).to.equal(false);

    await clock.advance(1);
    await turn();

    expect(await done).to.equal("silent");
    expect(clock.pending).to.equal(0);
  });

  it("first reads what waits in the socket after the process was frozen", async () => {
    let now = 0;
    let fire = (): void => undefined;
    const after: Clock["after"] = (_, fn) => {
      fire = fn;
      return { cancel: () => undefined };
    };
    const time = { monotonic: () => now, now: () => now };
    const clock: Clock = { ...time, after, at: after, sleep: sleeper(after) };
    const stream = aStream();
    const done = read(
      stream,
      reading(clock, (heard) => heard + 100),
    );

    now = 5_000; // frozen meanwhile; timers come before sockets in a turn of the event loop
    fire();
    stream.push(Buffer.from("was there all the time"));
    await turn();

    expect(stream.closed).to.equal(false);
    stream.close();
    await done;
  });

  it("notices a deadline that comes nearer", async () => {
    const clock = fakeClock();
    const stream = aStream();
    let patience = 10_000;
    const done = read(
      stream,
      reading(clock, (heard) => heard + patience, 50),
    ).catch((error) => error.message);

    patience = 80;
    await clock.advance(100);
    await turn();

    expect(await done).to.equal("silent");
  });
});
