import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "@drover/env";
import { expect } from "chai";
import { apiVersionOf, defineKind } from "../kube/index.ts";
import { compare } from "./continuity.ts";
import type { LastTold } from "./position.ts";
import { eventually, forms, startWatchTest, type WatchTest } from "./testing/harness.ts";

const last = (resourceVersion: string, deleted = false): LastTold => ({
  ...{ name: "a", namespace: "b" },
  ...{ resourceVersion, deleted },
});

describe("compare", () => {
  for (const { what, told = undefined, resourceVersion, found = undefined, expected } of [
    { what: "a server that is not as far", resourceVersion: "99", expected: "lost" },
    { what: "one with fewer digits", resourceVersion: "9", found: "1", expected: "lost" },
    {
      what: "the same state",
      told: last("90"),
      resourceVersion: "100",
      found: "90",
      expected: "holds",
    },
    {
      what: "a later change",
      told: last("90"),
      resourceVersion: "120",
      found: "110",
      expected: "holds",
    },
    {
      what: "an older object",
      told: last("90"),
      resourceVersion: "120",
      found: "80",
      expected: "lost",
    },
    {
      what: "an object that is gone",
      told: last("90"),
      resourceVersion: "120",
      expected: "unknown",
    },
    { what: "a deletion", told: last("90", true), resourceVersion: "120", expected: "holds" },
    {
      what: "a deletion that was undone",
      told: last("90", true),
      resourceVersion: "120",
      found: "80",
      expected: "lost",
    },
    {
      what: "an object made anew",
      told: last("90", true),
      resourceVersion: "120",
      found: "115",
      expected: "holds",
    },
    { what: "nothing, as before", resourceVersion: "120", expected: "holds" },
    { what: "the first object", resourceVersion: "120", found: "101", expected: "holds" },
    {
      what: "an object that should have been told",
      resourceVersion: "120",
      found: "100",
      expected: "lost",
    },
  ]) {
    it(`takes ${what} for ${expected}`, () => {
      const position = { resourceVersion: "100", last: told };

      expect(compare(position, { resourceVersion, found })).to.equal(expected);
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

/** Grows the server's revision by more than starting it does. */
async function churn(test: WatchTest, changes: number): Promise<void> {
  for (let i = 0; i < changes; i++) await test.touch("kept", String(i));
}

describe("Watch of an etcd that is put back from a backup", function () {
  this.timeout(180_000);

  for (const { what, changes } of [
    { what: "few changes, which the server has passed again by then", changes: 0 },
    { what: "many changes, which the server has not reached again", changes: 400 },
  ]) {
    it(`comes to have what the server has after ${what}`, async () => {
      await using controlPlane = await startControlPlane();
      await using test = await startWatchTest({ controlPlane });
      await test.create("kept", "deleted");
      const copy = await backup(controlPlane);
      const { sink } = await test.liveWatch({ timing: { backoffMax: 500 } });
      await test.agrees(sink);
      await churn(test, changes);
      await test.create("lost");
      await test.remove("deleted");
      await test.agrees(sink);

      await restore(controlPlane, copy);

      await test.agrees(sink, { within: 30_000 });
      await test.live(sink);
      expect(sink.objects.has(`${test.namespace}/deleted`)).to.equal(true);
      expect(sink.objects.has(`${test.namespace}/lost`)).to.equal(false);
      expect(sink.reasons).to.include("Restored");
      await test.create("afterwards");
      await test.agrees(sink);
    });
  }

  it("goes on where it was when nothing was lost", async () => {
    await using controlPlane = await startControlPlane();
    await using test = await startWatchTest({ controlPlane });
    await test.create("kept");
    const { sink } = await test.liveWatch({ timing: { backoffMax: 500 } });

    await controlPlane.restartApiServer("SIGKILL");
    await eventually(() => forms(test).filter((form) => form === "watch").length > 0, {
      within: 30_000,
    });
    await test.create("b");
    await test.agrees(sink, { within: 30_000 });

    expect(sink.lists).to.equal(1);
    expect(sink.reasons).to.not.include("Restored");
  });
});
