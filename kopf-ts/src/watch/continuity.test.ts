import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "@drover/env";
import { expect } from "chai";
import { apiVersionOf, defineKind } from "../kube/index.ts";
import { type Comparison, compareNewest, comparePast, type Sample } from "./continuity.ts";
import type { LastTold } from "./position.ts";
import { eventually, forms, startWatchTest, type WatchTest } from "./testing/harness.ts";

const last = (resourceVersion: string, deleted = false): LastTold => ({
  ...{ name: "a", namespace: "b", uid: "u" },
  ...{ resourceVersion, deleted },
});
const found = (resourceVersion: string, uid = "u") => ({ resourceVersion, uid });

/** What the server has now, compared with position 100. */
interface Row {
  readonly what: string;
  readonly told?: LastTold;
  readonly now?: string;
  readonly there?: Sample["found"];
  readonly expected: Comparison;
}

const rows: readonly Row[] = [
  { what: "a server that is not as far", now: "99", expected: "lost" },
  { what: "one with fewer digits", now: "9", there: found("1"), expected: "lost" },
  { what: "no revision", now: "", expected: "unknown" },
  { what: "revision 0", now: "0", told: last("90"), there: found("90"), expected: "unknown" },
  { what: "the same state", told: last("90"), there: found("90"), expected: "holds" },
  { what: "another object", told: last("90"), there: found("90", "v"), expected: "lost" },
  { what: "an older object", told: last("90"), there: found("80"), expected: "lost" },
  { what: "a later change", told: last("90"), there: found("110"), expected: "changed" },
  { what: "an object that is gone", told: last("90"), expected: "changed" },
  { what: "a deletion", told: last("90", true), expected: "changed" },
  { what: "one undone", told: last("90", true), there: found("80"), expected: "lost" },
  { what: "one made anew", told: last("90", true), there: found("115"), expected: "changed" },
  {
    what: "one that left a selection",
    told: last("9", true),
    there: found("9"),
    expected: "holds",
  },
  { what: "nothing, as before", expected: "holds" },
  { what: "the first object", there: found("101"), expected: "unknown" },
  { what: "one that should have been told", there: found("100"), expected: "lost" },
];

describe("compareNewest", () => {
  for (const { what, told, now = "120", there, expected } of rows) {
    it(`takes ${what} for ${expected}`, () => {
      const position = { resourceVersion: "100", last: told };

      const answer = compareNewest(position, { resourceVersion: now, found: there });

      expect(answer).to.equal(expected);
    });
  }
});

describe("comparePast", () => {
  for (const { what, told, sample, expected } of [
    { what: "as it was told", told: last("90"), sample: ["90", found("90")], expected: "holds" },
    { what: "another time", told: last("90"), sample: ["120", found("90")], expected: "unknown" },
    { what: "not there", told: last("90"), sample: ["90", undefined], expected: "lost" },
    { what: "older", told: last("90"), sample: ["90", found("80")], expected: "lost" },
    { what: "another", told: last("90"), sample: ["90", found("90", "v")], expected: "lost" },
    { what: "there before", told: last("91", true), sample: ["90", found("9")], expected: "holds" },
    { what: "never there", told: last("91", true), sample: ["90", undefined], expected: "lost" },
  ] as const) {
    it(`takes what was ${what} for ${expected}`, () => {
      const [resourceVersion, there] = sample;

      expect(comparePast(told, "90", { resourceVersion, found: there })).to.equal(expected);
    });
  }
});

const ClusterRoles = defineKind({
  ...{ group: "rbac.authorization.k8s.io", version: "v1" },
  ...{ plural: "clusterroles", kind: "ClusterRole", scope: "Cluster" },
});

it("asks for the object that was told last, whatever its name and whatever the watch selects", async () => {
  await using test = await startWatchTest();
  const typed = { apiVersion: apiVersionOf(ClusterRoles), kind: ClusterRoles.kind };
  const labels = { "drover.test/of": test.namespace };
  const name = `${test.namespace}:a,b=c\\d`;
  await test.direct.create({ ...typed, metadata: { name, labels } });
  const { sink } = await test.liveWatch({
    ...{ kind: ClusterRoles, namespace: undefined },
    labelSelector: `drover.test/of=${test.namespace}`,
  });
  await eventually(() => test.proxy.open() === 1);

  test.proxy.now({ kind: "cut" });
  await eventually(() => forms(test).includes("watch"));
  await test.direct.delete({ ...typed, metadata: { name } });
  await eventually(() => sink.objects.size === 0);

  expect(forms(test)).to.deep.equal(["watchList", "list", "watch"]);
  const asked = test.proxy.requests[1]?.query;
  expect(asked?.get("fieldSelector")).to.contain("\\,b\\=c\\\\d");
  expect(asked?.get("labelSelector")).to.equal(null);
});

