import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { ownerReference } from "../apply/index.ts";
import { type KubeObject, keyOf, type OwnerReference, refTo } from "../kube/index.ts";
import { Metrics } from "../observe/index.ts";
import { eventually, fakeClock } from "../testing/index.ts";
import {
  type Controller,
  done,
  generationChanged,
  onUpdate,
  owned,
  related,
  requeueAfter,
} from "./index.ts";
import { ConfigMap, recordedLog, Team, Widget, Workshop } from "./testing/widgets.ts";

/** Tells the size that is asked for. */
const sizer: Controller<Widget> = {
  name: "sizer",
  watches: Widget,
  reconcile: async (widget, { client }) => {
    const size = widget.spec?.size ?? 0;
    if (widget.status?.size === size) return done;
    await client.patch(widget, { merge: { status: { size } } }, { subresource: "status" });
    return done;
  },
};

/** A controller that notes the keys of its runs. */
function noting(more: Partial<Controller<Widget>> = {}): {
  readonly controller: Controller<Widget>;
  readonly keys: string[];
} {
  const keys: string[] = [];
  const reconcile: Controller<Widget>["reconcile"] = async (_, { key }) => {
    keys.push(key);
    return done;
  };
  return { controller: { name: "noting", watches: Widget, reconcile, ...more }, keys };
}

function controlledBy(owner: KubeObject): { readonly ownerReferences: readonly OwnerReference[] } {
  return { ownerReferences: [ownerReference(owner)] };
}

