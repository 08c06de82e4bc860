import { expect } from "chai";
import { heldLease, type LeaseObject } from "./lease.ts";
import { Peers } from "./peers.ts";

let version = 0;
const renewed = (id: string, renewTime: string): LeaseObject => {
  const term = { identity: id, leaseDuration: 30_000, acquireTime: "a", transitions: 0 };
  const metadata = { namespace: "n", name: `g-${id}`, resourceVersion: String(++version) };
  const base = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata };
  return heldLease(base, term, renewTime);
};

describe("peers", () => {
  let peers: Peers;
  beforeEach(() => {
    peers = new Peers(30_000);
  });

  it("are those whose leases were heard of, however old the times in them are", () => {
    peers.hear(renewed("a", "1999-01-01T00:00:00Z"), 0);
    peers.hear(renewed("b", "2999-01-01T00:00:00Z"), 5);

    expect(peers.ids()).to.deep.equal(["a", "b"]);
    expect(peers.doubtful(29_999)).to.deep.equal([]);
    expect(peers.timeLeft(10_000)).to.equal(20_000);
  });

  it("become doubtful when their lease was not seen to change for its duration, and stay until that is confirmed", () => {
    peers.hear(renewed("a", "1"), 0);
    peers.hear(renewed("b", "1"), 0);
    peers.hear(renewed("b", "2"), 10_000);

    expect(peers.doubtful(30_000)).to.deep.equal([{ name: "g-a", id: "a" }]);
    expect(peers.ids()).to.deep.equal(["a", "b"]);

    peers.bury("g-a");

    expect(peers.ids()).to.deep.equal(["b"]);
    expect(peers.doubtful(30_000)).to.deep.equal([]);
    expect(peers.timeLeft(30_000)).to.equal(10_000);
  });

  it("are not brought back by the same record, told again by a list", () => {
    const lease = renewed("a", "1");
    peers.hear(lease, 0);
    peers.bury("g-a");

    peers.hear(lease, 40_000);

    expect(peers.ids()).to.deep.equal([]);
  });

  it("come back with a renewal", () => {
    peers.hear(renewed("a", "1"), 0);
    peers.bury("g-a");

    peers.hear(renewed("a", "2"), 40_000);

    expect(peers.ids()).to.deep.equal(["a"]);
    expect(peers.doubtful(69_999)).to.deep.equal([]);
  });

  it("live on when a read shows a renewal that the watch has not told", () => {
    peers.hear(renewed("a", "1"), 0);

    peers.see(renewed("a", "2"), 31_000, 30_500);

    expect(peers.doubtful(31_000)).to.deep.equal([]);
  });

  it("are only those of a list once it has ended", () => {
    peers.hear(renewed("a", "1"), 0);
    peers.hear(renewed("b", "1"), 0);

    peers.retain(new Set(["g-b"]));

    expect(peers.ids()).to.deep.equal(["b"]);
  });

  it("that released their lease are doubtful at once", () => {
    const lease = renewed("a", "1");

    peers.hear({ ...lease, spec: { ...lease.spec, holderIdentity: "" } }, 0);

    expect(peers.doubtful(0)).to.deep.equal([{ name: "g-a", id: "g-a" }]);
  });
});
