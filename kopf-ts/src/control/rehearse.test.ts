import { expect } from "chai";
import { applySet, setIndex } from "../apply/index.ts";
import type { KubeObject } from "../kube/index.ts";
import { type Controller, done, owned, type Rehearsal, reconcileOnce, rehearse } from "./index.ts";
import { ofTeam, Pair } from "./testing/pair.ts";
import { ConfigMap, Widget, Workshop } from "./testing/widgets.ts";

/** Makes a ConfigMap per widget, and says its size. */
const maker: Controller<Widget> = {
  name: "maker",
  watches: Widget,
  owns: [owned(ConfigMap, { indexes: { [setIndex.name]: setIndex.of } })],
  finalize: async () => done,
  reconcile: async (widget, { client, cache, signal }) => {
    const { name, namespace } = widget.metadata;
    const object: KubeObject & { readonly data: object } = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `${name}-made`, ...(namespace !== undefined && { namespace }) },
      data: { size: "4" },
    };
    const caches = (kind: Parameters<typeof cache>[0]) => cache(kind);
    await applySet(client, [object], { owner: widget, prune: [ConfigMap], caches, signal });
    if (widget.status?.size === 4) return done;
    await client.patch(widget, { merge: { status: { size: 4 } } }, { subresource: "status" });
    return done;
  },
};

/** `apply ConfigMap w-made: /data/size`. */
const told = ({ writes }: Rehearsal): readonly string[] =>
  writes.map(({ verb, object, existed, changes, refused, subresource }) => {
    const what = [object.kind, object.metadata.name, subresource].filter(Boolean).join(" ");
    return `${verb} ${what}: ${refused ?? (existed ? changes.join(" ") : "new")}`;
  });

