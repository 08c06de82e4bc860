import { expect } from "chai";
import type { InformerReport } from "../cache/index.ts";
import { defineKind } from "../kube/index.ts";
import { missingCaches } from "./caches.ts";

const kind = defineKind({
  group: "example.com",
  version: "v1",
  plural: "widgets",
  kind: "Widget",
  scope: "Cluster",
});
const stats = {
  objects: 0,
  bytes: 0,
  allocated: 0,
  cold: 0,
  columns: 0,
  orders: 0,
  malformed: 0,
  total: 0,
};

describe("missingCaches", () => {
  const states: readonly {
    readonly synced: boolean;
    readonly state: InformerReport["state"];
    readonly expected: Readonly<Record<string, string>>;
  }[] = [
    { synced: true, state: { phase: "live" }, expected: {} },
    {
      synced: true,
      state: { phase: "degraded", reason: "Unreachable", message: "m" },
      expected: {},
    },
    {
      synced: false,
      state: { phase: "listing" },
      expected: { "widgets.example.com": "the first list is not complete" },
    },
    {
      synced: false,
      state: { phase: "degraded", reason: "NotFound", message: "no such resource" },
      expected: { "widgets.example.com": "NotFound: no such resource" },
    },
  ];
  for (const { synced, state, expected } of states) {
    it(`${synced ? "synced" : "not synced"}, ${state.phase}: ${JSON.stringify(expected)}`, () => {
      const report = { kind, options: {}, users: 1, synced, state, stats };

      expect(Object.fromEntries(missingCaches([report]))).to.deep.equal(expected);
    });
  }
});
