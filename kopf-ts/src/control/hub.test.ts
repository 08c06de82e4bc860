import { expect } from "chai";
import { applySet, markedOwnerOf, setIndex } from "../apply/index.ts";
import { Informers } from "../cache/index.ts";
import { keyOf, refTo } from "../kube/index.ts";
import { eventually } from "../testing/index.ts";
import {
  type Context,
  type Controller,
  ControllerRunner,
  done,
  type EventSink,
  owned,
  readable,
  reconcileOnce,
  related,
  requeueAfter,
} from "./index.ts";
import { ofTeam, Pair } from "./testing/pair.ts";
import { ConfigMap, Team, Widget, Workshop } from "./testing/widgets.ts";

/** A controller of the hub's Widgets that notes what it is called with. */
function witness(more: Partial<Controller<Widget>> = {}): {
  readonly controller: Omit<Controller<Widget>, "watches">;
  readonly calls: string[];
} {
  const calls: string[] = [];
  const controller = {
    name: "witness",
    hub: ofTeam,
    reconcile: async ({ metadata }: Widget, { cluster }: Context) => {
      calls.push(`${cluster} reconcile ${metadata.name}`);
      return done;
    },
    gone: async (key: string, { cluster }: Context) => {
      calls.push(`${cluster} gone ${key.split("/")[1]}`);
      return done;
    },
    ...more,
  };
  return { controller, calls };
}