describe("a controller on an API server", function () {
  this.timeout(30_000);
  before(async function () {
    this.timeout(120_000);
    await using _ = await Workshop.open();
  });

  describe("runs the key of", () => {
    it("an object that was there and of one that comes", async () => {
      await using shop = await Workshop.open();
      await shop.client.create(shop.widget("early", { size: 1 }));
      await using _running = await shop.run(sizer);

      await shop.client.create(shop.widget("late", { size: 2 }));

      await shop.widgetWhich("early", ({ status }) => status?.size === 1, "status of the first");
      await shop.widgetWhich("late", ({ status }) => status?.size === 2, "status of the second");
    });

    it("an object that changed, and never with an older state than the last", async () => {
      await using shop = await Workshop.open();
      const created = await shop.client.create(shop.widget("w", { size: 1 }));
      await using _running = await shop.run(sizer);

      for (let size = 2; size <= 20; size += 1) {
        await shop.client.patch(created, { merge: { spec: { size } } });
      }

      await shop.widgetWhich("w", ({ status }) => status?.size === 20, "the last size");
    });

    it("the owner of an object that is deleted", async () => {
      await using shop = await Workshop.open();
      const keeper: Controller<Widget> = {
        name: "keeper",
        watches: Widget,
        owns: [ConfigMap],
        reconcile: async (widget, { client }) => {
          const child = shop.configMap(widget.metadata.name, {}, controlledBy(widget));
          await client.apply(child, { fieldManager: "keeper" });
          return done;
        },
      };
      await shop.client.create(shop.widget("w"));
      await using _running = await shop.run(keeper);
      const find = () => shop.client.find(ConfigMap, "w", { namespace: shop.namespace });
      const child = await eventually(find, { what: "the child" });

      await shop.client.delete(child);

      await eventually(async () => (await find())?.metadata.uid !== child.metadata.uid, {
        what: "a child made anew",
      });
    });

    it("an owner outside of namespaces", async () => {
      await using shop = await Workshop.open();
      const team = await shop.client.create(shop.team());
      const keys: string[] = [];
      const controller: Controller<Widget> = {
        name: "teams",
        watches: Team,
        select: { fieldSelector: `metadata.name=${team.metadata.name}` },
        owns: [owned(ConfigMap, { metadataOnly: true, select: { namespace: shop.namespace } })],
        reconcile: async (_, { key }) => {
          keys.push(key);
          return done;
        },
      };
      await using _running = await shop.run(controller);
      await eventually(() => keys.length === 1, { what: "the first run" });

      await shop.client.create(shop.configMap("of-team", {}, controlledBy(team)));

      await eventually(() => keys.length === 2, { what: "the run for the child" });
      expect(keys).to.deep.equal([team.metadata.name, team.metadata.name]);
    });

    it("the objects that a related one concerns, found by an index", async () => {
      await using shop = await Workshop.open();
      const { controller, keys } = noting({
        indexes: { team: ({ spec }) => (spec?.team === undefined ? [] : [spec.team]) },
        related: [
          related(Team, {
            metadataOnly: true,
            map: ({ metadata }, caches) => caches(Widget).keysByIndex("team", metadata.name),
          }),
        ],
      });
      const team = await shop.client.create(shop.team());
      const member = { team: team.metadata.name };
      await shop.client.create(shop.widget("member", member));
      await shop.client.create(shop.widget("stranger", { team: "another" }));
      await using _running = await shop.run(controller);
      await eventually(() => keys.length === 2, { what: "the first runs" });

      await shop.client.patch(team, { merge: { metadata: { labels: { a: "b" } } } });

      await eventually(() => keys.length === 3, { what: "the run for the team" });
      expect(keys[2]).to.equal(`${shop.namespace}/member`);
    });

    it("nothing that its predicate does not pass, except when the object is deleted", async () => {
      await using shop = await Workshop.open();
      const { controller, keys } = noting({ when: generationChanged, terminating: true });
      const widget = await shop.client.create(
        shop.widget("w", {}, { finalizers: ["example.com/held"] }),
      );
      await using running = await shop.run(controller);
      await eventually(() => keys.length === 1, { what: "the first run" });

      await shop.client.patch(widget, { merge: { metadata: { labels: { a: "b" } } } });
      await shop.client.patch(widget, { merge: { spec: { size: 1 } } });
      await eventually(() => keys.length === 2, { what: "the run for the new generation" });
      await shop.client.delete(refTo(Widget, "w", shop.namespace));
      await eventually(() => keys.length === 3, { what: "the run for the deletion" });

      await eventually(() => running.runner.working === 0, { what: "the end of the runs" });
      expect(keys).to.have.length(3);
      await shop.client.patch(widget, { merge: { metadata: { finalizers: null } } });
    });

    it("what others concern that were there from the start, where its own first sight does not count", async () => {
      await using shop = await Workshop.open();
      const select = { namespace: shop.namespace };
      const { controller, keys } = noting({
        when: onUpdate,
        owns: [owned(ConfigMap, { select })],
        related: [
          related(ConfigMap, {
            select,
            map: ({ metadata }) =>
              metadata.name === "settings" ? [`${shop.namespace}/configured`] : [],
          }),
        ],
      });
      const owner = await shop.client.create(shop.widget("owner"));
      await shop.client.create(shop.widget("configured"));
      await shop.client.create(shop.widget("alone"));
      await shop.client.create(shop.configMap("child", {}, controlledBy(owner)));
      await shop.client.create(shop.configMap("settings"));

      await using running = await shop.run(controller);
      await eventually(() => keys.length === 2, { what: "the runs for both" });

      await eventually(() => running.runner.waiting + running.runner.working === 0);
      expect(keys).to.have.members([`${shop.namespace}/owner`, `${shop.namespace}/configured`]);
    });

    it("an object whose predicate fails, rather than miss a change", async () => {
      await using shop = await Workshop.open();
      const { log, lines } = recordedLog();
      const { controller, keys } = noting({
        when: () => {
          throw new Error("not written for this");
        },
      });
      await using _running = await shop.run(controller, { logger: log });

      await shop.client.create(shop.widget("w"));

      await eventually(() => keys.length === 1, { what: "the run" });
      expect(lines.map(({ message }) => message)).to.deep.equal([
        "a predicate failed; running the key",
      ]);
    });

    it("all that can be told when a mapping fails", async () => {
      await using shop = await Workshop.open();
      const { log, lines } = recordedLog();
      const { controller, keys } = noting({
        related: [
          related(ConfigMap, {
            select: { namespace: shop.namespace },
            map: ({ metadata }) => {
              if (metadata.name === "broken") throw new Error("not written for this");
              return metadata.name === "whole" ? [`${shop.namespace}/w`] : []; // each namespace gets one of Kubernetes' own
            },
          }),
        ],
      });
      await shop.client.create(shop.widget("w"));
      await using _running = await shop.run(controller, { logger: log });
      await eventually(() => keys.length === 1, { what: "the first run" });

      await shop.client.create(shop.configMap("broken"));
      await shop.client.create(shop.configMap("whole"));

      await eventually(() => keys.length === 2, { what: "the run for the other" });
      expect(lines.some(({ message }) => message.startsWith("a mapping failed"))).to.equal(true);
    });

    it("nothing that is being deleted, unless asked for", async () => {
      await using shop = await Workshop.open();
      const { controller, keys } = noting();
      const held = shop.widget("held", {}, { finalizers: ["example.com/held"] });
      const widget = await shop.client.create(held);
      await shop.client.delete(refTo(Widget, "held", shop.namespace));
      await shop.client.create(shop.widget("free"));
      await using _running = await shop.run({ ...controller, concurrency: 1 });

      await eventually(() => keys.length > 0, { what: "the run of the other object" });
      await shop.client.patch(widget, { merge: { metadata: { finalizers: null } } });

      expect(keys).to.deep.equal([`${shop.namespace}/free`]);
    });
  });

  it("works on no more keys at once than its concurrency", async () => {
    await using shop = await Workshop.open();
    const names = Array.from({ length: 8 }, (_, at) => `w-${at}`);
    await Promise.all(names.map((name) => shop.client.create(shop.widget(name))));
    const gate = Promise.withResolvers<void>();
    let inWork = 0;
    let most = 0;
    let ended = 0;
    await using running = await shop.run({
      name: "slow",
      watches: Widget,
      concurrency: 3,
      reconcile: async () => {
        inWork += 1;
        most = Math.max(most, inWork);
        await gate.promise;
        inWork -= 1;
        ended += 1;
        return done;
      },
    });

    await eventually(() => inWork === 3, { what: "three at once" });
    expect(running.runner.waiting).to.equal(5);
    gate.resolve();

    await eventually(() => ended === 8, { what: "all of them" });
    expect(most).to.equal(3);
  });

  it("runs a key again after the delay that it asks for", async () => {
    await using shop = await Workshop.open();
    await shop.client.create(shop.widget("w"));
    const times: number[] = [];
    await using _running = await shop.run({
      name: "again",
      watches: Widget,
      reconcile: async (_, { clock }) => {
        times.push(clock.monotonic());
        return times.length === 1 ? requeueAfter(200) : done;
      },
    });

    await eventually(() => times.length === 2, { what: "the second run" });

    expect((times[1] ?? 0) - (times[0] ?? 0)).to.be.at.least(199);
  });

  it("reconciles nothing while it is only warm, and what came meanwhile once it starts", async () => {
    await using shop = await Workshop.open();
    const { controller, keys } = noting();
    await shop.client.create(shop.widget("early"));
    await using runner = shop.runner(controller);
    const abort = new AbortController();
    await runner.warm(abort.signal);
    await shop.client.create(shop.widget("meanwhile"));
    await eventually(() => runner.waiting === 2, { what: "both in the queue" });
    expect(keys).to.deep.equal([]);

    const running = runner.start(abort.signal);

    await eventually(() => keys.length === 2, { what: "both runs" });
    // A change by somebody goes before the first list.
    expect(keys).to.deep.equal([`${shop.namespace}/meanwhile`, `${shop.namespace}/early`]);
    abort.abort();
    await running;
  });

  it("says what it waits for, and gives it back when it may not wait any longer", async () => {
    await using shop = await Workshop.open();
    const plural = `${uniqueName("missing").replaceAll("-", "")}s`;
    const clock = fakeClock();
    const { log, lines } = recordedLog();
    const runner = shop.runner(
      { ...sizer, watches: { ...Widget, plural } },
      { logger: log, clock },
    );
    const abort = new AbortController();
    const warming = runner.warm(abort.signal).catch((thrown: unknown) => thrown);

    await clock.advance(10_000);
    const [line] = lines;
    abort.abort(new Error("enough"));

    expect(line?.message).to.equal("waiting for caches");
    expect(JSON.stringify(line?.fields.missing)).to.include(plural);
    expect(await warming).to.have.property("message", "enough");
    expect(shop.informers.report()).to.deep.equal([]);
  });

  it("gives everything back when it has ended", async () => {
    await using shop = await Workshop.open();
    await shop.client.create(shop.widget("w"));
    const { controller, keys } = noting({ owns: [ConfigMap] });
    const running = await shop.run(controller);
    await eventually(() => keys.length === 1, { what: "the run" });
    expect(shop.informers.report()).to.have.length(2);

    await running.stop();

    expect(shop.informers.report()).to.deep.equal([]);
  });

  it("counts its runs", async () => {
    await using shop = await Workshop.open();
    await shop.client.create(shop.widget("w", { size: 1 }));
    const metrics = new Metrics({ process: false });
    await using _running = await shop.run({ ...sizer, concurrency: 4 }, { metrics });

    await shop.widgetWhich("w", ({ status }) => status?.size === 1, "status");

    await eventually(
      async () =>
        (await metrics.text()).includes(
          'controller_runtime_reconcile_total{controller="sizer",result="success"} 2',
        ),
      { what: "two runs: for the object, and for its new status" },
    );
    const text = await metrics.text();
    expect(text).to.include('controller_runtime_max_concurrent_reconciles{controller="sizer"} 4');
    expect(text).to.include('controller_runtime_active_workers{controller="sizer"} 0');
    expect(text).to.match(/workqueue_work_duration_seconds_count\{[^}]*name="sizer"[^}]*\} 2/);
  });

  it("has the key of its object", async () => {
    await using shop = await Workshop.open();
    const { controller, keys } = noting();
    const widget = await shop.client.create(shop.widget("w"));
    await using _running = await shop.run(controller);

    await eventually(() => keys.length === 1, { what: "the run" });

    expect(keys).to.deep.equal([keyOf(widget)]);
  });
});
