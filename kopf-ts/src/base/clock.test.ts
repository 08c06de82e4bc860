import { expect } from "chai";
import { systemClock } from "./clock.ts";

describe("systemClock", () => {
  it("does not fire early for a delay beyond 2^31, of which setTimeout makes 1 ms", async () => {
    let fired = false;
    const timer = systemClock.after(2 ** 31 + 1000, () => {
      fired = true;
    });

    await systemClock.sleep(10);

    expect(fired).to.equal(false);
    timer.cancel();
  });

  it("does not fire once it is cancelled, however often that is", async () => {
    let fired = false;
    const timer = systemClock.after(1, () => {
      fired = true;
    });

    timer.cancel();
    timer.cancel();
    await systemClock.sleep(10);

    expect(fired).to.equal(false);
  });

  it("ends a sleep with the reason of its signal, at once", async () => {
    const controller = new AbortController();
    const reasonOf = (sleep: Promise<void>): Promise<unknown> =>
      sleep.catch((reason: unknown) => reason);
    const begun = reasonOf(systemClock.sleep(60_000, controller.signal));

    controller.abort("enough");

    expect(await begun).to.equal("enough");
    expect(await reasonOf(systemClock.sleep(60_000, controller.signal))).to.equal("enough");
  });
});
