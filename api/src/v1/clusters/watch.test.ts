import { expect } from "chai";
import { silentLogger } from "kopf-ts";
import { type FakeClock, fakeClock } from "kopf-ts/testing";
import { everything } from "../access/held-access.ts";
import { parseShape } from "../items/shape.ts";
import { problem } from "../problem.ts";
import { type SeveralAsked, WatchShares } from "../subscribe/index.ts";
import { unsaid } from "../subscribe/message.ts";
import { KnownTypes } from "../types/index.ts";
import type { ClusterSource, ClusterWatch, WatchQuestion } from "./cluster-source.ts";
import { Clusters } from "./clusters.ts";
import { noMembers } from "./members.test.support.ts";
import { watchOfClusters } from "./watch.ts";

/** A subscription to the server's own cluster, and what was told of it. */
class Bed {
  readonly clock: FakeClock = fakeClock();
  readonly told: string[] = [];
  /** Of all watches that were asked for. */
  readonly questions: WatchQuestion[] = [];
  /** Counted by the subscription. */
  watches = 0;
  readonly #room: number;
  /** Who hears of rights and types. */
  readonly listeners = new Set<() => void>();
  /** Opened, and not disposed. */
  open = 0;
  answer: () => Promise<void> = () => Promise.resolve();
  readonly #subscription: Disposable;

  constructor({ names = ["local"], revision = "", room = 10 } = {}, answer?: Bed["answer"]) {
    this.#room = room;
    if (answer !== undefined) this.answer = answer;
    const parts = { clock: this.clock, log: silentLogger };
    const shares = new WatchShares(parts);
    const members = noMembers(this.clock, shares);
    const clusters = new Clusters({
      ...{ ...parts, own: this.#source(), members, types: new KnownTypes(silentLogger) },
      collections: { use: () => Promise.reject(new Error("nobody lists")) },
    });
    this.#subscription = watchOfClusters({ clusters, clock: this.clock })({
      ...this.#asked(),
      names,
      revisions: new Map(revision === "" ? [] : [["local", revision]]),
    });
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }

  /** Lets what was begun go on. */
  async settle(milliseconds = 0): Promise<void> {
    await this.clock.advance(milliseconds);
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  #source(): ClusterSource {
    const nobody = (): Promise<never> => Promise.reject(new Error("nobody asks"));
    return {
      ...{ list: nobody, search: nobody, watch: (question) => this.#watch(question) },
      onChange: (_, listener) => {
        this.listeners.add(listener);
        return { [Symbol.dispose]: () => this.listeners.delete(listener) };
      },
    };
  }

  async #watch(question: WatchQuestion): Promise<ClusterWatch> {
    this.questions.push(question);
    await this.answer();
    this.open++;
    let isOpen = true;
    return {
      start: () => question.onStart("7"),
      [Symbol.dispose]: () => {
        if (isOpen) this.open--;
        isOpen = false;
      },
    };
  }

  #asked(): Omit<SeveralAsked, "names" | "revisions"> {
    return {
      ...{ caller: { username: "u", groups: [] }, scope: undefined, access: everything },
      base: "https://drover",
      ...{ message: { ...unsaid, resourceType: "pod" }, shape: parseShape(new URLSearchParams()) },
      outlet: { isFull: false, send: () => undefined, whenDrained: () => undefined },
      notifierOf: () => undefined,
      started: () => this.told.push("start"),
      joined: (cluster, revision) => this.told.push(`${cluster} joined at ${revision}`),
      failed: (cluster, error) =>
        this.told.push(`${cluster} ${typeof error === "string" ? error : error.message}`),
      take: () => {
        if (this.watches === this.#room) return false;
        this.watches++;
        return true;
      },
      give: () => this.watches--,
    };
  }
}

