import { expect } from "chai";
import type { LeaseObject } from "./lease.ts";
import { Observation } from "./observation.ts";

function aLease(spec: LeaseObject["spec"] = {}, metadata: object = {}): LeaseObject {
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { namespace: "n", name: "x", uid: "u1", ...metadata },
    spec: { holderIdentity: "other", leaseDurationSeconds: 15, leaseTransitions: 4, ...spec },
  };
}

describe("Observation", () => {
  it("knows nothing at first: the lease is free and the first to hold it writes 0 transitions", () => {
    const observed = new Observation(15_000);
    observed.see(undefined, 100);

    expect(observed.timeLeft(100)).to.equal(0);
    expect(observed.holder).to.equal(undefined);
    expect(observed.nextTransitions).to.equal(0);
  });

  it("counts from when it first saw the record, not from the times in it", () => {
    const observed = new Observation(15_000);
    const stale = { renewTime: "1999-01-01T00:00:00.000000Z" };

    observed.see(aLease(stale), 1000);

    expect(observed.timeLeft(1000)).to.equal(15_000);
    expect(observed.timeLeft(16_000)).to.equal(0);
  });

  it("begins anew with every renewal it sees, and only then", () => {
    const observed = new Observation(15_000);
    observed.see(aLease({ renewTime: "a" }), 0);

    observed.see(aLease({ renewTime: "a" }), 10_000);
    expect(observed.timeLeft(10_000)).to.equal(5000);

    observed.see(aLease({ renewTime: "b" }), 12_000);
    expect(observed.timeLeft(12_000)).to.equal(15_000);
  });

  it("is not put off by somebody who keeps changing labels", () => {
    const observed = new Observation(15_000);
    observed.see(aLease({}, { resourceVersion: "1" }), 0);
    observed.see(aLease({}, { resourceVersion: "2", labels: { a: "b" } }), 14_000);

    expect(observed.timeLeft(15_000)).to.equal(0);
  });

  it("takes the duration that the holder wrote, its own where none is written", () => {
    const observed = new Observation(15_000);
    observed.see(aLease({ leaseDurationSeconds: 45 }), 0);
    expect(observed.timeLeft(0)).to.equal(45_000);

    observed.see(aLease({ leaseDurationSeconds: null }), 0);
    expect(observed.timeLeft(0)).to.equal(15_000);
  });

  it("finds a released lease free at once", () => {
    const observed = new Observation(15_000);
    observed.see(aLease({ holderIdentity: "", leaseDurationSeconds: 1 }), 0);

    expect(observed.timeLeft(0)).to.equal(0);
    expect(observed.nextTransitions).to.equal(5);
  });

  it("waits for the end of a lease that was deleted while held: its holder has not noticed", () => {
    const observed = new Observation(15_000);
    observed.see(aLease(), 0);
    observed.see(undefined, 1000);

    expect(observed.timeLeft(1000)).to.equal(14_000);
    expect(observed.timeLeft(15_000)).to.equal(0);
  });

  it("never counts transitions backwards, also when the lease was made anew", () => {
    const observed = new Observation(15_000);
    observed.see(aLease({ leaseTransitions: 4 }), 0);
    observed.see(aLease({ leaseTransitions: 0 }, { uid: "u2" }), 0);

    expect(observed.nextTransitions).to.equal(5);
  });

  it("counts the renewals that it reads from a server that was restored from a backup", () => {
    const observed = new Observation(15_000);
    observed.see(aLease({ renewTime: "a" }, { resourceVersion: "100000" }), 0);

    for (let now = 2000; now <= 16_000; now += 2000) {
      const renewed = { renewTime: `${now}` };
      observed.see(aLease(renewed, { resourceVersion: String(500 + now) }), now);
    }

    expect(observed.timeLeft(16_000)).to.equal(15_000);
  });

  it("is told by a watch what is newer than what it read, and nothing older", () => {
    const observed = new Observation(15_000);
    observed.see(aLease({ renewTime: "b" }, { resourceVersion: "9" }), 1000);

    observed.hear(aLease({ renewTime: "a" }, { resourceVersion: "8" }), 2000);
    expect(observed.timeLeft(2000)).to.equal(14_000);

    observed.hear(aLease({ renewTime: "c" }, { resourceVersion: "10" }), 3000);
    expect(observed.timeLeft(3000)).to.equal(15_000);
  });

  it("ignores what it read when the watch has told a newer state meanwhile", () => {
    const observed = new Observation(15_000);
    observed.see(aLease({ renewTime: "a" }, { resourceVersion: "9" }), 0);

    observed.hear(aLease({ holderIdentity: "" }, { resourceVersion: "10" }), 2010);
    observed.see(aLease({ renewTime: "a" }, { resourceVersion: "9" }), 2020, 2000);

    expect(observed.holder).to.equal(undefined);
  });

  it("remembers a lease that was deleted, and replaced, until its time is over", () => {
    const observed = new Observation(15_000);
    observed.hear(aLease(), 1000);
    observed.see(aLease({ holderIdentity: "me" }, { uid: "u2" }), 2000);
    observed.hear(aLease({ holderIdentity: "me", renewTime: "b" }, { uid: "u2" }), 3000);

    expect(observed.wasReplaced(15_999)).to.equal(true);
    expect(observed.wasReplaced(16_000)).to.equal(false);
  });

  for (const [what, before] of [
    ["there was none", undefined],
    ["it was released", aLease({ holderIdentity: "" })],
    ["it is the same one", aLease({}, { uid: "u2" })],
  ] as const) {
    it(`knows of no lease that was replaced where ${what}`, () => {
      const observed = new Observation(15_000);
      observed.see(before, 1000);
      observed.see(aLease({ holderIdentity: "me" }, { uid: "u2" }), 2000);

      expect(observed.wasReplaced(2000)).to.equal(false);
    });
  }
});
