import { expect } from "chai";
import { type Logger, silentLogger } from "../base/index.ts";
import { defineKind } from "../kube/index.ts";
import { fakeClock } from "../testing/index.ts";
import { type Controller, done, reconcileOnce, requeueAfter } from "./index.ts";
import { ConfigMap, Widget, Workshop } from "./testing/widgets.ts";

const copier: Controller<Widget> = {
  name: "copier",
  watches: Widget,
  reads: [ConfigMap],
  finalize: async () => done,
  reconcile: async (widget, { client, cache, clock, key }) => {
    const [namespace = ""] = key.split("/");
    const size = Number(cache(ConfigMap).get(`${namespace}/settings`)?.data?.size ?? 0);
    const status = { size, note: new Date(clock.now()).toISOString() };
    await client.patch(widget, { merge: { status } }, { subresource: "status" });
    return requeueAfter(1000);
  },
};

describe("reconcileOnce", function () {
  this.timeout(30_000);
  before(async function () {
    this.timeout(120_000);
    await using _ = await Workshop.open();
  });

  it("runs a controller as its runner would, on what the server has now", async () => {
    await using shop = await Workshop.open();
    const { client } = shop;
    await client.create(shop.configMap("settings", { size: "4" }));
    const widget = await client.create(shop.widget("w"));
    const clock = fakeClock("2030-01-01T00:00:00Z");

    const result = await reconcileOnce(copier, widget, { client, clock, fieldManagerPrefix: "x-" });

    const after = await client.get(Widget, "w", { namespace: shop.namespace });
    expect(result).to.deep.equal({ requeueAfter: 1000 });
    expect(after.status).to.deep.equal({ size: 4, note: "2030-01-01T00:00:00.000Z" });
    expect(after.metadata.finalizers).to.deep.equal(["kopf-ts.dev/copier"]);
    expect(JSON.stringify(after.metadata.managedFields)).to.include("x-copier");
    await client.patch(widget, { merge: { metadata: { finalizers: null } } });
  });

  it("rejects with what the controller throws", async () => {
    await using shop = await Workshop.open();
    const widget = await shop.client.create(shop.widget("w"));
    const broken = {
      ...copier,
      finalize: copier.reconcile,
      reconcile: () => Promise.reject(new Error("no")),
    };

    const thrown = await reconcileOnce({ ...broken, finalizer: "a.dev/b" }, widget, {
      client: shop.client,
    }).catch((error: unknown) => error);

    expect(thrown).to.have.property("message", "no");
    await shop.client.patch(widget, { merge: { metadata: { finalizers: null } } });
  });

  it("names the caches that do not fill in time, and why", async () => {
    await using shop = await Workshop.open();
    const { client } = shop;
    const ghosts = defineKind<Widget>({ ...Widget, kind: "Ghost", plural: "ghosts" });
    const waiting: Controller<Widget> = { ...copier, name: "waiting", reads: [ghosts, ConfigMap] };
    const abort = new AbortController();
    const logger: Logger = {
      ...silentLogger,
      child: () => logger,
      warn: () => abort.abort(new Error("no time is left")), // the watch of ghosts says that it waits
    };
    const deps = { client, logger, signal: abort.signal };

    const thrown = await reconcileOnce(waiting, "x/y", deps).catch((error: unknown) => error);

    expect(thrown)
      .to.have.property("message")
      .that.matches(/^caches are not filled: .*ghosts\.\S+ \((?!listing).+\)/);
    expect(thrown).to.have.nested.property("cause.message", "no time is left");
  });

  it("finalizes, and tells what is gone by its key", async () => {
    await using shop = await Workshop.open();
    const { client } = shop;
    const calls: string[] = [];
    const controller: Controller<Widget> = {
      ...copier,
      finalize: async () => {
        calls.push("finalize");
        return done;
      },
      gone: async (key) => {
        calls.push(`gone ${key}`);
        return done;
      },
    };
    const finalizers = ["kopf-ts.dev/copier"];
    const widget = await client.create(shop.widget("w", {}, { finalizers }));
    const key = `${shop.namespace}/w`;
    await client.delete(widget);

    await reconcileOnce(controller, widget, { client });
    await reconcileOnce(controller, key, { client });

    expect(calls).to.deep.equal(["finalize", `gone ${key}`]);
  });
});
