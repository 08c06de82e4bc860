import { expect } from "chai";
import { aborted, never } from "./abort.ts";

describe("aborted", () => {
  it("resolves with the signal, also when it came first", async () => {
    const stop = new AbortController();
    const waiting = aborted(stop.signal);

    stop.abort();

    await waiting;
    await aborted(stop.signal);
  });

  it("waits until then", async () => {
    const waiting = aborted(never).then(() => "aborted");

    expect(await Promise.race([waiting, Promise.resolve("waiting")])).to.equal("waiting");
  });
});
