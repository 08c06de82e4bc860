import { createHash } from "node:crypto";
import { expect } from "chai";
import { legacyOwner, rendezvousOwner } from "./ownership.ts";

const uids = ["cluster-abc", "cluster-def", "cluster-ghi", "cluster-jkl", "cluster-mno"];
/** Uids as Kubernetes makes them, the same ones in each run. */
const many = Array.from({ length: 3000 }, (_, index) => {
  const hex = createHash("sha256").update(String(index)).digest("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join("-");
});
const [three, two] = [
  ["peerA", "peerB", "peerC"],
  ["peerA", "peerB"],
];

/** Clusters that have another owner without peerC, and whether they were peerC's. */
function moves(owner: typeof rendezvousOwner): readonly { readonly former: string | undefined }[] {
  return many
    .map((uid) => ({ former: owner(three, uid), next: owner(two, uid) }))
    .filter(({ former, next }) => former !== next);
}

describe("the owner of a cluster", () => {
  it("case 15: is the same on every replica, by either hash", () => {
    const peers = ["A", "B", "C"];

    expect(uids.map((uid) => legacyOwner(peers, uid))).to.deep.equal(["C", "B", "C", "C", "A"]);
    expect(uids.map((uid) => rendezvousOwner(three, uid)?.replace("peer", ""))).to.deep.equal([
      "B",
      "B",
      "B",
      "C",
      "B",
    ]);
  });

  it("does not depend on the order in which members are known, nor on hearing of one twice", () => {
    for (const owner of [legacyOwner, rendezvousOwner]) {
      const shuffled = ["peerC", "peerA", "peerB", "peerA"];
      expect(many.map((uid) => owner(shuffled, uid))).to.deep.equal(
        many.map((uid) => owner(three, uid)),
      );
    }
  });

  it("is the only member, and nobody without members", () => {
    for (const owner of [legacyOwner, rendezvousOwner]) {
      expect(owner(["a"], "x")).to.equal("a");
      expect(owner([], "x")).to.equal(undefined);
    }
  });

  it("is spread evenly", () => {
    for (const owner of [legacyOwner, rendezvousOwner]) {
      for (const member of three) {
        const owned = many.filter((uid) => owner(three, uid) === member).length;
        expect(owned, `${owner.name} ${member}`).to.be.within(900, 1100);
      }
    }
  });

  it("case 17: moves only the clusters of a member that goes, about a third; with the legacy hash about half move", () => {
    const moved = moves(rendezvousOwner);

    expect(moved.every(({ former }) => former === "peerC")).to.equal(true);
    expect(moved.length / many.length).to.be.within(0.28, 0.39);
    expect(moves(legacyOwner).length / many.length).to.be.within(0.45, 0.55);
  });

  it("is within the range for a hash of all ones", () => {
    expect(legacyOwner(["a", "b"], "\xff\xff")).to.be.oneOf(["a", "b"]);
  });
});
