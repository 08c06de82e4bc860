import { expect } from "chai";
import { type Clock, systemClock } from "../../base/index.ts";
import { TokenBucket } from "./token-bucket.ts";

describe("TokenBucket", () => {
  let time = 0;
  const clock: Clock = { ...systemClock, monotonic: () => time };
  const taken = (bucket: TokenBucket, times: number): number =>
    Array.from({ length: times }, () => bucket.take()).filter(Boolean).length;

  it("lets a burst through and then so many per second", () => {
    const bucket = new TokenBucket({ burst: 25, perSecond: 2 }, clock);

    const burst = taken(bucket, 100);
    time += 3_000;
    const later = taken(bucket, 100);

    expect([burst, later]).to.deep.equal([25, 6]);
  });

  it("saves up no more than a burst", () => {
    const bucket = new TokenBucket({ burst: 3, perSecond: 1 / 300 }, clock);
    taken(bucket, 3);

    time += 24 * 3_600_000;

    expect(taken(bucket, 10)).to.equal(3);
  });

  it("adds up fractions, however often it is asked", () => {
    const bucket = new TokenBucket({ burst: 1, perSecond: 1 / 300 }, clock);
    taken(bucket, 1);

    const early = Array.from({ length: 299 }, () => {
      time += 1_000;
      return bucket.take();
    });
    time += 1_001;

    expect(early).to.not.include(true);
    expect(bucket.take()).to.equal(true);
  });
});
