import { expect } from "chai";
import { ownerReference } from "../apply/index.ts";
import { eventually, fakeClock } from "../testing/index.ts";
import { type Controller, done, owned, requeueAfter } from "./index.ts";
import { ConfigMap, Widget, Workshop } from "./testing/widgets.ts";

/** A controller that notes which of its functions were called with which object. */
function witness(more: Partial<Controller<Widget>> = {}): {
  readonly controller: Controller<Widget>;
  readonly calls: string[];
} {
  const calls: string[] = [];
  const controller: Controller<Widget> = {
    name: "witness",
    watches: Widget,
    reconcile: async ({ metadata }) => {
      calls.push(`reconcile ${metadata.name}`);
      return done;
    },
    gone: async (key) => {
      calls.push(`gone ${key.split("/")[1]}`);
      return done;
    },
    ...more,
  };
  return { controller, calls };
}

describe("gone", function () {
  this.timeout(30_000);
  before(async function () {
    this.timeout(120_000);
    await using _ = await Workshop.open();
  });

  it("tells the end of an object", async () => {
    await using shop = await Workshop.open();
    const { controller, calls } = witness();
    const widget = await shop.client.create(shop.widget("w"));
    await using _running = await shop.run(controller);
    await eventually(() => calls.length === 1, { what: "the first run" });

    await shop.client.delete(widget);

    await eventually(() => calls.length === 2, { what: "the end" });
    expect(calls).to.deep.equal(["reconcile w", "gone w"]);
  });

  it("comes before the reconcile of an object that took the name", async () => {
    await using shop = await Workshop.open();
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const { controller, calls } = witness();
    const slow: Controller<Widget> = {
      ...controller,
      concurrency: 1,
      reconcile: async (widget, context) => {
        begun.resolve();
        await go.promise;
        return controller.reconcile(widget, context);
      },
    };
    const widget = await shop.client.create(shop.widget("w"));
    await using _running = await shop.run(slow);
    await begun.promise;

    await shop.client.delete(widget);
    const other = await shop.client.create(shop.widget("w"));
    const { cache } = shop.informers.acquire(Widget, { namespace: shop.namespace });
    await cache.waitFor(other.metadata.resourceVersion ?? "");
    go.resolve();

    await eventually(() => calls.length === 3, { what: "all calls" });
    expect(calls).to.deep.equal(["reconcile w", "gone w", "reconcile w"]);
  });

  it("is called again while it fails or asks for it", async () => {
    await using shop = await Workshop.open();
    const clock = fakeClock();
    let attempts = 0;
    const { controller, calls } = witness({
      gone: async () => {
        attempts += 1;
        if (attempts === 1) throw new Error("not yet");
        return attempts === 2 ? requeueAfter(1000) : done;
      },
    });
    const widget = await shop.client.create(shop.widget("w"));
    await using running = await shop.run(controller, { clock });
    await eventually(() => calls.length === 1, { what: "the first run" });
    await shop.client.delete(widget);
    await eventually(() => attempts === 1 && running.runner.delayed === 1, { what: "a failure" });

    await clock.advance(5);
    await eventually(() => attempts === 2 && running.runner.delayed === 1, { what: "a delay" });
    await clock.advance(1000);

    await eventually(() => attempts === 3 && running.runner.working === 0, { what: "the end" });
    expect(running.runner.delayed).to.equal(0);
  });

  it("tells of owners that no longer exist when the process starts", async () => {
    await using shop = await Workshop.open();
    const widget = await shop.client.create(shop.widget("w"));
    await shop.client.delete(widget);
    // Held, or the garbage collector would take it first.
    const child = await shop.client.create(
      shop.configMap(
        "child",
        {},
        {
          ownerReferences: [ownerReference(widget)],
          finalizers: ["example.com/held"],
        },
      ),
    );
    const { controller, calls } = witness({
      owns: [owned(ConfigMap, { select: { namespace: shop.namespace } })],
    });
    await using _running = await shop.run(controller);

    await eventually(() => calls.length > 0, { what: "the call" });

    expect(calls[0]).to.equal("gone w");
    await shop.client.patch(child, { merge: { metadata: { finalizers: null } } });
  });

  it("leaves no delayed run behind for an object that is deleted, declared or not", async () => {
    await using shop = await Workshop.open();
    let runs = 0;
    const widget = await shop.client.create(shop.widget("w"));
    await using running = await shop.run({
      name: "later",
      watches: Widget,
      reconcile: async () => {
        runs += 1;
        return requeueAfter(60 * 24 * 3600 * 1000);
      },
    });
    await eventually(() => running.runner.delayed === 1, { what: "the delayed run" });

    await shop.client.delete(widget);

    await eventually(() => running.runner.delayed === 0, { what: "an empty queue" });
    expect(runs).to.equal(1);
  });
});
