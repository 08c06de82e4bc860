import { expect } from "chai";
import { Metrics, silentLogger, systemClock } from "kopf-ts";
import { cacheShares } from "./cache-shares.ts";

describe("cacheShares", () => {
  it("leaves three quarters of the memory to the caches of types", async () => {
    const metrics = new Metrics();

    cacheShares({ clock: systemClock, log: silentLogger, metrics }, 1000);

    expect(await metrics.text()).to.contain("drover_api_cache_limit_bytes 750\n");
  });
});
