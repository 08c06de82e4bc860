import { expect } from "chai";
import { ManualClock } from "../loopback.test.support.ts";
import { Refresh } from "./refresh.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("Refresh", () => {
  function setup(worked: () => boolean = () => true) {
    const clock = new ManualClock();
    const stop = new AbortController();
    const runs: number[] = [];
    const start = clock.monotonic();
    const run = async (): Promise<boolean> => {
      runs.push(clock.monotonic() - start);
      await turn();
      return worked();
    };
    const refresh = new Refresh(clock, run, stop.signal);
    const pass = async (milliseconds: number): Promise<void> => {
      for (let left = milliseconds; left > 0; left -= 100) {
        clock.advance(100);
        await turn();
        await turn();
      }
    };
    return { clock, stop, runs, refresh, pass };
  }

  it("gathers requests into one run, and looks once more for what lags behind", async () => {
    const { refresh, runs, pass } = setup();

    for (let request = 0; request < 50; request++) refresh.request();
    await pass(20_000);

    expect(runs).to.deep.equal([100, 2_100]);
  });

  it("runs at most once a second, however many requests come", async () => {
    const { refresh, runs, pass } = setup();

    for (let time = 0; time < 5_000; time += 100) {
      refresh.request();
      await pass(100);
    }

    expect(runs.length).to.be.within(4, 6);
  });

  it("does not miss a request that comes during a run", async () => {
    const { clock, refresh, runs, pass } = setup();
    refresh.request();
    clock.advance(100);

    refresh.request();
    await pass(1_200);

    expect(runs).to.have.length(2);
  });

  it("runs again while it fails", async () => {
    let failures = 2;
    const { refresh, runs, pass } = setup(() => failures-- <= 0);

    refresh.request();
    await pass(30_000);

    expect(runs.slice(0, 3)).to.deep.equal([100, 5_100, 10_100]);
  });

  it("ends with its signal and leaves no timer", async () => {
    const { clock, refresh, runs, stop, pass } = setup();
    refresh.request();

    stop.abort();
    refresh.request();
    await pass(5_000);

    expect(runs).to.deep.equal([]);
    expect(clock.waiting()).to.deep.equal([]);
  });
});
