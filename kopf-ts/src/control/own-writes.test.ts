import { expect } from "chai";
import { systemClock } from "../base/index.ts";
import { type Client, refTo } from "../kube/index.ts";
import { eventually, fakeClock } from "../testing/index.ts";
import { type Controller, ControllerRunner, done, owned, requeueAfter } from "./index.ts";
import { OwnWrites } from "./own-writes.ts";
import { Widget as AnyWidget, Fed, noClient } from "./testing/fed.ts";
import { ConfigMap, recordedLog, Widget, Workshop } from "./testing/widgets.ts";

/** Adds one to the size in its status with each run, until that is `most`; notes what it saw. */
function counter(most: number): {
  readonly controller: Controller<Widget>;
  readonly seen: number[];
} {
  const seen: number[] = [];
  const controller: Controller<Widget> = {
    name: "counter",
    watches: Widget,
    reconcile: async (widget, { client }) => {
      const size = widget.status?.size ?? 0;
      seen.push(size);
      if (size >= most) return done;
      const status = { size: size + 1 };
      await client.patch(widget, { merge: { status } }, { subresource: "status" });
      return requeueAfter(0);
    },
  };
  return { controller, seen };
}

describe("OwnWrites", () => {
  it("tell apart equal versions of two servers", () => {
    const writes = new OwnWrites();

    writes.wrote("7", [], "hub ");
    writes.wrote("8", []);

    expect(["hub 7", "7", "8", "hub 8"].map((version) => writes.has(version))).to.deep.equal([
      true,
      false,
      true,
      false,
    ]);
  });
});