/** Kills everything and puts back what etcd had when `copy` was made. */
async function restore(controlPlane: ControlPlane, copy: string): Promise<void> {
  const data = join(controlPlane.dir, "etcd");
  await controlPlane.killApiServer();
  await controlPlane.stopProcess("etcd", "SIGKILL");
  await rm(data, { recursive: true });
  await cp(copy, data, { recursive: true });
  await controlPlane.startProcess("etcd");
  await controlPlane.restartApiServer();
}

/** What etcd has now, as a folder. */
async function backup(controlPlane: ControlPlane): Promise<string> {
  const copy = join(controlPlane.dir, "backup");
  await controlPlane.killApiServer();
  await controlPlane.stopProcess("etcd");
  await cp(join(controlPlane.dir, "etcd"), copy, { recursive: true });
  await controlPlane.startProcess("etcd");
  await controlPlane.restartApiServer();
  return copy;
}

/** What happens after the backup, and is lost by it; how often the server is written to before the watch is back. */
interface Loss {
  readonly what: string;
  readonly lose: (test: WatchTest) => Promise<void>;
  readonly writes: number;
}

const losses: readonly Loss[] = [
  {
    what: "few changes, which the server has passed again by then",
    lose: async (test) => {
      await test.create("lost");
      await test.remove("deleted");
    },
    writes: 40,
  },
  {
    what: "many changes, which the server has not reached again",
    lose: async (test) => {
      for (let i = 0; i < 400; i++) await test.touch("kept", String(i));
      await test.create("lost");
      await test.remove("deleted");
    },
    writes: 0,
  },
  {
    what: "the making and removing of an object, as the last",
    lose: async (test) => {
      await test.touch("other", "lost");
      await test.create("lost");
      await test.remove("deleted");
      await test.create("passing");
      await test.remove("passing");
    },
    writes: 40,
  },
  {
    what: "a change of an object that changes all the time",
    lose: async (test) => {
      await test.create("lost");
      await test.remove("deleted");
      await test.touch("busy", "lost");
    },
    writes: 40,
  },
];

describe("Watch of an etcd that is put back from a backup", function () {
  this.timeout(180_000);

  for (const { what, lose, writes } of losses) {
    it(`comes to have what the server has after ${what}`, async () => {
      await using controlPlane = await startControlPlane({ controllerManager: false });
      await using test = await startWatchTest({ controlPlane, isBare: true });
      await test.create("kept", "deleted", "other", "busy", "noise");
      const copy = await backup(controlPlane);
      const { sink } = await test.liveWatch({ timing: { backoffMax: 500 } });
      await test.agrees(sink);
      await lose(test);
      await test.agrees(sink);

      await test.proxy.down();
      await restore(controlPlane, copy);
      for (let i = 1; i < writes; i++) await test.touch("noise", String(i)); // not what was told last, at the very same revision
      if (writes > 0) await test.touch("busy", "again");
      await test.proxy.up();

      await test.agrees(sink, { within: 30_000 });
      await test.live(sink);
      expect(sink.objects.has(`${test.namespace}/deleted`)).to.equal(true);
      expect(sink.objects.has(`${test.namespace}/lost`)).to.equal(false);
      expect(sink.reasons).to.include("Restored");
      await test.create("afterwards");
      await test.agrees(sink);
    });
  }

  it("does not take a server for another that was only restarted", async () => {
    await using controlPlane = await startControlPlane({ controllerManager: false });
    await using test = await startWatchTest({ controlPlane, isBare: true });
    await test.create("kept");
    const { sink } = await test.liveWatch({ timing: { backoffMax: 500 } });

    await controlPlane.restartApiServer("SIGKILL");
    await eventually(() => forms(test).filter((form) => form === "watch").length > 0, {
      within: 30_000,
    });
    await test.create("b");
    await test.agrees(sink, { within: 30_000 });

    expect(sink.reasons).to.not.include("Restored");
  });
});