describe("a controller of the hub's objects", function () {
  this.timeout(30_000);
  before(async function () {
    this.timeout(180_000);
    await using _ = await Pair.open();
  });

  it("sees those that concern its cluster, from the start and later", async () => {
    await using pair = await Pair.open();
    const { a, b } = pair;
    await pair.widget("early", [a]);
    await pair.widget("elsewhere", ["c"]);
    const { controller, calls } = witness();
    await using _a = await pair.run(a, controller);
    await using _b = await pair.run(b, controller);

    await pair.widget("late", [a, b]);
    await pair.widget("other", [b]);

    const expected = [
      `${a} reconcile early`,
      `${a} reconcile late`,
      `${b} reconcile late`,
      `${b} reconcile other`,
    ];
    await eventually(() => calls.length >= 4, { what: "four runs" });
    expect(calls.toSorted()).to.deep.equal(expected.toSorted());
  });

  it("takes an object that ceases to concern its cluster for deleted", async () => {
    await using pair = await Pair.open();
    const { a, b } = pair;
    const widget = await pair.widget("w", [a]);
    const { controller, calls } = witness();
    await using _a = await pair.run(a, controller);
    await using _b = await pair.run(b, controller);
    await eventually(() => calls.length === 1, { what: "the first run" });

    await pair.move(widget, [b]);

    await eventually(() => calls.length === 3, { what: "the move" });
    expect(calls.slice(1).toSorted()).to.deep.equal([`${a} gone w`, `${b} reconcile w`].toSorted());

    await pair.hub.client.delete(refTo(Widget, "w", pair.hub.namespace));

    await eventually(() => calls.length === 4, { what: "the end" });
    expect(calls[3]).to.equal(`${b} gone w`);
  });

  it("applies to its cluster without references, and hears of what is changed there", async () => {
    await using pair = await Pair.open();
    const { a, hub, cluster } = pair;
    const { controller, runs } = keeper(pair);
    await using _a = await pair.run(a, controller);
    const widget = await pair.widget("w", [a]);
    const read = () => cluster.client.find(ConfigMap, `w-${a}`, { namespace: cluster.namespace });
    const made = await eventually(read, { what: "the copy" });
    expect(made.metadata.ownerReferences).to.equal(undefined);
    expect(markedOwnerOf(made)).to.equal(undefined);
    expect(markedOwnerOf(made, a)).to.deep.equal(refTo(Widget, "w", hub.namespace));

    await cluster.client.delete(made);
    await eventually(read, { what: "the copy again" });

    await hub.client.delete(widget);
    await eventually(async () => (await read()) === undefined, { what: "the end of the copy" });
    expect(runs).to.include(`gone ${keyOf(widget)}`);
  });

  it("is told of owners that went while nobody reached the cluster, and of no other hub's", async () => {
    await using pair = await Pair.open();
    const { a, b, hub, cluster } = pair;
    const { controller, runs } = keeper(pair);
    const [first, second] = [await pair.widget("one", [a]), await pair.widget("two", [a, b])];
    await pair.widget("three", [b]);
    for (const name of [a, b]) {
      await using _running = await pair.run(name, controller);
      const copies = name === a ? 2 : 4;
      const list = () =>
        cluster.client.list(ConfigMap, {
          namespace: cluster.namespace,
          labelSelector: setIndex.name,
        });
      await eventually(async () => (await list()).items.length === copies, { what: "copies" });
    }
    runs.length = 0;

    await hub.client.delete(first);
    await pair.move(second, [b]);
    await using _again = await pair.run(a, controller);

    const names = async (): Promise<readonly string[]> => {
      const labelSelector = setIndex.name;
      const { items } = await cluster.client.list(ConfigMap, {
        namespace: cluster.namespace,
        labelSelector,
      });
      return items.map(({ metadata }) => metadata.name);
    };
    await eventually(async () => (await names()).length === 2, { what: "the end of the others" });
    expect(await names()).to.deep.equal([`three-${b}`, `two-${b}`]);
    expect(new Set(runs)).to.deep.equal(new Set([`gone ${keyOf(first)}`, `gone ${keyOf(second)}`]));
  });

  it("holds an object once for each cluster", async () => {
    await using pair = await Pair.open();
    const { a, b, hub } = pair;
    const ended: string[] = [];
    const go = Promise.withResolvers<void>();
    const holding = {
      ...witness().controller,
      finalizer: (cluster: string) => `clusterscoped.example.com/witness_${cluster}`,
      finalize: async (_: Widget, { cluster }: Context) => {
        if (cluster === b) await go.promise;
        ended.push(cluster);
        return done;
      },
    };
    await using _a = await pair.run(a, holding);
    await using _b = await pair.run(b, holding);
    const widget = await pair.widget("w", [a, b]);
    const finalizers = async (): Promise<readonly string[]> => {
      const found = await hub.client.find(Widget, "w", { namespace: hub.namespace });
      return found?.metadata.finalizers ?? [];
    };
    await eventually(async () => (await finalizers()).length === 2, { what: "both finalizers" });

    await hub.client.delete(refTo(Widget, widget.metadata.name, hub.namespace));
    await eventually(async () => (await finalizers()).length === 1, { what: "one of them" });
    expect(ended).to.deep.equal([a]);
    expect(await finalizers()).to.deep.equal([`clusterscoped.example.com/witness_${b}`]);

    go.resolve();
    await eventually(async () => (await finalizers()).length === 0, { what: "the end" });
    expect(ended).to.deep.equal([a, b]);
  });

  for (const side of ["hub", "cluster"] as const) {
    it(`sees its own writes to the ${side} before it runs again`, async () => {
      await using pair = await Pair.open();
      await pair.widget("w", [pair.a]);
      const where = pair[side];
      const note = await where.client.create(where.configMap("note", { count: "0" }));
      const seen: number[] = [];
      const counter = {
        ...witness().controller,
        reads: [
          readable(ConfigMap, {
            select: { namespace: where.namespace },
            ...(side === "hub" && { hub: true }),
          }),
        ],
        reconcile: async (_: Widget, context: Context) => {
          const { client, cache } = side === "hub" ? context.hub : context;
          const count = Number(cache(ConfigMap).get(keyOf(note))?.data?.count);
          seen.push(count);
          if (count === 20) return done;
          await client.patch(note, { merge: { data: { count: `${count + 1}` } } });
          return requeueAfter(0);
        },
      };

      await using _running = await pair.run(pair.a, counter);

      await eventually(() => seen.at(-1) === 20, { what: "the last run" });
      expect(seen).to.deep.equal(Array.from({ length: 21 }, (_, at) => at));
    });
  }

  it("keeps caches of one kind on both sides apart", async () => {
    await using pair = await Pair.open();
    const { a, hub, cluster } = pair;
    await pair.widget("w", [a]);
    await hub.client.create(hub.configMap("in-hub"));
    await cluster.client.create(cluster.configMap("in-cluster"));
    const kept = { ...witness().controller };
    const seen = Promise.withResolvers<readonly (readonly string[])[]>();
    const notHub = { select: { namespace: cluster.namespace } };
    const both = {
      ...kept,
      reads: [
        readable(ConfigMap, { hub: true, select: { namespace: hub.namespace } }),
        readable(ConfigMap, notHub),
      ],
      reconcile: async (_: Widget, context: Context) => {
        const [there, here] = [context.hub.cache(ConfigMap), context.cache(ConfigMap)];
        seen.resolve([[...there.keys()], [...here.keys()]]);
        return done;
      },
    };

    await using _running = await pair.run(a, both);

    const [there, here] = await seen.promise;
    expect(there).to.include(`${hub.namespace}/in-hub`);
    expect(there).not.to.include(`${cluster.namespace}/in-cluster`);
    expect(here).to.include(`${cluster.namespace}/in-cluster`);
    expect(here).not.to.include(`${hub.namespace}/in-hub`);
  });

  it("maps what changes on either side, with the caches of both", async () => {
    await using pair = await Pair.open();
    const { a, b, hub, cluster } = pair;
    const { controller, calls } = witness();
    const seen: string[] = [];
    const select = { labelSelector: `of=${a}` };
    const mapping = {
      ...controller,
      related: [
        related(Team, {
          hub: ofTeam,
          select,
          map: (team, _cache, place) => {
            seen.push(`${place.cluster} ${place.hub(Team, select).has(team.metadata.name)}`);
            return [`${hub.namespace}/w`];
          },
        }),
        related(ConfigMap, {
          select: { namespace: cluster.namespace },
          map: ({ metadata }, cache, place) =>
            metadata.name === "note" && cache(ConfigMap).size > 0 && place.hub(Widget).size > 0
              ? [`${hub.namespace}/w`]
              : [],
        }),
      ],
    };
    await pair.widget("w", [a]);
    await using _running = await pair.run(a, mapping);
    await eventually(() => calls.length === 1, { what: "the first run" });

    const labelled = (clusters: string): Widget => {
      const team = hub.team({ team: clusters });
      return { ...team, metadata: { ...team.metadata, labels: { of: a } } };
    };
    await hub.client.create(labelled(b));
    const team = await hub.client.create(labelled(a));
    await eventually(() => calls.length === 2, { what: "the run for the Team" });
    await hub.client.patch<Widget>(team, { merge: { spec: { team: b } } });
    await eventually(() => calls.length === 3, { what: "the run for the Team that left" });
    await cluster.client.create(cluster.configMap("note"));
    await eventually(() => calls.length === 4, { what: "the run for the ConfigMap" });

    expect(seen).to.deep.equal([`${a} true`, `${a} true`]);
  });

  it("tells people of its objects in the hub", async () => {
    await using pair = await Pair.open();
    const told: string[] = [];
    const sink = (name: string): EventSink => ({
      event: ({ metadata }, { reason }) => void told.push(`${name} ${metadata.name} ${reason}`),
    });
    const speaking = {
      ...witness().controller,
      reconcile: async (_: Widget, { events }: Context) => {
        events.normal("Seen", "it is there");
        return done;
      },
    };
    const { client, informers } = pair.hub;
    const hub = { client, informers, events: sink("hub") };
    await pair.widget("w", [pair.a]);

    await using _running = await pair.run(pair.a, speaking, { hub, events: sink("cluster") });

    await eventually(() => told.length === 1, { what: "the Event" });
    expect(told).to.deep.equal(["hub w Seen"]);
  });

  it("asks the fence about writes to both sides", async () => {
    await using pair = await Pair.open();
    const { a, hub, cluster } = pair;
    const refusals: unknown[] = [];
    const writing = {
      ...witness().controller,
      reconcile: async (_: Widget, context: Context) => {
        for (const [{ client }, shop] of [
          [context, cluster],
          [context.hub, hub],
        ] as const) {
          await client
            .create(shop.configMap("written"))
            .catch((error: Error) => refusals.push(error.message));
        }
        return done;
      },
    };
    const fence = (): void => {
      throw new Error("another one owns the cluster");
    };
    await pair.widget("w", [a]);

    await using _running = await pair.run(a, writing, { fence });

    await eventually(() => refusals.length === 2, { what: "both refusals" });
    expect(new Set(refusals)).to.deep.equal(new Set(["another one owns the cluster"]));
  });

  it("is not done when its cluster has nothing under the name of the object", async () => {
    await using pair = await Pair.open();
    let runs = 0;
    const failing = {
      ...witness().controller,
      reconcile: async (widget: Widget, { client }: Context) => {
        runs += 1;
        await client.patch(widget, { merge: { spec: { size: 1 } } });
        return done;
      },
    };
    await pair.widget("w", [pair.a]);

    await using _running = await pair.run(pair.a, failing);

    await eventually(() => runs > 1, { what: "another attempt" });
  });

  it("works where the hub is its cluster", async () => {
    await using hub = await Workshop.open();
    const { client, informers, namespace } = hub;
    const seen: number[] = [];
    const note = await client.create(hub.configMap("note", { count: "0" }));
    const counter: Controller<Widget> = {
      ...witness().controller,
      watches: Widget,
      reads: [readable(ConfigMap, { hub: true, select: { namespace } })],
      reconcile: async (_: Widget, { hub: { cache }, client: here }: Context) => {
        const count = Number(cache(ConfigMap).get(keyOf(note))?.data?.count);
        seen.push(count);
        if (count === 10) return done;
        await here.patch(note, { merge: { data: { count: `${count + 1}` } } });
        return requeueAfter(0);
      },
    };
    await client.create(hub.widget("w", { team: "local" }));

    await using _running = await hub.run(counter, {
      hub: { client, informers },
      cluster: "local",
    });

    await eventually(() => seen.at(-1) === 10, { what: "the last run" });
    expect(seen).to.deep.equal(Array.from({ length: 11 }, (_, at) => at));
  });

  it("runs once, for an object that concerns the cluster", async () => {
    await using pair = await Pair.open();
    const { a, b, hub, cluster } = pair;
    const { controller, calls } = witness();
    const whole: Controller<Widget> = {
      ...controller,
      watches: Widget,
      select: { namespace: hub.namespace },
    };
    const widget = await pair.widget("w", [a]);
    const deps = { client: cluster.client, hub: { client: hub.client } };

    await reconcileOnce(whole, widget, { ...deps, cluster: a });
    await reconcileOnce(whole, widget, { ...deps, cluster: b });

    expect(calls).to.deep.equal([`${a} reconcile w`, `${b} gone w`]);
  });
});

