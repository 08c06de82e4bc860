import { expect } from "chai";
import { type Clock, systemClock } from "../base/index.ts";
import { Nap } from "./nap.ts";

const ever = new AbortController().signal;
const long = 60_000;

describe("Nap", () => {
  it("ends by itself", () => new Nap(systemClock).sleep(1, ever));

  it("ends when woken", async () => {
    const nap = new Nap(systemClock);
    const sleeping = nap.sleep(long, ever);

    nap.wake();

    await sleeping;
  });

  it("keeps a wake that came too early, once", async () => {
    const nap = new Nap(systemClock);
    nap.wake();
    await nap.sleep(long, ever);

    const second = await Promise.race([
      nap.sleep(long, ever).then(() => "over"),
      systemClock.sleep(20).then(() => "sleeps"),
    ]);

    expect(second).to.equal("sleeps");
    nap.wake();
  });

  it("ends with its signal, without a rejection or a timer left", async () => {
    let pending = 0;
    const clock: Clock = {
      ...systemClock,
      after: (delay, fn) => {
        pending++;
        const timer = systemClock.after(delay, fn);
        return {
          cancel: () => {
            pending--;
            timer.cancel();
          },
        };
      },
    };
    const stop = new AbortController();
    const sleeping = new Nap(clock).sleep(long, stop.signal);

    stop.abort();
    await sleeping;
    await new Nap(clock).sleep(long, stop.signal);

    expect(pending).to.equal(0);
  });
});