describe("rehearse", function () {
  this.timeout(30_000);
  before(async function () {
    this.timeout(120_000);
    await using _ = await Workshop.open();
  });

  it("tells what would be written, and writes nothing", async () => {
    await using shop = await Workshop.open();
    const { client, namespace } = shop;
    const widget = await client.create(shop.widget("w"));

    const rehearsal = await rehearse(maker, widget, { client, fieldManagerPrefix: "x-" });

    expect(told(rehearsal)).to.deep.equal([
      "patch Widget w: /metadata/finalizers",
      "apply ConfigMap w-made: new",
      "patch Widget w status: /status",
    ]);
    expect(rehearsal.owned).to.deep.equal([]);
    expect(rehearsal.error).to.equal(undefined);
    expect(await client.find(ConfigMap, "w-made", { namespace })).to.equal(undefined);
    expect(await client.get(Widget, "w", { namespace })).to.deep.equal(widget);
  });

  it("tells what exists, what differs and where, and nothing of what is in order", async () => {
    await using shop = await Workshop.open();
    const { client, namespace } = shop;
    const { maker: made, widget } = await settled(shop);

    const steady = await rehearse(made, widget, { client, fieldManagerPrefix: "x-" });
    const map = await client.get(ConfigMap, "w-made", { namespace });
    await client.patch(map, { merge: { data: { size: "5" } } });
    const drifted = await rehearse(made, widget, { client, fieldManagerPrefix: "x-" });

    expect(told(steady)).to.deep.equal([]);
    expect(steady.owned.map(({ metadata }) => metadata.name)).to.deep.equal(["w-made"]);
    expect(told(drifted)).to.deep.equal(["apply ConfigMap w-made: /data/size"]);
    expect((await client.get(ConfigMap, "w-made", { namespace })).data).to.deep.equal({
      size: "5",
    });
  });

  it("tells what exists in a cluster because of an object of the hub", async () => {
    await using pair = await Pair.open();
    const { hub, cluster, a } = pair;
    const copier: Controller<Widget> = {
      ...{ name: "copier", watches: Widget, hub: ofTeam, select: { namespace: hub.namespace } },
      owns: [owned(ConfigMap, { indexes: { [setIndex.name]: setIndex.of } })],
      reconcile: async (widget, { client, cache, signal }) => {
        const caches = (kind: Parameters<typeof cache>[0]) => cache(kind);
        const options = { owner: widget, prune: [ConfigMap], caches, signal };
        await applySet(client, [cluster.configMap("copy")], options);
        return done;
      },
    };
    const widget = await pair.widget("w", [a]);
    const deps = { client: cluster.client, hub: { client: hub.client }, fieldManagerPrefix: "x-" };

    await reconcileOnce(copier, widget, { ...deps, cluster: a });
    const here = await rehearse(copier, widget, { ...deps, cluster: a });
    const elsewhere = await rehearse(copier, widget, { ...deps, cluster: pair.b });

    expect(here.owned.map(({ metadata }) => metadata.name)).to.deep.equal(["copy"]);
    expect(elsewhere.owned).to.deep.equal([]);
  });

  it("tells what would be deleted", async () => {
    await using shop = await Workshop.open();
    const { client, namespace } = shop;
    const { widget } = await settled(shop);
    const none: Controller<Widget> = {
      name: "maker",
      watches: Widget,
      owns: [owned(ConfigMap, { indexes: { [setIndex.name]: setIndex.of } })],
      reconcile: async (owner, context) => {
        const caches = (kind: Parameters<typeof context.cache>[0]) => context.cache(kind);
        await applySet(context.client, [], { owner, prune: [ConfigMap], caches });
        return done;
      },
    };

    const rehearsal = await rehearse(none, widget, { client, fieldManagerPrefix: "x-" });

    expect(told(rehearsal)).to.deep.equal(["delete ConfigMap w-made: "]);
    expect(await client.find(ConfigMap, "w-made", { namespace })).not.to.equal(undefined);
  });

  it("tells what the server refuses, and what the reconciler throws", async () => {
    await using shop = await Workshop.open();
    const { client } = shop;
    const widget = await client.create(shop.widget("w"));
    const wrong: Controller<Widget> = {
      name: "wrong",
      watches: Widget,
      reconcile: async ({ metadata: { namespace = "" } }, context) => {
        const metadata = { name: "Not A Name", namespace };
        await context.client.create({ apiVersion: "v1", kind: "ConfigMap", metadata });
        return done;
      },
    };

    const rehearsal = await rehearse(wrong, widget, { client });

    expect(told(rehearsal)[0]).to.match(/^create ConfigMap Not A Name: .*Not A Name/);
    expect(rehearsal.error).to.be.instanceOf(Error);
    expect(rehearsal.result).to.equal(undefined);
  });

  it("tells which Events would be recorded, in the hub too, and records none", async () => {
    await using pair = await Pair.open();
    const { hub, cluster, a } = pair;
    const widget = await pair.widget("w", [a]);
    const teller: Controller<Widget> = {
      ...{ name: "teller", watches: Widget },
      reconcile: async (_, { events }) => {
        events.warning("Broken", "mend it");
        return done;
      },
    };
    const recorded: unknown[] = [];
    const events = { event: (...said: unknown[]) => recorded.push(said) };
    const deps = { client: cluster.client, events, hub: { client: hub.client, events } };

    const here = await rehearse(teller, widget, { client: hub.client, events });
    const across = await rehearse({ ...teller, hub: ofTeam }, widget, { ...deps, cluster: a });

    for (const rehearsal of [here, across]) {
      const [{ object, ...told } = { object: undefined }, ...more] = rehearsal.events;
      expect(told).to.deep.equal({ type: "Warning", reason: "Broken", message: "mend it" });
      expect(object?.metadata.name).to.equal(widget.metadata.name);
      expect(more).to.deep.equal([]);
    }
    expect(recorded).to.deep.equal([]);
  });

  it("rejects when its signal aborts the run, whose writes so far are not all", async () => {
    await using shop = await Workshop.open();
    const { client } = shop;
    const widget = await client.create(shop.widget("w"));
    const abort = new AbortController();
    const slow: Controller<Widget> = {
      name: "slow",
      watches: Widget,
      reconcile: async (_, context) => {
        abort.abort(new Error("no time is left"));
        context.signal.throwIfAborted();
        return done;
      },
    };

    const thrown = await rehearse(slow, widget, { client, signal: abort.signal }).catch(
      (error: unknown) => error,
    );

    expect(thrown).to.have.property("message", "no time is left");
  });

  it("refuses raw writes", async () => {
    await using shop = await Workshop.open();
    const { client } = shop;
    const widget = await client.create(shop.widget("w"));
    const raw: Controller<Widget> = {
      name: "raw",
      watches: Widget,
      reconcile: async (_, context) => {
        await context.client.request({ method: "POST", path: "/api/v1/namespaces", body: "{}" });
        return done;
      },
    };

    const { error } = await rehearse(raw, widget, { client });

    expect(error)
      .to.be.instanceOf(TypeError)
      .with.property("message", "a raw write cannot be rehearsed");
  });
});

/** A widget whose ConfigMap and status are as they should be. */
async function settled(shop: Workshop): Promise<{ maker: Controller<Widget>; widget: Widget }> {
  const { client, namespace } = shop;
  const { finalize: _, ...without } = maker;
  const widget = await client.create(shop.widget("w"));
  await reconcileOnce(without, widget, { client, fieldManagerPrefix: "x-" });
  return { maker: without, widget: await client.get(Widget, "w", { namespace }) };
}
