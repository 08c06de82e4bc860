import { expect } from "chai";
import { systemClock } from "../base/index.ts";
import { isInvalid, refTo } from "../kube/index.ts";
import { eventually } from "../testing/index.ts";
import {
  addFinalizer,
  type Controller,
  done,
  Outdated,
  removeFinalizer,
  requeueAfter,
  requeueAt,
} from "./index.ts";
import { hold } from "./own-finalizer.ts";
import { recordedLog, Widget, Workshop } from "./testing/widgets.ts";

const ours = "kopf-ts.dev/keeper";

/** A controller with a finalizer, and the order of its calls. */
function keeper(more: Partial<Controller<Widget>> = {}): {
  readonly controller: Controller<Widget>;
  readonly calls: string[];
} {
  const calls: string[] = [];
  const controller: Controller<Widget> = {
    name: "keeper",
    watches: Widget,
    reconcile: async ({ metadata }) => {
      calls.push(`reconcile ${metadata.finalizers?.join()}`);
      return done;
    },
    finalize: async ({ metadata }) => {
      calls.push(`finalize ${metadata.finalizers?.join()}`);
      return done;
    },
    ...more,
  };
  return { controller, calls };
}

describe("finalizers", function () {
  this.timeout(30_000);
  before(async function () {
    this.timeout(120_000);
    await using _ = await Workshop.open();
  });

  it("are there before the first reconcile and gone after finalize", async () => {
    await using shop = await Workshop.open();
    const { controller, calls } = keeper();
    await shop.client.create(shop.widget("w"));
    await using running = await shop.run(controller);
    await eventually(() => calls.length > 0, { what: "the first run" });

    await shop.client.delete(refTo(Widget, "w", shop.namespace));

    await eventually(async () => (await find(shop, "w")) === undefined, { what: "the end of it" });
    await eventually(() => running.runner.working === 0, { what: "the end of the run" });
    expect(new Set(calls)).to.deep.equal(new Set([`reconcile ${ours}`, `finalize ${ours}`]));
    expect(calls.filter((call) => call.startsWith("finalize"))).to.have.length(1);
  });

  it("of others stay, and hold the object up without further calls", async () => {
    await using shop = await Workshop.open();
    const { controller, calls } = keeper();
    const others = ["example.com/a", "example.com/b"];
    const widget = await shop.client.create(shop.widget("w", {}, { finalizers: others }));
    await using _running = await shop.run(controller);
    await shop.widgetWhich("w", ({ metadata }) => metadata.finalizers?.length === 3, "ours");

    await shop.client.delete(refTo(Widget, "w", shop.namespace));

    const after = await shop.widgetWhich(
      "w",
      ({ metadata }) => metadata.finalizers?.length === 2,
      "ours gone",
    );
    expect(after.metadata.finalizers).to.deep.equal(others);
    await shop.client.patch(widget, { merge: { metadata: { labels: { touched: "yes" } } } });
    await shop.client.patch(widget, { merge: { metadata: { finalizers: null } } });
    await eventually(async () => (await find(shop, "w")) === undefined, { what: "the end of it" });
    expect(calls.filter((call) => call.startsWith("finalize"))).to.have.length(1);
  });

  it("are not added to an object that is being deleted", async () => {
    await using shop = await Workshop.open();
    const { controller, calls } = keeper();
    const held = shop.widget("w", {}, { finalizers: ["example.com/held"] });
    const widget = await shop.client.create(held);
    await shop.client.delete(refTo(Widget, "w", shop.namespace));
    await shop.client.create(shop.widget("other"));
    await using _running = await shop.run({ ...controller, concurrency: 1 });

    await eventually(() => calls.length > 0, { what: "the run of the other" });

    expect((await find(shop, "w"))?.metadata.finalizers).to.deep.equal(["example.com/held"]);
    await shop.client.patch(widget, { merge: { metadata: { finalizers: null } } });
  });

  it("stay until finalize no longer asks to be called again", async () => {
    await using shop = await Workshop.open();
    let left = 3;
    const { controller } = keeper({
      finalizer: "example.com/own-name",
      finalize: async () => [done, requeueAfter(1), requeueAt(Date.now() + 1)][--left] ?? done,
    });
    await shop.client.create(shop.widget("w"));
    await using _running = await shop.run(controller);
    await shop.widgetWhich(
      "w",
      ({ metadata }) => metadata.finalizers?.includes("example.com/own-name") === true,
      "the finalizer",
    );

    await shop.client.delete(refTo(Widget, "w", shop.namespace));

    await eventually(async () => (await find(shop, "w")) === undefined, { what: "the end of it" });
    expect(left).to.equal(0);
  });

  it("survive a process that dies in finalize: the next one finalizes", async () => {
    await using shop = await Workshop.open();
    await shop.client.create(shop.widget("w"));
    const begun = Promise.withResolvers<void>();
    const dying = keeper({
      finalize: async (_, { signal }) => {
        begun.resolve();
        return new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        });
      },
    });
    const first = await shop.run(dying.controller);
    await shop.widgetWhich(
      "w",
      ({ metadata }) => metadata.finalizers !== undefined,
      "the finalizer",
    );
    await shop.client.delete(refTo(Widget, "w", shop.namespace));
    await begun.promise;
    await first.stop();
    expect((await find(shop, "w"))?.metadata.finalizers).to.deep.equal([ours]);

    const { controller, calls } = keeper();
    await using _second = await shop.run(controller);

    await eventually(async () => (await find(shop, "w")) === undefined, { what: "the end of it" });
    expect(calls).to.deep.equal([`finalize ${ours}`]);
  });

  it("survive a process that dies between finalize and the removal: finalize is called again", async () => {
    await using shop = await Workshop.open();
    await shop.client.create(shop.widget("w"));
    const first = keeper();
    let writes = 0;
    // Refuses the second write, which is the removal: from then on nothing this process does counts.
    const fence = (): void => {
      writes += 1;
      if (writes === 2) throw new Error("killed");
    };
    const { controller } = first;
    const dying = await shop.run(
      { ...controller, backoff: { min: 60_000, max: 60_000 } },
      { fence },
    );
    await shop.widgetWhich(
      "w",
      ({ metadata }) => metadata.finalizers !== undefined,
      "the finalizer",
    );
    await shop.client.delete(refTo(Widget, "w", shop.namespace));
    await eventually(() => writes === 2, { what: "the attempt to remove it" });
    await dying.stop();
    expect(first.calls).to.include(`finalize ${ours}`);
    expect((await find(shop, "w"))?.metadata.finalizers).to.deep.equal([ours]);

    const second = keeper();
    await using _running = await shop.run(second.controller);

    await eventually(async () => (await find(shop, "w")) === undefined, { what: "the end of it" });
    expect(second.calls).to.deep.equal([`finalize ${ours}`]);
  });

  it("of a dozen controllers on one object: each is called once, and none complains", async () => {
    await using shop = await Workshop.open();
    const { log, lines } = recordedLog();
    const calls: string[] = [];
    const names = Array.from({ length: 12 }, (_, number) => `keeper-${number}`);
    await using stack = new AsyncDisposableStack();
    const running = await Promise.all(
      names.map(async (name) => {
        const finalize = async () => {
          calls.push(name);
          return done;
        };
        const { controller } = keeper({ name, finalize });
        return stack.use(await shop.run(controller, { logger: log }));
      }),
    );

    await shop.client.create(shop.widget("w"));
    const count = names.length;
    await shop.widgetWhich("w", ({ metadata }) => metadata.finalizers?.length === count, "all");
    await shop.client.delete(refTo(Widget, "w", shop.namespace));
    await eventually(async () => (await find(shop, "w")) === undefined, { what: "the end of it" });
    await eventually(() => running.every(({ runner }) => runner.working + runner.waiting === 0));

    expect(calls.toSorted()).to.deep.equal(names.toSorted());
    expect(lines.filter(({ level }) => level !== "info")).to.deep.equal([]);
  });

  it("are removed later where that failed, without another call of finalize", async () => {
    await using shop = await Workshop.open();
    const { controller, calls } = keeper({ backoff: { min: 1, max: 1 } });
    let writes = 0;
    const fence = (): void => {
      writes += 1;
      if (writes >= 2 && writes < 5) throw new Error("no write now");
    };
    await shop.client.create(shop.widget("w"));
    await using _running = await shop.run(controller, { fence });
    await shop.widgetWhich("w", ({ metadata }) => metadata.finalizers !== undefined, "ours");

    await shop.client.delete(refTo(Widget, "w", shop.namespace));

    await eventually(async () => (await find(shop, "w")) === undefined, { what: "the end of it" });
    expect(writes).to.equal(5);
    expect(calls.filter((call) => call.startsWith("finalize"))).to.have.length(1);
  });

  it("are asked for anew by another object of the name", async () => {
    await using shop = await Workshop.open();
    const { controller, calls } = keeper();
    await using _running = await shop.run(controller);

    for (const round of [1, 2]) {
      await shop.client.create(shop.widget("w"));
      await shop.widgetWhich("w", ({ metadata }) => metadata.finalizers !== undefined, "ours");
      await shop.client.delete(refTo(Widget, "w", shop.namespace));
      await eventually(async () => (await find(shop, "w")) === undefined, {
        what: "the end of it",
      });
      expect(calls.filter((call) => call.startsWith("finalize"))).to.have.length(round);
    }
  });

  describe("on the server", () => {
    it("are added only to the object that the cache shows", async () => {
      await using shop = await Workshop.open();
      const old = await shop.client.create(shop.widget("w"));
      await shop.client.delete(old);
      await shop.client.create(shop.widget("w"));

      const thrown = await addFinalizer(shop.client, old, ours).catch((error: unknown) => error);

      expect(thrown).to.be.instanceOf(Outdated);
      expect((await find(shop, "w"))?.metadata.finalizers).to.equal(undefined);
    });

    it("are not added to an object whose deletion the cache does not show yet", async () => {
      await using shop = await Workshop.open();
      const held = shop.widget("w", {}, { finalizers: ["example.com/held"] });
      const old = await shop.client.create(held);
      await shop.client.delete(old);
      const context = {
        client: shop.client,
        clock: systemClock,
        signal: AbortSignal.timeout(5_000),
      };

      const thrown = await addFinalizer(shop.client, old, ours).catch((error: unknown) => error);
      const holding = await hold(old, { kind: Widget, finalizer: ours, context });

      expect(thrown).to.be.instanceOf(Outdated);
      expect(holding).to.equal(undefined);
      await shop.client.patch(held, { merge: { metadata: { finalizers: null } } });
    });

    it("are refused, and not outdated, when the server finds them invalid", async () => {
      await using shop = await Workshop.open();
      const widget = await shop.client.create(shop.widget("w"));

      const thrown = await addFinalizer(shop.client, widget, "not valid/at all").catch(
        (error: unknown) => error,
      );

      expect(thrown).to.satisfy(isInvalid);
      expect(String(thrown)).to.contain("metadata.finalizers");
    });

    it("are not added over one that came meanwhile", async () => {
      await using shop = await Workshop.open();
      const old = await shop.client.create(shop.widget("w"));
      const theirs = { metadata: { finalizers: ["example.com/theirs"] } };
      const widget = await shop.client.patch(old, { merge: theirs });

      const thrown = await addFinalizer(shop.client, old, ours).catch((error: unknown) => error);
      const added = await addFinalizer(shop.client, widget, ours);

      expect(thrown).to.be.instanceOf(Outdated);
      expect(added?.metadata.finalizers).to.deep.equal(["example.com/theirs", ours]);
      await shop.client.patch(widget, { merge: { metadata: { finalizers: null } } });
    });

    it("are not removed from another place than ours", async () => {
      await using shop = await Workshop.open();
      const old = await shop.client.create(shop.widget("w", {}, { finalizers: [ours] }));
      const moved = { metadata: { finalizers: ["example.com/theirs", ours] } };
      const widget = await shop.client.patch(old, { merge: moved });

      const thrown = await removeFinalizer(shop.client, old, ours).catch((error: unknown) => error);
      await removeFinalizer(shop.client, widget, ours);

      expect(thrown).to.be.instanceOf(Outdated);
      expect((await find(shop, "w"))?.metadata.finalizers).to.deep.equal(["example.com/theirs"]);
      await shop.client.patch(widget, { merge: { metadata: { finalizers: null } } });
    });

    it("may find the object gone", async () => {
      await using shop = await Workshop.open();
      const old = await shop.client.create(shop.widget("w"));
      await shop.client.delete(old);

      expect(await addFinalizer(shop.client, old, ours)).to.equal(undefined);
      await removeFinalizer(shop.client, old, ours);
    });
  });
});

function find(shop: Workshop, name: string): Promise<Widget | undefined> {
  return shop.client.find(Widget, name, { namespace: shop.namespace });
}
