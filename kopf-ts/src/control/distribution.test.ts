import { expect } from "chai";
import { type CacheChange, type Informer, Store } from "../cache/index.ts";
import type { KubeObject } from "../kube/index.ts";
import { type ScannedObject, scanObject } from "../watch/index.ts";
import { Distribution } from "./distribution.ts";
import { Widget } from "./testing/fed.ts";
import { type View, viewOf } from "./view.ts";

/** An object that names its clusters in an annotation. */
function scanned(name: string, clusters: string, version = 1): ScannedObject {
  const metadata = {
    name,
    uid: `uid-${name}`,
    resourceVersion: String(version),
    annotations: { clusters },
  };
  const object = { apiVersion: "example.com/v1", kind: "Widget", metadata };
  const bytes = Buffer.from(JSON.stringify(object));
  const found = scanObject(bytes, 0, bytes.length);
  if (found === undefined) throw new Error("not scanned");
  return found;
}

/** A kind of the hub that the test fills, and how often its declaration was asked. */
function aHub() {
  const store = new Store(Widget);
  const asked = { times: 0 };
  const clusters = ({ metadata }: KubeObject): readonly string[] => {
    asked.times += 1;
    const named = metadata.annotations?.clusters ?? "";
    if (named === "broken") throw new Error("no clusters");
    return named === "" ? [] : named.split(",");
  };
  const informer: Informer = {
    cache: store,
    whenSynced: (signal) => store.whenSynced(signal),
    addColumns: () => Promise.resolve(),
    addIndex: (name, fn) => store.addIndex(name, fn),
    release: () => undefined,
  };
  const list = (objects: readonly ScannedObject[]): void => {
    store.begin();
    for (const object of objects) store.item(object);
    store.end("1");
    store.state({ phase: "live" });
  };
  return {
    store,
    asked,
    clusters,
    list,
    view: (cluster: string) => viewOf(informer, { clusters }, cluster),
  };
}

/** Notes what a view tells. */
function listenTo(view: View): {
  readonly told: string[];
  readonly end: () => void;
  readonly replayed: Promise<void>;
} {
  const told: string[] = [];
  const subscription = view.subscribe((change) => told.push(inWords(change)));
  return {
    told,
    replayed: subscription.replayed,
    end: () => subscription[Symbol.dispose](),
  };
}

function inWords({ type, key, initial }: CacheChange): string {
  return `${initial ? "initial " : ""}${type} ${key}`;
}

