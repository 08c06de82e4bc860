import { expect } from "chai";
import { installWidgets, uniqueGroup, widgetKind } from "../kube/custom-kind.test.support.ts";
import { type Kind, type KubeObject, keyOf } from "../kube/index.ts";
import { eventually } from "../testing/index.ts";
import { type CacheAccess, type Controller, done, onUpdate, related } from "./index.ts";
import { ofTeam, Pair } from "./testing/pair.ts";
import { ConfigMap, type Data, recordedLog, Widget, Workshop } from "./testing/widgets.ts";

/** A ConfigMap names the size of the Widgets that it concerns. */
const bySize = ({ data }: Data, cache: CacheAccess): readonly string[] =>
  cache(Widget).keysByIndex("size", data?.size ?? "none");

/** Two, since the second begins to be filled after the first. */
const indexes: NonNullable<Controller<Widget>["indexes"]> = {
  team: ({ spec }) => [spec?.team ?? ""],
  size: ({ spec }) => [String(spec?.size)],
};

/** A controller whose keys run only when something related says so, and what it is called for. */
function heeding<T extends KubeObject>(
  more: Partial<Controller<T>>,
): { readonly controller: Omit<Controller<T>, "watches">; readonly calls: string[] } {
  const calls: string[] = [];
  const controller = {
    name: "heeding",
    when: onUpdate,
    reconcile: async ({ metadata }: T) => {
      calls.push(metadata.name ?? "");
      return done;
    },
    gone: async (key: string) => {
      calls.push(`gone ${key.split("/")[1]}`);
      return done;
    },
    ...more,
  };
  return { controller, calls };
}

/** Waits on a slow machine, too. */
function patiently(look: () => boolean, what: string): Promise<true> {
  return eventually(look, { what, within: 30_000 });
}

/** More than a cache puts into an index at once. */
async function many(make: (name: string, size: number) => Promise<unknown>): Promise<void> {
  const sizes = Array.from({ length: 150 }, (_, size) => size);
  await Promise.all(sizes.map((size) => make(`w-${size}`, size)));
}

/** Caches that others have filled before. */
async function fill({ informers, namespace }: Workshop): Promise<void> {
  for (const informer of [
    informers.acquire(Widget, { namespace }),
    informers.acquire(ConfigMap, { namespace }),
  ]) {
    await informer.whenSynced();
  }
}

/** What waits for the cache of a kind that is served by now: by itself its watch would look after 15 to 30 s. */
async function found<T>(
  { informers, namespace }: Workshop,
  kind: Kind,
  running: Promise<T>,
): Promise<T> {
  const cache = informers.acquire(kind, { namespace });
  const isSynced = (): boolean => {
    informers.retry([kind]);
    return cache.cache.synced;
  };
  await patiently(isSynced, "the cache of the late kind");
  return running;
}

describe("related kinds", function () {
  this.timeout(60_000);
  before(async function () {
    this.timeout(180_000);
    await using _ = await Pair.open();
  });

  it("are heard once the indexes that their mappings ask are there", async () => {
    await using shop = await Workshop.open();
    await many((name, size) => shop.client.create(shop.widget(name, { size })));
    const change = await shop.client.create(shop.configMap("early", { size: "2" }));
    await fill(shop);
    const { log, lines } = recordedLog();
    const map = bySize;
    const select = { namespace: shop.namespace };
    const { controller, calls } = heeding<Widget>({
      indexes,
      related: [related(ConfigMap, { select, map })],
    });

    await using _running = await shop.run({ ...controller, watches: Widget }, { logger: log });

    await patiently(() => calls.includes("w-2"), "what was there");
    await shop.client.patch(change, { merge: { data: { size: "3" } } });
    await patiently(() => calls.includes("w-3"), "what changed");
    expect(calls).to.not.include("w-1");
    expect(lines.filter(({ level }) => level === "error")).to.deep.equal([]);
  });

  it("are so in the hub as well", async () => {
    await using pair = await Pair.open();
    const { a, b, hub } = pair;
    await many((name, size) => hub.client.create(hub.widget(name, { size, team: a })));
    const change = await hub.client.create(hub.configMap("early", { size: "2", clusters: a }));
    await hub.client.create(hub.configMap("elsewhere", { size: "1", clusters: b }));
    await fill(hub);
    const { log, lines } = recordedLog();
    const { controller, calls } = heeding<Widget>({
      hub: ofTeam,
      indexes,
      related: [
        related(ConfigMap, {
          hub: { clusters: ({ data }) => [data?.clusters ?? ""] },
          select: { namespace: hub.namespace },
          map: (data, _cache, { hub: cache }) => bySize(data, cache),
        }),
      ],
    });

    await using _running = await pair.run(a, controller, { logger: log });

    await patiently(() => calls.includes("w-2"), "what was there");
    expect(calls).to.not.include("w-1");
    await hub.client.patch(change, { merge: { data: { size: "1" } } });
    await patiently(() => calls.includes("w-1"), "what changed");
    expect(lines.filter(({ level }) => level === "error")).to.deep.equal([]);
  });

  it("lose nothing that changes or goes while the kind that they are mapped to is not served", async () => {
    await using shop = await Workshop.open();
    const { client, informers, namespace } = shop;
    const group = uniqueGroup();
    const Late = widgetKind(group);
    const [went, moved] = [
      await client.create(shop.configMap("went", { colour: "red" })),
      await client.create(shop.configMap("moved", { colour: "blue" })),
    ];
    const { controller, calls } = heeding({
      indexes: { colour: ({ metadata }) => [metadata.labels?.colour ?? ""] },
      related: [
        related(ConfigMap, {
          select: { namespace },
          map: ({ data }, cache) => cache(Late).keysByIndex("colour", data?.colour ?? "none"),
        }),
      ],
    });
    const watched = informers.acquire(ConfigMap, { namespace });
    const running = shop.run({ ...controller, watches: Late });
    await watched.whenSynced();

    await client.delete(went);
    await client.patch(moved, { merge: { data: { colour: "green" } } });
    const brief = await client.create(shop.configMap("brief", { colour: "pink" }));
    await client.delete(brief);
    await patiently(() => {
      const { cache } = watched;
      const { data } = cache.get(keyOf(moved)) ?? {};
      return data?.colour === "green" && !cache.has(keyOf(went)) && !cache.has(keyOf(brief));
    }, "the cache to hear of all that");
    await installWidgets(client, group);
    for (const colour of ["red", "blue", "green", "pink", "grey"]) {
      const metadata = { name: colour, namespace, labels: { colour } };
      await client.create({ apiVersion: `${group}/v1`, kind: "Widget", metadata });
    }

    await using _running = await found(shop, Late, running);
    await patiently(() => calls.length >= 3, "three runs");
    expect(calls.toSorted()).to.deep.equal(["blue", "green", "red"]);
  });

  it("tell which of the owners are gone of what went before it could be told", async () => {
    await using shop = await Workshop.open();
    const { client, informers, namespace } = shop;
    const group = uniqueGroup();
    const Late = widgetKind(group);
    const data = await client.create(shop.configMap("orphan"));
    const { controller, calls } = heeding({
      related: [related(ConfigMap, { select: { namespace }, map: (object) => [keyOf(object)] })],
    });
    const watched = informers.acquire(ConfigMap, { namespace });
    const running = shop.run({ ...controller, watches: Late });
    await watched.whenSynced();

    await client.delete(data);
    await patiently(() => !watched.cache.has(keyOf(data)), "the deletion");
    await installWidgets(client, group);

    await using _running = await found(shop, Late, running);
    await patiently(() => calls.includes("gone orphan"), "the end");
  });
});