describe("a subscription to several clusters", () => {
  it("begins when all have begun or failed", async () => {
    using bed = new Bed({ names: ["local", "c-1"] });

    await bed.settle();

    expect(bed.told).to.deep.equal(["start", "c-1 there is no such cluster"]);
    expect([bed.watches, bed.open]).to.deep.equal([2, 1]);
  });

  it("waits a second for those that take their time, which join it", async () => {
    const late = Promise.withResolvers<void>();
    using bed = new Bed({}, () => late.promise);

    await bed.settle(999);
    const before = [...bed.told];
    await bed.settle(1);
    const after = [...bed.told];
    late.resolve();
    await bed.settle();

    expect([before, after]).to.deep.equal([[], ["start"]]);
    expect(bed.told).to.deep.equal(["start", "local joined at 7"]);
  });

  it("tells once why one cannot be watched, tries it again, and lets it join", async () => {
    using bed = new Bed({}, () => Promise.reject(problem("ClusterUnavailable", "it is away")));
    await bed.settle();

    const asked: number[] = [];
    for (const wait of [1_999, 1, 4_000, 8_000, 16_000, 30_000, 30_000]) {
      await bed.settle(wait);
      asked.push(bed.questions.length);
    }
    bed.answer = () => Promise.resolve();
    await bed.settle(30_000);

    expect(asked).to.deep.equal([1, 2, 3, 4, 5, 6, 7]);
    expect(bed.told).to.deep.equal(["start", "local it is away", "local joined at 7"]);
    expect(bed.watches).to.equal(1);
  });

  it("asks one that has refused at once when rights or types have changed there", async () => {
    using bed = new Bed({}, () => Promise.reject(problem("PermissionDenied", "you may not")));
    await bed.settle();
    const [listener] = bed.listeners;

    listener?.();
    await bed.settle();
    bed.answer = () => Promise.resolve();
    for (const each of bed.listeners) each();
    await bed.settle();

    expect(bed.told).to.deep.equal(["start", "local you may not", "local joined at 7"]);
    expect([bed.questions.length, bed.listeners.size]).to.deep.equal([3, 0]);
  });

  it("gives up on one that does not answer within five seconds, and drops what comes later", async () => {
    const late = Promise.withResolvers<void>();
    using bed = new Bed({}, () => late.promise);
    await bed.settle(5_000);

    late.resolve();
    await bed.settle();

    expect(bed.told).to.deep.equal(["start", "local no answer within 5 s"]);
    expect([bed.watches, bed.open]).to.deep.equal([1, 0]);
  });

  it("begins anew, from then on, where a watch has ended of itself", async () => {
    using bed = new Bed({ revision: "3" });
    await bed.settle();

    bed.questions[0]?.onEnd("resourceversion too old");
    await bed.settle();
    bed.questions[1]?.onEnd();
    await bed.settle();

    expect(bed.questions.map(({ revision }) => revision)).to.deep.equal(["3", "", ""]);
    expect(bed.told).to.deep.equal([
      ...["start", "local resourceversion too old", "local joined at 7", "local joined at 7"],
    ]);
    expect([bed.watches, bed.open]).to.deep.equal([1, 1]);
  });

  it("says where somebody may have no more watches", async () => {
    using bed = new Bed({ room: 0 });
    await bed.settle();

    expect(bed.told).to.deep.equal([
      ...["start", "undefined too many watches: not all clusters are watched"],
    ]);
    expect([bed.watches, bed.questions.length]).to.deep.equal([0, 0]);
  });

  it("lets go of everything at its end, of what comes later too", async () => {
    const late = Promise.withResolvers<void>();
    const bed = new Bed();
    const other = new Bed({}, () => late.promise);
    await bed.settle();
    await other.settle();

    bed[Symbol.dispose]();
    other[Symbol.dispose]();
    late.resolve();
    await other.settle(10_000);
    await bed.settle(10_000);

    for (const { watches, open, listeners } of [bed, other]) {
      expect([watches, open, listeners.size]).to.deep.equal([0, 0, 0]);
    }
    expect(other.told).to.deep.equal([]);
    expect(bed.questions).to.have.length(1);
  });
});