describe("the view of a cluster", () => {
  it("tells what is there at the cost of what concerns the cluster", async () => {
    const hub = aHub();
    const [clusters, each] = [200, 20];
    const objects = Array.from({ length: clusters * each }, (_, at) =>
      scanned(`w-${at}`, `c-${at % clusters}`),
    );
    hub.list(objects);
    const first = listenTo(hub.view("c-0"));
    await first.replayed;
    const indexed = hub.asked.times;

    const others = Array.from({ length: clusters - 1 }, (_, at) =>
      listenTo(hub.view(`c-${at + 1}`)),
    );
    await Promise.all(others.map(({ replayed }) => replayed));

    expect(indexed).to.equal(objects.length); // once each, for the index
    expect(hub.asked.times - indexed).to.equal(0);
    expect(first.told).to.have.length(each);
    expect(others.map(({ told }) => told.length)).to.deep.equal(others.map(() => each));
  });

  it("indexes once for many clusters that begin together", async () => {
    const hub = aHub();
    const count = 2000;
    hub.list(Array.from({ length: count }, (_, at) => scanned(`w-${at}`, `c-${at % 50}`)));

    const views = Array.from({ length: 50 }, (_, at) => listenTo(hub.view(`c-${at}`)));
    await Promise.all(views.map(({ replayed }) => replayed));

    expect(hub.asked.times).to.equal(count);
    expect(views.map(({ told }) => told.length)).to.deep.equal(views.map(() => count / 50));
  });

  it("tells a change at the cost of what it concerns, however many clusters there are", async () => {
    const costs: number[] = [];
    for (const clusters of [1, 500]) {
      const hub = aHub();
      hub.list([scanned("w", "c-0")]);
      const views = Array.from({ length: clusters }, (_, at) => listenTo(hub.view(`c-${at}`)));
      await Promise.all(views.map(({ replayed }) => replayed));
      const before = hub.asked.times;

      hub.store.change("MODIFIED", scanned("w", "c-0", 2));

      costs.push(hub.asked.times - before);
      expect(views[0]?.told).to.deep.equal(["initial ADDED w", "MODIFIED w"]);
    }
    expect(costs).to.deep.equal([3, 3]); // the index, the former state, the present one
  });

  it("sees an object come and go as it begins and ceases to concern the cluster", async () => {
    const hub = aHub();
    hub.list([]);
    const [a, b] = [listenTo(hub.view("a")), listenTo(hub.view("b"))];
    await Promise.all([a.replayed, b.replayed]);

    hub.store.change("ADDED", scanned("w", "a", 2));
    hub.store.change("MODIFIED", scanned("w", "a,b", 3));
    hub.store.change("MODIFIED", scanned("w", "b", 4));
    hub.store.change("DELETED", scanned("w", "b", 5));

    expect(a.told).to.deep.equal(["ADDED w", "MODIFIED w", "DELETED w"]);
    expect(b.told).to.deep.equal(["ADDED w", "MODIFIED w", "DELETED w"]);
  });

  it("shows both states of such a change as the cluster has them", () => {
    const hub = aHub();
    hub.list([scanned("w", "a")]);
    const seen: (readonly [string, ...unknown[]])[] = [];
    const distribution = new Distribution(hub.store, hub.clusters);
    for (const cluster of ["a", "b"]) {
      distribution.add(cluster, (change) => {
        const versions = [change.previous(), change.current()].map(
          (object) => object?.metadata.resourceVersion,
        );
        const { previousResourceVersion: previous, resourceVersion } = change;
        seen.push([cluster, change.type, ...versions, previous, resourceVersion]);
      });
    }

    hub.store.change("MODIFIED", scanned("w", "b", 2));

    expect(seen).to.deep.equal([
      ["a", "DELETED", "1", undefined, "1", "2"],
      ["b", "ADDED", undefined, "2", undefined, "2"],
    ]);
  });

  it("does not replay what has left meanwhile, and misses nothing that came", async () => {
    const hub = aHub();
    hub.list([scanned("stays", "a"), scanned("leaves", "a"), scanned("elsewhere", "b")]);
    const listener = listenTo(hub.view("a"));

    hub.store.change("MODIFIED", scanned("leaves", "b", 2));
    hub.store.change("MODIFIED", scanned("elsewhere", "a", 3));
    await listener.replayed;

    expect(listener.told.slice(0, 2)).to.deep.equal(["DELETED leaves", "ADDED elsewhere"]);
    expect(listener.told).to.include("initial ADDED stays");
    expect(listener.told).not.to.include("initial ADDED leaves");
  });

  it("has what concerns the cluster, and in doubt what is there", async () => {
    const hub = aHub();
    hub.list([scanned("w", "a"), scanned("unknown", "broken")]);
    const [a, b] = [hub.view("a"), hub.view("b")];
    await Promise.all([a.ready, b.ready]);

    expect([a.has("w"), b.has("w"), a.has("none")]).to.deep.equal([true, false, false]);
    expect([a.get("w")?.metadata.name, b.get("w")]).to.deep.equal(["w", undefined]);
    expect([a.has("unknown"), a.get("unknown")]).to.deep.equal([true, undefined]);
  });

  it("tells nothing after its end, and then listens to nothing", async () => {
    const hub = aHub();
    hub.list([scanned("w", "a")]);
    const [early, late] = [listenTo(hub.view("a")), listenTo(hub.view("a"))];
    early.end();
    await Promise.all([early.replayed, late.replayed]);
    late.end();
    const before = hub.asked.times;

    hub.store.change("MODIFIED", scanned("w", "a", 2));

    expect(early.told).to.deep.equal([]);
    expect(late.told).to.deep.equal(["initial ADDED w"]);
    expect(hub.asked.times - before).to.equal(1); // the index alone
  });
});
