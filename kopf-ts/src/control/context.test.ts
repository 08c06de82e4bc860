import { expect } from "chai";
import { applySet, patchStatus } from "../apply/index.ts";
import { connect, type KubeObject } from "../kube/index.ts";
import { eventually } from "../testing/index.ts";
import { type Controller, done, owned, readable, UndeclaredKind } from "./index.ts";
import { ConfigMap, type Data, recordedLog, Team, Widget, Workshop } from "./testing/widgets.ts";

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

describe("the context of a reconcile has", function () {
  this.timeout(30_000);
  before(async function () {
    this.timeout(120_000);
    await using _ = await Workshop.open();
  });

  it("caches of the kinds that it declares, and of no other", async () => {
    await using shop = await Workshop.open();
    await shop.client.create(shop.configMap("settings", { size: "7" }));
    await shop.client.create(shop.widget("w"));
    const { log, lines } = recordedLog();
    let seen: Data | undefined;
    const reader: Controller<Widget> = {
      name: "reader",
      watches: Widget,
      reads: [readable(ConfigMap, { select: { namespace: shop.namespace } })],
      reconcile: async (_, { cache }) => {
        seen = cache(ConfigMap).get(`${shop.namespace}/settings`);
        cache(Team);
        return done;
      },
    };
    await using _running = await shop.run(reader, { logger: log });

    await eventually(() => lines.length > 0, { what: "the error" });
    expect(seen?.data?.size).to.equal("7");
    expect(lines[0]?.fields.error).to.be.instanceOf(UndeclaredKind);
    expect(String(lines[0]?.fields.error)).to.match(
      /reader reads teams\.control\.kopf-ts\.dev without declaring it/,
    );
  });

  it("a log that names the run", async () => {
    await using shop = await Workshop.open();
    await shop.client.create(shop.widget("w"));
    const { log, lines } = recordedLog();
    const ids: string[] = [];
    await using _running = await shop.run(
      {
        ...sizer,
        reconcile: async (_, { log: own, reconcileId }) => {
          ids.push(reconcileId);
          own.info("hello");
          return done;
        },
      },
      { logger: log, cluster: "c-1" },
    );

    const line = await eventually(() => lines[0], { what: "the line" });

    expect(line.fields).to.deep.equal({
      controller: "sizer",
      kind: "Widget",
      cluster: "c-1",
      namespace: shop.namespace,
      name: "w",
      reconcileId: ids[0],
    });
  });

  it("a client under the controller's field manager", async () => {
    await using shop = await Workshop.open();
    await shop.client.create(shop.widget("w", { size: 3 }));
    await using _running = await shop.run(sizer, { fieldManagerPrefix: "drover-" });

    const { metadata } = await shop.widgetWhich("w", ({ status }) => status?.size === 3, "status");

    expect(managersOf({ metadata })).to.include("drover-sizer");
  });

  it("a client by which applySet and patchStatus know who writes", async () => {
    await using shop = await Workshop.open();
    await shop.client.create(shop.widget("w", { size: 3 }));
    const maker: Controller<Widget> = {
      ...sizer,
      owns: [owned(ConfigMap, { select: { namespace: shop.namespace } })],
      reconcile: async (widget, { client }) => {
        const options = { owner: widget, prune: [ConfigMap] };
        await applySet(client, [shop.configMap("child")], options);
        await applySet(client.as({ user: "admin", groups: ["system:masters"] }), [], {
          ...options,
          id: "none",
        });
        await patchStatus(client, widget, { size: 3 });
        return done;
      },
    };
    await using _running = await shop.run(maker, { fieldManagerPrefix: "drover-" });

    const widget = await shop.widgetWhich("w", ({ status }) => status?.size === 3, "status");
    const child = await shop.client.get(ConfigMap, "child", { namespace: shop.namespace });

    expect(managersOf(child)).to.deep.equal(["drover-sizer"]);
    expect(managersOf(widget)).to.include("drover-sizer");
    expect(child.metadata.annotations).to.include({ "objectset.rio.cattle.io/id": "drover-sizer" });
  });

  it("a client that asks the fence before each write", async () => {
    await using shop = await Workshop.open();
    await shop.client.create(shop.widget("w", { size: 3 }));
    const { log, lines } = recordedLog();
    const fence = (): void => {
      throw new Error("somebody else leads");
    };
    await using _running = await shop.run(sizer, { fence, logger: log });

    await eventually(() => lines.length > 0, { what: "the refusal" });

    const widget = await shop.client.get(Widget, "w", { namespace: shop.namespace });
    expect(widget.status).to.equal(undefined);
    expect(String(lines[0]?.fields.error)).to.equal("Error: somebody else leads");
  });

  it("a client that asks the fence again before it repeats a write", async () => {
    await using shop = await Workshop.open();
    await shop.client.create(shop.widget("w", { size: 3 }));
    const { log, lines } = recordedLog();
    let asked = 0;
    const fence = (): void => {
      asked += 1;
      if (asked > 1) throw new Error("somebody else leads");
    };
    await using client = connect(shop.proxy.config, { kinds: [Widget] });
    const busy = { kind: "status", code: 429, retryAfter: 0 } as const;
    shop.proxy.next(busy, ({ method }) => method === "PATCH");
    const backoff = { min: 60_000, max: 60_000 };
    await using _running = await shop.run({ ...sizer, backoff }, { client, fence, logger: log });

    await eventually(() => lines.length > 0, { what: "the refusal" });

    const widget = await shop.client.get(Widget, "w", { namespace: shop.namespace });
    expect(widget.status).to.equal(undefined);
    expect(asked).to.equal(2);
  });

  it("events about the object under the controller's name", async () => {
    await using shop = await Workshop.open();
    const widget = await shop.client.create(shop.widget("w"));
    const told: unknown[][] = [];
    const teller: Controller<Widget> = {
      ...sizer,
      reconcile: async (_, { events }) => {
        events.normal("Sized", "it has a size");
        events.warning("Small", "it is small");
        return done;
      },
    };
    const sink = { event: (...event: unknown[]) => void told.push(event) };
    await using _running = await shop.run(teller, {
      events: sink,
      fieldManagerPrefix: "drover-",
    });

    await eventually(() => told.length === 2, { what: "the events" });

    const [[about, event]] = told as [[KubeObject, unknown]];
    expect(about.metadata.uid).to.equal(widget.metadata.uid);
    expect(event).to.deep.equal({
      reportingController: "drover-sizer",
      type: "Normal",
      reason: "Sized",
      message: "it has a size",
    });
  });
});

function managersOf({ metadata }: Pick<KubeObject, "metadata">): readonly unknown[] {
  return (metadata.managedFields ?? []).map((entry) => Reflect.get(Object(entry), "manager"));
}