/** Copies the hub's Widgets to ConfigMaps `<widget>-<cluster>` and notes its runs. */
function keeper({ cluster }: Pair): {
  readonly controller: Omit<Controller<Widget>, "watches">;
  readonly runs: string[];
} {
  const runs: string[] = [];
  const select = { namespace: cluster.namespace };
  const keep = async (owner: Widget, context: Context, names: readonly string[]): Promise<void> => {
    const copies = names.map((name) => cluster.configMap(`${name}-${context.cluster}`));
    await applySet(context.client, copies, {
      owner,
      prune: [ConfigMap],
      caches: (kind) => context.cache(kind),
    });
  };
  const controller: Omit<Controller<Widget>, "watches"> = {
    name: "keeper",
    hub: ofTeam,
    owns: [owned(ConfigMap, { select, indexes: { [setIndex.name]: setIndex.of } })],
    reconcile: async (widget, context) => {
      await keep(widget, context, [widget.metadata.name]);
      return done;
    },
    gone: async (key, context) => {
      runs.push(`gone ${key}`);
      const [namespace, name = ""] = key.split("/");
      await keep(refTo(Widget, name, namespace), context, []);
      return done;
    },
  };
  return { controller, runs };
}

describe("ControllerRunner of the hub's objects", () => {
  const { controller } = witness();
  const watching: Controller<Widget> = { ...controller, watches: Widget };

  for (const [what, declared] of [
    ["the objects", watching],
    [
      "a related kind",
      { ...watching, hub: undefined, related: [related(Team, { hub: true, map: () => [] })] },
    ],
    ["an owned kind", { ...watching, hub: undefined, owns: [owned(Team, { hub: true })] }],
    [
      "a kind that is read",
      { ...watching, hub: undefined, reads: [readable(Team, { hub: true })] },
    ],
  ] as const) {
    it(`refuses ${what} of a hub that is not there`, async () => {
      const { hub: _, ...rest } = declared;
      const bare = (declared.hub === undefined ? rest : declared) as Controller<Widget>;
      const client = {} as Workshop["client"];
      const informers = new Informers(client);

      expect(() => new ControllerRunner(bare, { client, informers, cluster: "c" })).to.throw(
        TypeError,
        'controller "witness" declares objects of the hub, and there is none',
      );
      expect(
        () => new ControllerRunner(bare, { client, informers, hub: { client, informers } }),
      ).to.throw(TypeError, "its cluster needs a name");
      await informers.dispose();
    });
  }
});
