import { expect } from "chai";
import { Slots, silentLogger } from "../../base/index.ts";
import type { Client, RawStream } from "../../kube/index.ts";
import { type FakeClock, fakeClock } from "../../testing/index.ts";
import { Turns } from "../../watch/index.ts";
import { aWidget, Feed, Widget } from "../fixtures.ts";
import { Store } from "../store.ts";
import { Audit, type AuditedStore } from "./audit.ts";

/** An audit of a store, by a server that has one list to give or an error. */
class World {
  readonly clock: FakeClock = fakeClock();
  readonly store = new Store(Widget, { clock: this.clock });
  readonly feed = new Feed(this.store);
  readonly stop = new AbortController();
  /** When the server was asked. */
  readonly asked: number[] = [];
  failure: Error | undefined;

  async start(widgets: readonly Widget[], audited: AuditedStore = this.store): Promise<void> {
    const body = Buffer.from(
      JSON.stringify({ metadata: { resourceVersion: "1" }, items: widgets }),
    );
    const stream = async (): Promise<RawStream> => {
      this.asked.push(this.clock.monotonic());
      if (this.failure !== undefined) throw this.failure;
      const pipe: RawStream["pipe"] = async (onData) => onData(body);
      const ignore = (): void => undefined;
      return { pipe, close: ignore, pause: ignore, resume: ignore } as unknown as RawStream;
    };
    const audit = new Audit(
      {
        turns: new Turns(this.clock, 10),
        ...{ clock: this.clock, logger: silentLogger, options: {}, metrics: undefined },
        client: { stream } as unknown as Client,
        store: audited,
        slots: new Slots(1),
        relist: async () => undefined,
      },
      { interval: 1000 },
    );
    void audit.start(this.stop.signal);
    await this.clock.advance(0);
  }

  /** The store lists and is live; what is asked of it from now on counts. */
  async live(widgets: readonly Widget[]): Promise<void> {
    this.feed.list(widgets, "1");
    this.store.state({ phase: "live" });
    await this.clock.advance(1500); // the first audit may come too soon after the list
    this.asked.length = 0;
  }
}

describe("the schedule of audits", () => {
  const widgets = [aWidget({ name: "a" })];

  it("is half to one and a half intervals from one to the next", async () => {
    const world = new World();
    await world.start(widgets);
    await world.live(widgets);

    await world.clock.advance(30_000);
    world.stop.abort();

    const waits = world.asked.map((at, n) => at - (world.asked[n - 1] ?? 0)).slice(1);
    expect(world.asked.length).to.be.within(20, 60);
    expect(Math.min(...waits)).to.be.at.least(500);
    expect(Math.max(...waits)).to.be.at.most(1500);
    expect(world.clock.pending).to.equal(0);
  });

  it("leaves out a cache that is not synced, is degraded, or has just listed", async () => {
    const world = new World();
    await world.start(widgets);
    await world.clock.advance(5000);
    world.feed.list(widgets, "1");
    world.store.state({ phase: "degraded", reason: "Unreachable", message: "" });
    await world.clock.advance(5000);
    world.store.state({ phase: "live" });
    for (let n = 0; n < 50; n++) {
      world.feed.list(widgets, "1");
      await world.clock.advance(200);
    }
    const before = world.asked.length;

    await world.clock.advance(5000);
    world.stop.abort();

    expect(before).to.equal(0);
    expect(world.asked.length).to.be.greaterThan(2);
  });

  it("waits longer for a cache that costs more", async () => {
    const large: AuditedStore = {
      ...{ kind: Widget, size: 40_000, synced: true, watchState: { phase: "live" } },
      sinceList: Number.POSITIVE_INFINITY,
      keys: () => [],
      resourceVersionOf: () => "1",
      waitFor: async () => true,
      heal: () => undefined,
    };
    const world = new World();
    await world.start(widgets, large);

    await world.clock.advance(60_000);
    world.stop.abort();

    expect(world.asked.length).to.be.within(10, 30);
  });

  it("goes on after an audit that failed", async () => {
    const world = new World();
    await world.start(widgets);
    await world.live(widgets);
    world.failure = new Error("no server");
    await world.clock.advance(5000);
    const failed = world.asked.length;

    world.failure = undefined;
    await world.clock.advance(5000);
    world.stop.abort();

    expect(failed).to.be.greaterThan(2);
    expect(world.asked.length).to.be.greaterThan(failed + 2);
  });
});
