import { testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import type { Client } from "./client.ts";
import { loadConfig } from "./config/load.ts";
import { connect } from "./connect.ts";
import { Crd, installWidgets, uniqueGroup, widgetCrd } from "./custom-kind.test.support.ts";
import { ApiError } from "./errors.ts";
import { defineKind, type Kind, refTo } from "./kind.ts";
import { type KindSource, KnownKinds } from "./known-kinds.ts";
import {
  aConfigMap,
  ConfigMap,
  clientOf,
  fail,
  json,
  loopback,
  ManualClock,
  rejection,
  type Script,
  until,
} from "./loopback.test.support.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** For a kind of which discovery does not tell yet. */
function undefinedIfUnknown(error: unknown): undefined {
  if (!(error instanceof ApiError && error.reason === "UnknownKind")) throw error;
}

const nowhere: KindSource = {
  kindFor: () => Promise.reject(new Error("nobody was to be asked")),
  forget: () => undefined,
};

describe("KnownKinds", () => {
  it("keeps the first kind of each apiVersion and kind, whoever declares it", () => {
    const kinds = new KnownKinds([ConfigMap], nowhere, new ManualClock());

    kinds.meet(defineKind({ ...ConfigMap }));

    expect(kinds.find("v1", "ConfigMap")).to.equal(ConfigMap);
    expect(kinds.find("v1", "Secret")).to.equal(undefined);
  });

  it("holds no kind that it has met before under another object", async () => {
    const kinds = new KnownKinds([ConfigMap], nowhere, new ManualClock());
    const met = (() => {
      const again = defineKind({ ...ConfigMap });
      kinds.meet(again);
      return new WeakRef(again);
    })();

    await turn(); // a WeakRef that was made in this turn holds its object
    globalThis.gc?.();

    expect(met.deref()).to.equal(undefined);
    expect(kinds.find("v1", "ConfigMap")).to.equal(ConfigMap);
  });
});

/** What a server says of the ConfigMaps it serves. */
function versionOf(scope: "Namespaced" | "Cluster", name = "configmaps"): object {
  const resource = {
    name,
    kind: "ConfigMap",
    namespaced: scope === "Namespaced",
    verbs: ["create"],
  };
  return { kind: "APIResourceList", groupVersion: "v1", resources: [resource] };
}

describe("the time of a call that must ask for its kind", () => {
  const object = aConfigMap();

  it("ends while the server does not say what it serves", async () => {
    await using server = await loopback(() => undefined);
    await using client = clientOf(server, { kinds: [] });

    const error = await rejection(client.create(object, { timeout: 50 }));

    expect(error).to.include({ code: 0, reason: "Timeout", path: "/api/v1" });
    expect(error)
      .to.have.property("message")
      .that.matches(/time is up after 0.05 s, asking which kinds are served$/);
  });

  it("ends with its signal's own reason", async () => {
    await using server = await loopback(() => undefined);
    await using client = clientOf(server, { kinds: [] });
    const controller = new AbortController();

    const failed = rejection(client.delete(object, { signal: controller.signal }));
    await until(() => server.seen.length === 1);
    controller.abort("enough");

    expect(await failed).to.equal("enough");
  });

  it("ends with the client", async () => {
    await using server = await loopback(() => undefined);
    const client = clientOf(server, { kinds: [] });

    const failed = rejection(client.update(object));
    await until(() => server.seen.length === 1);
    await client[Symbol.asyncDispose]();

    expect(await failed).to.include({ code: 0, reason: "Closed" });
  });

  it("covers the question and the request together", async () => {
    const clock = new ManualClock();
    const asked = Promise.withResolvers<void>();
    await using server = await loopback(async (response, _request, index) => {
      if (index > 0) return; // the request itself is never answered
      await asked.promise;
      json(response, versionOf("Namespaced"));
    });
    await using client = clientOf(server, { kinds: [], clock });

    const failed = rejection(client.patch(object, { merge: {} }, { timeout: 10_000 }));
    await until(() => server.seen.length === 1);
    clock.advance(9_000);
    asked.resolve();
    await until(() => server.seen.length === 2);
    clock.advance(1_000);

    expect(await failed).to.include({ code: 0, reason: "Timeout", method: "PATCH" });
    expect(clock.waiting()).to.deep.equal([]);
  });
});

describe("a kind that was learned", () => {
  const object = aConfigMap();

  /** A server that serves ConfigMaps under one path at a time, which `serve` changes. */
  function movable() {
    let now = { document: versionOf("Namespaced"), path: "/api/v1/namespaces/default/configmaps" };
    const script: Script = (response, { path, method }) => {
      if (path === "/api/v1") json(response, now.document);
      else if (path.split("?")[0] === now.path) json(response, object);
      else if (method === "POST") fail(response, 405, "MethodNotAllowed");
      else response.writeHead(404).end("404 page not found");
    };
    const serve = (document: object, path: string): void => {
      now = { document, path };
    };
    return { script, serve };
  }

  it("is learned anew when its scope has changed", async () => {
    const { script, serve } = movable();
    await using server = await loopback(script);
    await using client = clientOf(server, { kinds: [] });
    await client.create(object);

    serve(versionOf("Cluster"), "/api/v1/configmaps");
    const created = await client.create(object);

    expect(created).to.deep.equal(object);
    expect(server.seen.map(({ path }) => path)).to.deep.equal([
      "/api/v1",
      "/api/v1/namespaces/default/configmaps",
      "/api/v1/namespaces/default/configmaps",
      "/api/v1",
      "/api/v1/configmaps",
    ]);
  });

  it("is learned anew when its plural has changed", async () => {
    const { script, serve } = movable();
    await using server = await loopback(script);
    await using client = clientOf(server, { kinds: [] });
    await client.create(object);

    serve(versionOf("Namespaced", "maps"), "/api/v1/namespaces/default/maps/a");

    expect(await client.update(object)).to.deep.equal(object);
  });

  it("is asked for at most once a second, however many requests are wrong", async () => {
    const clock = new ManualClock();
    const { script } = movable();
    await using server = await loopback((response, request, index) =>
      request.method === "GET"
        ? script(response, request, index)
        : fail(response, 400, "BadRequest"),
    );
    await using client = clientOf(server, { kinds: [], clock });
    const questions = (): number => server.seen.filter(({ path }) => path === "/api/v1").length;

    for (let call = 0; call < 10; call++) await rejection(client.create(object));
    expect(questions(), "learned, and doubted once").to.equal(2);
    clock.advance(1_000);
    const error = await rejection(client.create(object));

    expect(questions()).to.equal(3);
    expect(error).to.include({ code: 400, reason: "BadRequest" });
  });

  it("is left alone when somebody named it", async () => {
    await using server = await loopback((response) => fail(response, 405, "MethodNotAllowed"));
    await using client = clientOf(server);

    expect(await rejection(client.create(object))).to.include({ code: 405 });
    expect(server.seen).to.have.length(1);
  });
});

describe("a CRD that is made again with another scope", function () {
  this.timeout(30_000);
  let admin: Client;
  let kubeconfig: string;
  before(async function () {
    this.timeout(90_000);
    kubeconfig = (await testEnv()).kubeconfigPath;
    admin = connect(await loadConfig({ kubeconfig }));
  });
  after(() => admin[Symbol.asyncDispose]());

  it("is used by a client that knew the old one", async () => {
    const group = uniqueGroup();
    const Widget: Kind = await installWidgets(admin, group);
    await using client = connect(await loadConfig({ kubeconfig }));
    const named = (metadata: { name: string; namespace?: string }) => ({
      apiVersion: `${group}/v1`,
      kind: "Widget",
      metadata,
    });
    await client.create(named({ name: uniqueName("old"), namespace: "default" }));

    await admin.delete(refTo(Crd, `widgets.${group}`));
    while ((await admin.find(Crd, `widgets.${group}`)) !== undefined) await turn();
    const crd = widgetCrd(group);
    await admin.create({ ...crd, spec: { ...crd.spec, scope: "Cluster" } });
    const ClusterWidget = defineKind({ ...Widget, scope: "Cluster" });
    while ((await admin.list(ClusterWidget).catch(() => undefined)) === undefined) await turn();

    // The server serves the kind a moment before its discovery tells of it.
    const create = () => client.create(named({ name: "new" })).catch(undefinedIfUnknown);
    let created = await create();
    while (created === undefined) created = await create();
    expect(created.metadata).to.have.property("uid");
    expect(await client.delete(named({ name: "new" }))).to.equal(true);
  });
});
