import { randomUUID } from "node:crypto";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "@drover/env";
import { expect } from "chai";
import { apiVersionOf, defineKind } from "../kube/index.ts";
import {
  type ConfigMap,
  eventually,
  forms,
  type RecordingSink,
  startWatchTest,
  type WatchTest,
} from "./testing/harness.ts";

const ClusterRoles = defineKind({
  ...{ group: "rbac.authorization.k8s.io", version: "v1" },
  ...{ plural: "clusterroles", kind: "ClusterRole", scope: "Cluster" },
});

it("asks for the object that was told last, whatever its name, within what the watch selects", async () => {
  await using test = await startWatchTest();
  const typed = { apiVersion: apiVersionOf(ClusterRoles), kind: ClusterRoles.kind };
  const labelSelector = `drover.test/of=${test.namespace}`;
  const labels = { "drover.test/of": test.namespace };
  const name = `${test.namespace}:a,b=c\\d`;
  await test.direct.create({ ...typed, metadata: { name, labels } });
  const { sink } = await test.liveWatch({
    ...{ kind: ClusterRoles, namespace: undefined },
    labelSelector,
  });
  await eventually(() => test.proxy.open() === 1);

  test.proxy.now({ kind: "cut" });
  await eventually(() => forms(test).includes("watch"));
  await test.direct.delete({ ...typed, metadata: { name } });
  await eventually(() => sink.objects.size === 0);

  expect(forms(test)).to.deep.equal(["watchList", "list", "watch"]);
  const asked = test.proxy.requests[1]?.query;
  expect(asked?.get("fieldSelector")).to.contain("\\,b\\=c\\\\d");
  expect(asked?.get("labelSelector")).to.equal(labelSelector);
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

/** Moves the server on by changes that a watch of the test's namespace does not see. */
async function writeElsewhere({ direct }: WatchTest, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const metadata = { name: `noise-${randomUUID()}`, namespace: "default" };
    await direct.create<ConfigMap>({ apiVersion: "v1", kind: "ConfigMap", metadata });
  }
}

/** What is done again after the restore, at a revision that the watch has passed or a later one, and never at that of the last change: that would be the same history. */
interface Again {
  readonly what: string;
  /** After the backup, before the watch begins. */
  readonly before?: (test: WatchTest) => Promise<void>;
  /** After it has begun: the last change is of the object `one`. */
  readonly lose?: (test: WatchTest, sink: RecordingSink) => Promise<void>;
  readonly again: (test: WatchTest) => Promise<void>;
  readonly options?: { readonly labelSelector: string };
}

const remove: Pick<Again, "lose"> = {
  lose: async (test, sink) => {
    await test.touch("other", "lost");
    await writeElsewhere(test, 20); // more than a server writes by itself when it starts
    await test.remove("one");
    await test.agrees(sink);
  },
};
const leave: Pick<Again, "lose" | "options"> = {
  lose: async (test, sink) => {
    await writeElsewhere(test, 20);
    await label(test, "one", "no");
    await eventually(() => sink.objects.size === 0);
  },
  options: { labelSelector: "selected=yes" },
};
const quiet: Pick<Again, "before"> = { before: (test) => writeElsewhere(test, 30) };

const repeats: readonly Again[] = [
  {
    what: "a removed object, the last, was lost and is removed again at an earlier revision",
    ...{ ...remove, again: (test) => test.remove("one") },
  },
  {
    what: "a removed object, the last, was lost and is removed again at a later revision",
    ...remove,
    again: async (test) => {
      await writeElsewhere(test, 40);
      await test.remove("one");
    },
  },
  {
    what: "a removed object, the last, came back and is changed",
    ...{ ...remove, again: (test) => test.touch("one") },
  },
  {
    what: "an object that had left the selection came back and is changed there",
    ...{ ...leave, again: (test) => test.touch("one") },
  },
  {
    what: "an object of a kind that was quiet is changed at a revision that the watch had passed",
    ...{ ...quiet, again: (test) => test.touch("one") },
  },
  {
    what: "an object of a kind that was quiet is removed at a revision that the watch had passed",
    ...{ ...quiet, again: (test) => test.remove("one") },
  },
];

async function label(test: WatchTest, name: string, selected: string): Promise<void> {
  await test.direct.patch(test.configMap(name), { merge: { metadata: { labels: { selected } } } });
}

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

  for (const { what, before, lose, again, options } of repeats) {
    it(`notices that ${what}`, async () => {
      await using controlPlane = await startControlPlane({ controllerManager: false });
      await using test = await startWatchTest({ controlPlane, isBare: true });
      await test.create("one", "other");
      await label(test, "one", "yes");
      const copy = await backup(controlPlane);
      await before?.(test);
      const { sink } = await test.liveWatch({ ...options, timing: { backoffMax: 500 } });
      await lose?.(test, sink);

      await test.proxy.down();
      await restore(controlPlane, copy);
      await again(test);
      await writeElsewhere(test, 60);
      await test.proxy.up();

      await test.agrees(sink, { within: 30_000, ...options });
      expect(sink.reasons).to.include("Restored");
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
