import type { ServerResponse } from "node:http";
import { type ControlPlane, testEnv } from "@drover/env";
import { expect } from "chai";
import { type Logger, silentLogger } from "../../base/index.ts";
import type { Client } from "../client.ts";
import { loadConfig } from "../config/load.ts";
import { connect } from "../connect.ts";
import { Crd, installWidgets, uniqueGroup, widgetCrd } from "../custom-kind.test.support.ts";
import { refTo } from "../kind.ts";
import {
  clientOf,
  fail,
  json,
  loopback,
  ManualClock,
  rejection,
  type Script,
  until,
} from "../loopback.test.support.ts";
import type { ServedKind } from "./discover.ts";
import { RestMapper } from "./mapper.ts";

describe("RestMapper on a real API server", function () {
  this.timeout(30_000);
  let plane: ControlPlane;
  let client: Client;
  before(async function () {
    this.timeout(90_000);
    plane = await testEnv();
    client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
  });
  after(() => client[Symbol.asyncDispose]());

  it("knows kinds by apiVersion and kind", async () => {
    const mapper = new RestMapper(client);

    expect(await mapper.kindFor("v1", "Pod")).to.include({ plural: "pods", scope: "Namespaced" });
    expect(await mapper.kindFor("apps/v1", "Deployment")).to.include({ plural: "deployments" });
  });

  it("knows the preferred version of a resource", async () => {
    const mapper = new RestMapper(client);

    expect(await mapper.preferred("horizontalpodautoscalers.autoscaling")).to.include({
      version: "v2",
    });
    expect(await mapper.preferred("nope.example.com")).to.equal(undefined);
  });

  it("finds a CRD as soon as it is established, though it has asked before", async () => {
    const group = uniqueGroup();
    const mapper = new RestMapper(client);
    const before = await rejection(mapper.kindFor(`${group}/v1`, "Widget"));

    await installWidgets(client, group);
    let found: ServedKind | undefined;
    while (found === undefined) {
      found = await mapper.kindFor(`${group}/v1`, "Widget").catch(() => undefined);
    }

    expect(before).to.include({ code: 0, reason: "UnknownKind" });
    expect(found).to.include({ plural: "widgets" });
    await client.delete(refTo(Crd, `widgets.${group}`));
  });

  it("once started, learns of new CRDs, new versions and removed CRDs by itself", async () => {
    const group = uniqueGroup();
    const stop = new AbortController();
    const failures: unknown[] = [];
    const logger: Logger = {
      ...silentLogger,
      debug: (_text, fields) => void failures.push(fields),
    };
    const mapper = new RestMapper(client, { logger });
    let told: readonly ServedKind[] = [];
    using _ = mapper.subscribe((kinds) => {
      told = kinds;
    });
    const versions = (): string =>
      told
        .filter((kind) => kind.group === group)
        .map(({ version }) => version)
        .toSorted()
        .join();
    const toldOf = async (expected: string): Promise<void> => {
      const end = performance.now() + 8_000;
      while (versions() !== expected) {
        if (performance.now() > end) throw new Error(`told of ${versions()}, not ${expected}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    const following = mapper.start(stop.signal);
    await until(() => told.length > 0);
    const ref = refTo(Crd, `widgets.${group}`);

    await installWidgets(client, group);
    await toldOf("v1");
    expect(await mapper.kindFor(`${group}/v1`, "Widget")).to.include({ plural: "widgets" });

    await client.patch(ref, { merge: { spec: widgetCrd(group, ["v1", "v2"]).spec } });
    await toldOf("v1,v2");
    expect((await mapper.preferred(`widgets.${group}`))?.version).to.equal("v2");

    await client.delete(ref);
    await toldOf("");
    expect(await rejection(mapper.kindFor(`${group}/v1`, "Widget"))).to.include({
      reason: "UnknownKind",
    });

    stop.abort();
    await following;
    expect(failures, "the watches stood").to.deep.equal([]);
  });
});

describe("RestMapper on a server of our own", () => {
  const pods = { name: "pods", kind: "Pod", namespaced: true, verbs: ["create"] };
  const list = (...resources: object[]): object => ({ kind: "APIResourceList", resources });

  it("asks once for many that want to know, and not again for what it knows", async () => {
    await using server = await loopback((response) => json(response, list(pods)));
    await using client = clientOf(server);
    const mapper = new RestMapper(client);

    await Promise.all(Array.from({ length: 20 }, () => mapper.kindFor("v1", "Pod")));
    await mapper.kindFor("v1", "Pod");

    expect(server.seen.map(({ path }) => path)).to.deep.equal(["/api/v1"]);
  });

  it("asks at most once a second for what there is not", async () => {
    const clock = new ManualClock();
    await using server = await loopback((response) => json(response, list(pods)));
    await using client = clientOf(server);
    const mapper = new RestMapper(client, { clock });
    const ask = (): Promise<unknown> => rejection(mapper.kindFor("v1", "Nope"));

    for (let question = 0; question < 10; question++) await ask();
    expect(server.seen).to.have.length(1);
    clock.advance(1_000);
    await ask();

    expect(server.seen).to.have.length(2);
  });

  it("forgets when it is told to", async () => {
    await using server = await loopback((response) => json(response, list(pods)));
    await using client = clientOf(server);
    const mapper = new RestMapper(client);
    await mapper.kindFor("v1", "Pod");

    mapper.invalidate();
    await mapper.kindFor("v1", "Pod");

    expect(server.seen).to.have.length(2);
  });

  it("prefers the resource that can be created where two share a kind", async () => {
    const view = { ...pods, name: "podviews", verbs: ["get"] };
    await using server = await loopback((response) => json(response, list(view, pods, view)));
    await using client = clientOf(server);

    expect(await new RestMapper(client).kindFor("v1", "Pod")).to.include({ plural: "pods" });
  });

  it("ends one caller's wait without ending the others'", async () => {
    const answer = Promise.withResolvers<void>();
    await using server = await loopback(async (response) => {
      await answer.promise;
      json(response, list(pods));
    });
    await using client = clientOf(server);
    const mapper = new RestMapper(client);
    const controller = new AbortController();

    const impatient = rejection(mapper.kindFor("v1", "Pod", { signal: controller.signal }));
    const patient = mapper.kindFor("v1", "Pod");
    await until(() => server.seen.length === 1);
    controller.abort("enough");

    expect(await impatient).to.equal("enough");
    answer.resolve();
    expect(await patient).to.include({ plural: "pods" });
  });

  describe("once started", () => {
    const aggregated = (freshness: string, resources: readonly object[]): object => ({
      kind: "APIGroupDiscoveryList",
      items: [{ metadata: { name: "g" }, versions: [{ version: "v1", freshness, resources }] }],
    });
    const widgets = {
      resource: "widgets",
      responseKind: { kind: "Widget" },
      scope: "Namespaced",
    };

    /** Answers /apis as told, /api with nothing, and watches never. */
    const serving =
      (apis: () => object, watch: Script): Script =>
      (response, request, index) => {
        if (request.path.includes("watch=1")) return watch(response, request, index);
        return json(response, request.path === "/apis" ? apis() : aggregated("Current", []));
      };
    const silent: Script = (response) => void response.writeHead(200).flushHeaders();

    it("keeps the kinds of a group that does not answer, and says so once", async () => {
      let document = aggregated("Current", [widgets]);
      const clock = new ManualClock();
      const warned: unknown[] = [];
      const logger: Logger = { ...silentLogger, warn: (_text, fields) => void warned.push(fields) };
      const watches: ServerResponse[] = [];
      await using server = await loopback(
        serving(
          () => document,
          (response, request, index) => {
            watches.push(response);
            return silent(response, request, index);
          },
        ),
      );
      await using client = clientOf(server);
      const mapper = new RestMapper(client, { clock, logger });
      const stop = new AbortController();
      let count = 0;
      using _ = mapper.subscribe(() => {
        count++;
      });
      const asked = (): number => server.seen.filter(({ path }) => path === "/apis").length;
      const following = mapper.start(stop.signal);
      await until(() => clock.waiting().includes(100) && watches.length === 2);
      clock.advance(100);
      await until(() => clock.waiting().includes(2_000));

      document = aggregated("Stale", []);
      for (const looks of [2, 3]) {
        watches[0]?.write("{}\n");
        await until(() => clock.waiting().some((delay) => delay <= 1_000));
        clock.advance(1_000);
        await until(() => asked() === looks);
        await until(() => clock.waiting().includes(2_000));
      }

      expect(await mapper.kindFor("g/v1", "Widget")).to.include({ plural: "widgets" });
      expect(mapper.failures.map(({ apiVersion }) => apiVersion)).to.deep.equal(["g/v1"]);
      expect(count).to.equal(1);
      expect(warned).to.deep.equal([
        { apiVersion: "g/v1", error: "g/v1 does not answer, what is known of it may be old" },
      ]);
      stop.abort();
      await following;
    });

    it("polls where it may not watch", async () => {
      const clock = new ManualClock();
      let document = aggregated("Current", []);
      await using server = await loopback(
        serving(
          () => document,
          (response) => fail(response, 403, "Forbidden"),
        ),
      );
      await using client = clientOf(server);
      const mapper = new RestMapper(client, { clock });
      const stop = new AbortController();
      let told: readonly ServedKind[] = [];
      using _ = mapper.subscribe((kinds) => {
        told = kinds;
      });
      const following = mapper.start(stop.signal);
      await until(() => clock.waiting().filter((delay) => delay >= 60_000).length === 2);

      document = aggregated("Current", [widgets]);
      clock.advance(120_000);
      await until(() => clock.waiting().some((delay) => delay <= 1_000));
      clock.advance(1_000);

      await until(() => told.length === 1);
      stop.abort();
      await following;
    });

    it("ends with its signal, and whoever waited for the same answer asks again", async () => {
      const clock = new ManualClock();
      let asked = 0;
      await using server = await loopback((response, request, index) => {
        if (request.path === "/apis" && asked++ === 0) return undefined; // never answered
        return serving(() => aggregated("Current", [widgets]), silent)(response, request, index);
      });
      await using client = clientOf(server);
      const mapper = new RestMapper(client, { clock });
      const stop = new AbortController();
      const following = mapper.start(stop.signal);
      clock.advance(100);
      await until(() => asked === 1);
      const kinds = mapper.kinds();

      stop.abort(new Error("enough"));
      await following;

      expect((await kinds).map(({ plural }) => plural)).to.deep.equal(["widgets"]);
      expect(asked).to.equal(2);
      await until(() => clock.waiting().length === 0);
    });

    it("tries discovery again when it fails", async () => {
      const clock = new ManualClock();
      let broken = true;
      await using server = await loopback((response, request, index) =>
        broken && !request.path.includes("watch=1")
          ? fail(response, 501, "NotImplemented")
          : serving(() => aggregated("Current", [widgets]), silent)(response, request, index),
      );
      await using client = clientOf(server);
      const warned: unknown[] = [];
      const logger: Logger = { ...silentLogger, warn: (message) => void warned.push(message) };
      const mapper = new RestMapper(client, { clock, logger });
      const stop = new AbortController();
      let count = 0;
      using _ = mapper.subscribe(() => {
        count++;
      });
      const following = mapper.start(stop.signal);
      clock.advance(100);
      for (let failures = 1; failures <= 3; failures++) {
        await until(() => clock.waiting().includes(5_000));
        if (failures < 3) clock.advance(5_000);
      }

      broken = false;
      clock.advance(5_000);
      await until(() => count === 1);

      expect(warned, "said once").to.deep.equal(["served kinds could not be read"]);
      stop.abort();
      await following;
      await until(() => clock.waiting().length === 0);
    });
  });
});
