import { expect } from "chai";
import { type Piece, pieceOf } from "./piece.ts";
import { allTypes, pods } from "./testing.test.support.ts";

const time = "2026-01-01T00:00:00Z";
const parts = {
  ...{ type: pods, types: allTypes, now: Date.parse(time) },
  ...{ ofCache: true, withoutManagedFields: false, withRelease: false },
};

describe("pieceOf", () => {
  it("keeps less of a Pod than it says", () => {
    const objects = Array.from({ length: 5000 }, (_, index) => podOf(index));
    const piecesOf = (): readonly Piece[] => objects.map((bytes) => pieceOf(bytes, parts));
    piecesOf(); // so that what is compiled is there
    const before = inUse();
    const pieces = piecesOf();
    const each = (inUse() - before) / pieces.length;

    const size = pieces[0]?.size ?? 0;
    expect(each).to.be.within(500, size); // 1,200 to 2,100 bytes; 3,000 with a buffer for each condition
  });
});

function podOf(index: number): Buffer {
  const conditions = ["Ready", "Initialized", "ContainersReady", "PodScheduled"].map((type) => ({
    ...{ type, status: "True", lastTransitionTime: time },
  }));
  const metadata = { name: `pod-${index}`, namespace: "ns", creationTimestamp: time };
  const status = { phase: "Running", podIP: `10.0.0.${index}`, conditions };
  const spec = { nodeName: `node-${index}`, containers: [{ name: "a", image: "b" }] };
  return Buffer.from(JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata, spec, status }));
}

function inUse(): number {
  globalThis.gc?.();
  globalThis.gc?.(); // what the first one found free for others
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
