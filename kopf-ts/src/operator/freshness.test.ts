import { expect } from "chai";
import type { Informer, Informers } from "../cache/index.ts";
import { defineKind } from "../kube/index.ts";
import { fakeClock } from "../testing/index.ts";
import type { WatchState } from "../watch/index.ts";
import { Freshness } from "./freshness.ts";

const kind = defineKind({
  group: "example.com",
  version: "v1",
  plural: "widgets",
  kind: "Widget",
  scope: "Cluster",
});
const away: WatchState = { phase: "degraded", reason: "Unreachable", message: "refused" };

/** One cache whose state a test sets. */
function aFreshness(staleAfter: number | false = 120_000) {
  const clock = fakeClock();
  const cache = { kind, synced: true, watchState: { phase: "live" } as WatchState };
  const informers = { acquire: () => ({ cache }) as unknown as Informer };
  const freshness = new Freshness({
    informers: informers as unknown as Informers,
    clock,
    staleAfter,
  });
  freshness.acquire(kind);
  const stop = new AbortController();
  void freshness.follow(stop.signal);
  const failure = (): string | undefined => {
    try {
      freshness.check();
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
  return { clock, cache, freshness, failure, stop };
}

describe("Freshness", () => {
  it("is well while caches follow the server", async () => {
    const { clock, freshness } = aFreshness();

    await clock.advance(600_000);

    expect(freshness.check()).to.equal("1 follow the server");
  });

  it("says how long a cache has been behind, and fails once that is too long", async () => {
    const { clock, cache, freshness, failure } = aFreshness();
    await clock.advance(1000);

    cache.watchState = away;
    await clock.advance(61_000);
    expect(freshness.check()).to.equal("widgets.example.com behind for 60 s: Unreachable: refused");
    await clock.advance(60_000);

    expect(failure()).to.equal("widgets.example.com behind for 120 s: Unreachable: refused");
  });

  it("counts the list that follows a failure, and begins anew once the watch is live", async () => {
    const { clock, cache, failure } = aFreshness();
    cache.watchState = away;
    await clock.advance(100_000);
    cache.watchState = { phase: "listing" };
    await clock.advance(30_000);
    expect(failure()).to.match(/behind for 1[23]\d s$/);

    cache.watchState = { phase: "live" };
    await clock.advance(1000);
    cache.watchState = away;
    await clock.advance(100_000);

    expect(failure()).to.equal(undefined);
  });

  it("leaves caches that were never synced to whoever waits for them", async () => {
    const { clock, cache, failure } = aFreshness();
    cache.synced = false;
    cache.watchState = away;

    await clock.advance(600_000);

    expect(failure()).to.equal(undefined);
  });

  it("can be told never to fail, and still says what is behind", async () => {
    const { clock, cache, freshness } = aFreshness(false);
    cache.watchState = away;

    await clock.advance(600_000);

    expect(freshness.check()).to.match(/behind for (599|600) s/);
  });

  it("ends with its signal", async () => {
    const { clock, stop } = aFreshness();
    await clock.advance(1000);

    stop.abort();

    expect(clock.pending).to.equal(0);
  });
});
