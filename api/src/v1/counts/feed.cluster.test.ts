import { type ControlPlane, freshNamespace, testEnv } from "@drover/env";
import { expect } from "chai";
import { type Client, connect, Informers, loadConfig, silentLogger, systemClock } from "kopf-ts";
import { eventually, fakeClock } from "kopf-ts/testing";
import { accessOf, aRule } from "../access/held.test.support.ts";
import { LiveInventory } from "../inventory/index.ts";
import { methodsOf } from "../schemas/methods.ts";
import { LiveTypes } from "../types/index.ts";
import { aKind, crdOf, install, send, uninstall } from "../types/testing.test.support.ts";
import { type Counts, CountsFeed } from "./feed.ts";

const within = { within: 30_000 };

describe("the feed of counts", function () {
  this.timeout(90_000);

  const stop = new AbortController();
  const clock = fakeClock();
  let plane: ControlPlane;
  let client: Client;
  let informers: Informers;
  let inventory: LiveInventory;
  let feed: CountsFeed;

  before(async () => {
    plane = await testEnv();
    client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
    informers = new Informers(client, { managedFields: "cold" });
    const parts = { client, informers, clock: systemClock, log: silentLogger };
    const types = new LiveTypes(parts);
    void types.start(stop.signal);
    inventory = new LiveInventory({ ...parts, types });
    inventory.start(stop.signal);
    for (const typeId of ["namespace", "secret", "configmap"])
      await eventually(() => inventory.of(typeId)?.synced, within);
    feed = new CountsFeed({
      ...{ types, inventory, clock, log: silentLogger },
      isListed: (type, access) => methodsOf(type, access).collectionMethods.includes("GET"),
    });
  });
  after(async () => {
    stop.abort();
    await informers?.dispose();
    await client?.[Symbol.asyncDispose]();
  });

  /** Somebody who sees one namespace, so that others' objects do not count. */
  async function listening(rules = [aRule("list", "secrets,configmaps")]) {
    const namespace = await freshNamespace(plane);
    await eventually(() => inventory.of("configmap")?.namespaces.has(namespace), within);
    await eventually(() => inventory.standingOf("namespace", "", namespace), within);
    const told: Counts[] = [];
    const watch = feed.subscribe(accessOf({ [namespace]: rules }), (counts) => told.push(counts));
    const make = (plural: string, name: string) =>
      send(client, "POST", `/api/v1/namespaces/${namespace}/${plural}`, { metadata: { name } });
    const known = (typeId: string, count: number) =>
      eventually(() => inventory.of(typeId)?.namespaces.get(namespace)?.count === count, within);
    await settled();
    return { namespace, told, watch, make, known };
  }

  /** What the feed does in the background is done. */
  async function settled(): Promise<void> {
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  }

  it("tells the first change at once and later ones together, of changed types alone", async () => {
    const { namespace, told, watch, make, known } = await listening();
    using _watching = watch;

    await make("secrets", "one");
    await eventually(() => told.length === 1, within);
    const one = { summary: { count: 1 }, namespaces: { [namespace]: { count: 1 } } };
    expect(told[0]).to.deep.equal({ secret: one });

    await make("secrets", "two");
    await make("configmaps", "three");
    await Promise.all([known("secret", 2), known("configmap", 2)]);
    await settled();
    expect(told).to.have.length(1);

    await clock.advance(5_001);
    await eventually(() => told.length === 2, within);
    const two = { summary: { count: 2 }, namespaces: { [namespace]: { count: 2 } } };
    expect(told[1]).to.deep.equal({ secret: two, configmap: two });
  });

  it("tells nothing of what the caller may not see", async () => {
    const { told, watch, make, known } = await listening([aRule("list", "configmaps")]);
    using _watching = watch;

    await make("secrets", "one");
    await known("secret", 1);
    await settled();

    expect(told).to.deep.equal([]);
  });

  it("tells what other rights show, and what they hide", async () => {
    const { namespace, told, watch, make, known } = await listening([aRule("list", "configmaps")]);
    using _watching = watch;
    await make("secrets", "one");
    await known("secret", 1);

    watch.accessChanged(accessOf({ [namespace]: [aRule("list", "secrets")] }));
    await eventually(() => told.length === 1, within);

    expect(told[0]).to.deep.equal({
      secret: { summary: { count: 1 }, namespaces: { [namespace]: { count: 1 } } },
      configmap: { summary: {} },
    });
  });

  it("includes types that come later", async () => {
    const kind = aKind("latecomer");
    const id = `${kind.group}.${kind.kind}`.toLowerCase();
    const rule = { verbs: ["list"], apiGroups: [kind.group], resources: ["*"] };
    const { namespace, told, watch } = await listening([rule]);
    using _watching = watch;

    await install(client, crdOf(kind, {}));
    try {
      const path = `/apis/${kind.group}/v1/namespaces/${namespace}/${kind.plural}`;
      const body = { apiVersion: `${kind.group}/v1`, kind: kind.kind };
      await send(client, "POST", path, { ...body, metadata: { name: "one" } });
      await eventually(async () => {
        await clock.advance(5_001);
        return told.some((counts) => counts[id]?.summary.count === 1);
      }, within);
    } finally {
      await uninstall(client, kind);
    }
  });

  it("tells nothing after it was disposed", async () => {
    const { told, watch, make, known } = await listening();
    watch[Symbol.dispose]();

    await make("secrets", "one");
    await known("secret", 1);
    await settled();

    expect(told).to.deep.equal([]);
  });
});
