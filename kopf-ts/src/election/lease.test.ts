import { expect } from "chai";
import {
  heldLease,
  holderOf,
  isOfTerm,
  type LeaseObject,
  microTime,
  releasedLease,
  type Term,
  transitionsOf,
} from "./lease.ts";

const term: Term = {
  identity: "me",
  leaseDuration: 15_000,
  acquireTime: "2026-01-01T00:00:00.000123Z",
  transitions: 3,
};
const lock = { namespace: "kube-system", name: "x" };

describe("heldLease", () => {
  it("is a new lease of client-go's form", () => {
    expect(heldLease(lock, term, "2026-01-01T00:00:02.000000Z")).to.deep.equal({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { namespace: "kube-system", name: "x" },
      spec: {
        holderIdentity: "me",
        leaseDurationSeconds: 15,
        acquireTime: "2026-01-01T00:00:00.000123Z",
        renewTime: "2026-01-01T00:00:02.000000Z",
        leaseTransitions: 3,
      },
    });
  });

  it("keeps what is not the election's: labels, resourceVersion, other fields of the spec", () => {
    const stored = {
      ...heldLease(lock, { ...term, identity: "other" }, term.acquireTime),
      metadata: { ...lock, resourceVersion: "7", labels: { a: "b" } },
    };
    const extended = { ...stored, spec: { ...stored.spec, preferredHolder: "p" } };

    const held = heldLease(extended, term, term.acquireTime);

    expect(held.metadata).to.deep.equal({ ...lock, resourceVersion: "7", labels: { a: "b" } });
    expect(held.spec).to.include({ holderIdentity: "me", preferredHolder: "p" });
  });

  it("rounds the duration up, so that candidates never wait too short", () => {
    const { spec } = heldLease(lock, { ...term, leaseDuration: 1200 }, term.acquireTime);

    expect(spec?.leaseDurationSeconds).to.equal(2);
  });
});

describe("releasedLease", () => {
  it("has no holder, is over in a second, and keeps its transitions", () => {
    const released = releasedLease(heldLease(lock, term, term.acquireTime), "now");

    expect(released.spec).to.deep.equal({
      holderIdentity: "",
      leaseDurationSeconds: 1,
      acquireTime: "now",
      renewTime: "now",
      leaseTransitions: 3,
    });
    expect(holderOf(released)).to.equal(undefined);
  });
});

describe("reading a lease", () => {
  const withSpec = (spec: LeaseObject["spec"]): LeaseObject => {
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: lock };
    return spec === undefined ? lease : { ...lease, spec };
  };
  for (const { name, spec, holder, transitions } of [
    { name: "nothing at all", spec: undefined, holder: undefined, transitions: 0 },
    {
      name: "nulls",
      spec: { holderIdentity: null, leaseTransitions: null },
      holder: undefined,
      transitions: 0,
    },
    { name: "a released one", spec: { holderIdentity: "" }, holder: undefined, transitions: 0 },
    {
      name: "a held one",
      spec: { holderIdentity: "a", leaseTransitions: 4 },
      holder: "a",
      transitions: 4,
    },
  ]) {
    it(`takes ${name}`, () => {
      expect(holderOf(withSpec(spec))).to.equal(holder);
      expect(transitionsOf(withSpec(spec))).to.equal(transitions);
    });
  }
});

describe("isOfTerm", () => {
  const lease = heldLease(lock, term, "later");
  for (const { name, other, expected } of [
    { name: "the same term", other: term, expected: true },
    { name: "another identity", other: { ...term, identity: "you" }, expected: false },
    {
      name: "another process of the same identity",
      other: { ...term, acquireTime: "2026-01-01T00:00:00.000124Z" },
      expected: false,
    },
    { name: "a later term", other: { ...term, transitions: 4 }, expected: false },
  ]) {
    it(`${name}: ${expected}`, () => expect(isOfTerm(lease, other)).to.equal(expected));
  }
});

describe("microTime", () => {
  it("has six digits, the last three random", () => {
    expect(microTime(1, () => 0.0425)).to.equal("1970-01-01T00:00:00.001042Z");
    expect(microTime(0, () => 0.9999)).to.equal("1970-01-01T00:00:00.000999Z");
  });
});
