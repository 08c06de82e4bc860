import { Token } from "@drover/crds";
import { expect } from "chai";
import {
  defineKind,
  HealthChecks,
  type InformerReport,
  type Informers,
  type Logger,
  silentLogger,
} from "kopf-ts";
import { eventually, fakeClock } from "kopf-ts/testing";
import { missingCrds, tellMissingCrds } from "./missing-crds.ts";

const Widget = defineKind({
  group: "example.com",
  version: "v1",
  plural: "widgets",
  kind: "Widget",
  scope: "Cluster",
});
const stats = { objects: 0, bytes: 0, allocated: 0, cold: 0, columns: 0, orders: 0, malformed: 0 };
const report = (more: Partial<InformerReport> = {}): InformerReport => ({
  kind: Token,
  options: {},
  users: 1,
  synced: false,
  state: { phase: "degraded", reason: "NotFound", message: "not served" },
  stats,
  ...more,
});

describe("missingCrds", () => {
  for (const { name, more, expected } of [
    { name: "one of ours", more: {}, expected: ["tokens.management.cattle.io"] },
    { name: "a kind of others", more: { kind: Widget }, expected: [] },
    { name: "one that is being listed", more: { state: { phase: "listing" } }, expected: [] },
    {
      name: "one that may not be read",
      more: { state: { phase: "degraded", reason: "Forbidden", message: "no" } },
      expected: [],
    },
  ] satisfies readonly { name: string; more: Partial<InformerReport>; expected: string[] }[]) {
    it(`looks at ${name}`, () => expect(missingCrds([report(more)])).to.deep.equal(expected));
  }
});

describe("tellMissingCrds", () => {
  it("tells of them in the log once, and in /readyz until they have been there", async () => {
    const [clock, health] = [fakeClock(), new HealthChecks()];
    let reports = [report()];
    const informers = { report: () => reports } as unknown as Informers;
    const warned: unknown[] = [];
    const log: Logger = { ...silentLogger, warn: (...line) => void warned.push(line) };

    const telling = tellMissingCrds({ informers, health }, { clock, log });
    await clock.advance(5_000);
    const waiting = await health.unready();
    reports = [report({ synced: true })];
    const lostLater = await health.unready();
    telling[Symbol.dispose]();
    reports = [report()];

    expect(warned).to.deep.equal([
      ["CRDs are missing; run `drover crds`", { missing: "tokens.management.cattle.io" }],
    ]);
    expect(waiting).to.deep.equal(["crds: run `drover crds`: tokens.management.cattle.io missing"]);
    expect([lostLater, await health.unready()]).to.deep.equal([[], []]);
    await eventually(() => clock.pending === 0);
  });
});