describe("own writes", function () {
  this.timeout(30_000);
  before(async function () {
    this.timeout(120_000);
    await using _ = await Workshop.open();
  });

  it("are seen by the next run of the key, however fast it comes", async () => {
    await using shop = await Workshop.open();
    await shop.client.create(shop.widget("w"));
    const { controller, seen } = counter(30);
    await using _running = await shop.run(controller);

    await shop.widgetWhich("w", ({ status }) => status?.size === 30, "the last count");
    await eventually(() => seen.at(-1) === 30, { what: "the last run" });

    // A run on a stale cache would count the same number twice.
    expect([...new Set(seen)]).to.have.length(31);
    expect(seen.filter((size) => size < 30)).to.have.length(30);
  });

  it("lock the key while the cache does not show them, and nothing else", async () => {
    await using shop = await Workshop.open();
    await shop.client.create(shop.widget("w"));
    const { controller, seen } = counter(2);
    const held = { ...controller, concurrency: 1 };
    const runner = shop.runner(held);
    const abort = new AbortController();
    await runner.warm(abort.signal);
    shop.proxy.now({ kind: "stall" });
    const running = runner.start(abort.signal);
    await shop.widgetWhich("w", ({ status }) => status?.size === 1, "the first write");

    await systemClock.sleep(100);
    expect(seen).to.deep.equal([0]);
    expect(runner.working).to.equal(1);

    await shop.proxy.down();
    await shop.proxy.up();
    await eventually(() => seen.length >= 3, { what: "the other runs" });
    expect(seen.slice(0, 3)).to.deep.equal([0, 1, 2]);
    abort.abort();
    await running;
  });

  it("are waited for no longer than 5 s", async () => {
    const clock = fakeClock();
    await using shop = await Workshop.open({ clock });
    await shop.client.create(shop.widget("w"));
    const { log, lines } = recordedLog();
    let runs = 0;
    const blind: Controller<Widget> = {
      name: "blind",
      watches: Widget,
      reconcile: async (widget, { client }) => {
        runs += 1;
        await client.patch(widget, { merge: { metadata: { annotations: { runs: `${runs}` } } } });
        await client.delete(refTo(Widget, "not-there", shop.namespace));
        return runs === 1 ? requeueAfter(0) : done;
      },
    };
    const runner = shop.runner(blind, { clock, logger: log });
    const abort = new AbortController();
    await runner.warm(abort.signal);
    shop.proxy.now({ kind: "stall" });
    const running = runner.start(abort.signal);
    await eventually(() => runs === 1 && runner.working === 1, { what: "the first run" });

    const began = clock.monotonic();
    const second = async (): Promise<boolean> => {
      if (runs === 1) await clock.advance(250);
      return runs === 2;
    };
    await eventually(second, { what: "the second run" });

    expect(clock.monotonic() - began).to.be.at.least(5000);
    expect(lines.map(({ message }) => message)).to.include(
      "the cache does not show an own write; going on without",
    );
    abort.abort();
    await running;
  });

  it("outside of what the controller watches are not waited for", async () => {
    await using shop = await Workshop.open();
    await shop.client.create(shop.widget("w"));
    let runs = 0;
    const narrow: Controller<Widget> = {
      name: "narrow",
      watches: Widget,
      owns: [
        owned(ConfigMap, {
          select: { namespace: shop.namespace, labelSelector: "watched in (yes)" },
        }),
      ],
      reconcile: async (_, { client }) => {
        runs += 1;
        const child = shop.configMap("child", { runs: `${runs}` }, { labels: { watched: "no" } });
        await client.apply(child, { fieldManager: "narrow" });
        return runs < 5 ? requeueAfter(0) : done;
      },
    };
    await using running = await shop.run(narrow);

    await eventually(() => runs === 5 && running.runner.working === 0, { what: "five runs" });
  });

  it("that delete are waited for", async () => {
    await using shop = await Workshop.open();
    await shop.client.create(shop.widget("w"));
    await shop.client.create(shop.configMap("child"));
    const found: boolean[] = [];
    const deleter: Controller<Widget> = {
      name: "deleter",
      watches: Widget,
      owns: [owned(ConfigMap, { select: { namespace: shop.namespace } })],
      reconcile: async (_, { client, cache }) => {
        const key = `${shop.namespace}/child`;
        found.push(cache(ConfigMap).has(key));
        if (found.length > 1) return done;
        await client.delete(refTo(ConfigMap, "child", shop.namespace));
        return requeueAfter(0);
      },
    };
    await using _running = await shop.run(deleter);

    await eventually(() => found.length === 2, { what: "the second run" });

    expect(found).to.deep.equal([true, false]);
  });

  it("that delete hold nothing up when the watch was faster than the answer", async () => {
    const fed = new Fed();
    fed.list(["w", "other"]);
    const client: Client = { ...noClient, delete: async () => fed.delete("other") };
    let runs = 0;
    const deleter: Controller = {
      name: "deleter",
      watches: AnyWidget,
      reconcile: async ({ metadata }, context) => {
        if (metadata.name !== "w") return done;
        runs += 1;
        if (runs > 1) return done;
        await context.client.delete(refTo(AnyWidget, "other"));
        return requeueAfter(0);
      },
    };
    const runner = new ControllerRunner(deleter, { client, informers: fed.informers });
    const stop = new AbortController();
    const running = runner.start(stop.signal);

    await eventually(() => runs === 2, { what: "the second run" });

    stop.abort();
    await running;
  });

  it("do not cut the back-off short after a failure, changes by others do", async () => {
    await using shop = await Workshop.open();
    const widget = await shop.client.create(shop.widget("w"));
    const clock = fakeClock();
    let runs = 0;
    const failing: Controller<Widget> = {
      name: "failing",
      watches: Widget,
      backoff: { min: 60_000, max: 60_000 },
      reconcile: async (own, { client }) => {
        runs += 1;
        const note = `attempt ${runs}`;
        await client.patch(own, { merge: { status: { note } } }, { subresource: "status" });
        throw new Error("not yet");
      },
    };
    await using running = await shop.run(failing, { clock });
    const { runner } = running;
    await eventually(() => runs === 1 && runner.delayed === 1, { what: "the first failure" });
    await systemClock.sleep(50);
    expect(runs).to.equal(1);

    await shop.client.patch(widget, { merge: { spec: { size: 1 } } });
    await eventually(() => runs === 2 && runner.delayed === 1, { what: "the run for the change" });

    await clock.advance(60_000);
    await eventually(() => runs === 3, { what: "the run after the back-off" });
  });
});
