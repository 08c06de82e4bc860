import { expect } from "chai";
import { leftBehind } from "../testing/index.ts";
import { Latch } from "./latch.ts";

const text = (thrown: unknown): string => String(thrown);

describe("a latch", () => {
  it("lets through who waits when it opens, and who comes later", async () => {
    const latch = new Latch();
    const stop = new AbortController();
    const waiting = [latch.wait(), latch.wait(stop.signal)];
    expect(latch.isOpen).to.equal(false);

    latch.open();
    stop.abort("too late");

    await Promise.all([...waiting, latch.wait()]);
    expect(latch.isOpen).to.equal(true);
  });

  it("tells why it never opens, and does not change its mind", async () => {
    const latch = new Latch();
    const waiting = latch.wait().catch(text);

    latch.fail("it is gone");
    latch.open();
    latch.fail("something else");

    expect([await waiting, await latch.wait().catch(text)]).to.deep.equal(
      Array(2).fill("it is gone"),
    );
    expect(latch.isOpen).to.equal(false);
  });

  it("rejects a wait with the reason of its signal, also one that has aborted before", async () => {
    const latch = new Latch();
    const stop = new AbortController();
    const waiting = latch.wait(stop.signal).catch(text);

    stop.abort("enough");

    expect(await waiting).to.equal("enough");
    latch.open();
    expect(await latch.wait(stop.signal).catch(text)).to.equal("enough");
  });

  it("keeps nothing of those who gave up", async () => {
    const latch = new Latch();

    expect(await leftBehind((signal) => latch.wait(signal))).to.be.lessThan(200);
  });
});
