import { expect } from "chai";
import { silentLogger, systemClock } from "kopf-ts";
import { eventually, fakeClock } from "kopf-ts/testing";
import { Served } from "../listener/testing/served.ts";
import { send } from "../stage.ts";
import type { Access, AccessSets } from "./access/access.ts";
import { accessOf, aRule } from "./access/held.test.support.ts";
import { problem } from "./problem.ts";
import type { TypeRequest } from "./request.ts";
import type { Route } from "./route.ts";
import { type Handlers, router } from "./router.ts";
import { methodsOf } from "./schemas/index.ts";
import { aType } from "./types/a-type.test.support.ts";
import { KnownTypes } from "./types/index.ts";

const everything = accessOf({ "": [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }] });

/** Whoever asks has these rights. */
function setsOf(access: Access | (() => Access)): AccessSets {
  return {
    of: () => (typeof access === "function" ? access() : access),
    onChange: () => ({ [Symbol.dispose]: () => undefined }),
    ready: () => Promise.resolve(),
  };
}

/** Handlers that answer with which of them was called, and where. */
function tellingHandlers(): Handlers {
  const telling =
    (what: string) =>
    ({ exchange, type, namespace, name, link }: TypeRequest): Promise<void> => {
      const text = JSON.stringify([what, type.id, namespace, name, link].filter((each) => each));
      send(exchange.response, 200, text, "application/json");
      return Promise.resolve();
    };
  return {
    ...{ list: telling("list"), get: telling("get"), create: telling("create") },
    ...{ update: telling("update"), patch: telling("patch"), remove: telling("remove") },
  };
}

function theTypes(): KnownTypes {
  const types = new KnownTypes(silentLogger);
  types.replace([
    aType({ kind: "Pod" }),
    aType({ kind: "Node", scope: "Cluster" }),
    aType({ kind: "Deployment", group: "apps" }),
    aType({ kind: "Token", group: "management.cattle.io", scope: "Cluster" }),
  ]);
  return types;
}

interface Wish {
  readonly access?: Access | (() => Access);
  readonly types?: KnownTypes;
  readonly handlers?: Partial<Handlers>;
  readonly clock?: Parameters<typeof router>[0]["clock"];
  readonly several?: Parameters<typeof router>[0]["several"];
}

/** A route that says its name. */
function saying(name: string): Route {
  return async ({ response }) => send(response, 200, JSON.stringify(name), "application/json");
}

/** A router behind a real listener. */
function open({ access = everything, types = theTypes(), ...wish }: Wish = {}): Promise<Served> {
  const handlers = { ...tellingHandlers(), ...wish.handlers };
  const routes = {
    counts: saying("counts"),
    search: saying("search"),
  };
  const { clock = systemClock } = wish;
  const telling: Wish["several"] = async (request) => {
    const { exchange, type, resourceType, namespace } = request;
    const text = JSON.stringify(["several", type, resourceType, namespace]);
    send(exchange.response, 200, text, "application/json");
  };
  const several = wish.several ?? telling;
  return Served.open([
    router({ types, access: setsOf(access), clock, methodsOf, handlers, routes, several }),
    ({ response }) => Promise.resolve(send(response, 200, '"next"', "application/json")),
  ]);
}

describe("the router of /v1", () => {
  for (const [method, path, answer] of [
    ["GET", "/v1/pods", ["list", "pod"]],
    ["GET", "/v1/pods/", ["list", "pod"]],
    ["HEAD", "/v1/pods", undefined],
    ["GET", "/v1/pod", ["list", "pod"]],
    ["GET", "/v1/Pods", ["list", "pod"]],
    ["GET", "/v1/apps.deployments", ["list", "apps.deployment"]],
    ["GET", "/v1/APPS.Deployment", ["list", "apps.deployment"]],
    ["GET", "/v1/pods/default", ["list", "pod", "default"]],
    ["GET", "/v1/pods/default/", ["list", "pod", "default"]],
    ["GET", "/v1/pods/default/a", ["get", "pod", "default", "a"]],
    ["GET", "/v1/pods/default/a%20b", ["get", "pod", "default", "a b"]],
    ["GET", "/v1/pods/default/a/log", ["get", "pod", "default", "a", "log"]],
    ["GET", "/v1/nodes/n", ["get", "node", "n"]],
    ["POST", "/v1/pods", ["create", "pod"]],
    ["POST", "/v1/pods/default", ["create", "pod", "default"]],
    ["POST", "/v1/pods?action=", ["create", "pod"]],
    ["PUT", "/v1/pods/default/a", ["update", "pod", "default", "a"]],
    ["PATCH", "/v1/pods/default/a", ["patch", "pod", "default", "a"]],
    ["DELETE", "/v1/nodes/n", ["remove", "node", "n"]],
    ["GET", "/v1/nodes/n?_method=DELETE", ["remove", "node", "n"]],
    ["POST", "/v1/pods?_method=get", ["list", "pod"]],
    ["GET", "/v1/pods?_method=", ["list", "pod"]],
    ["GET", "/v1/counts", "counts"],
    ["GET", "/v1/search?clusters=a", "search"],
    ["GET", "/v1/Counts", "counts"],
    ["GET", "/v2/pods", "next"],
    ["GET", "/v1x", "next"],
  ] as const) {
    it(`hands ${method} ${path} to ${JSON.stringify(answer)}`, async () => {
      await using served = await open();

      const { status, body } = await served.call(path, { method });

      expect(status).to.equal(200);
      if (answer !== undefined) expect(JSON.parse(body)).to.deep.equal(answer);
    });
  }

  for (const [method, path, status, code, message] of [
    ["OPTIONS", "/v1/pods", 405, "MethodNotAllowed", "Invalid method OPTIONS not supported"],
    [
      "GET",
      "/v1/pods?_method=ERASE",
      405,
      "MethodNotAllowed",
      "Invalid method ERASE not supported",
    ],
    ["DELETE", "/v1/pods", 403, "PermissionDenied", "Method DELETE not supported"],
    ["GET", "/v1/management.cattle.io.tokens", 403, "PermissionDenied", "Method GET not supported"],
    [
      "GET",
      "/v1/management.cattle.io.tokens?clusters=local",
      403,
      "PermissionDenied",
      "Method GET not supported",
    ],
    ...(
      [
        ["DELETE", "/v1/pods/a/b"],
        ["PUT", "/v1/pods/a/b"],
        ["PATCH", "/v1/nodes/n"],
        ["POST", "/v1/pods/a"],
        ["GET", "/v1/pods/a/b"],
        ["GET", "/v1/nodes/n"],
        ["GET", "/v1/counts"],
      ] as const
    ).map(
      ([method, path]) =>
        [
          method,
          `${path}?clusters=c-prod`,
          422,
          "InvalidOption",
          "only lists, searches and messages of subscriptions are of several clusters: ask without clusters",
        ] as const,
    ),
    ["POST", "/v1/nodes/n", 403, "PermissionDenied", "Method POST not supported"],
    ["POST", "/v1/pods?action=go", 422, "InvalidAction", "Invalid action: go"],
    ["GET", "/v1/pods/a/b/c/d", 404, "NotFound", "nothing is served at this path"],
    ["GET", "/v1/nodes/n/x", 404, "NotFound", "nothing is served at this path"],
    ["DELETE", "/v1/nodes/n/x", 404, "NotFound", "nothing is served at this path"],
    ["DELETE", "/v1/pods/a/b/c", 404, "NotFound", "nothing is served at this path"],
    ["PUT", "/v1/pods/a/b/c", 404, "NotFound", "nothing is served at this path"],
    ["PATCH", "/v1/pods/a/b/c", 404, "NotFound", "nothing is served at this path"],
    ["GET", "/v1/pods/a/b/c?_method=DELETE", 404, "NotFound", "nothing is served at this path"],
    ["GET", "/v1/pods//b", 404, "NotFound", "nothing is served at this path"],
  ] as const) {
    it(`refuses ${method} ${path} with ${code}`, async () => {
      await using served = await open();

      const answer = await served.call(path, { method });

      expect(answer.status).to.equal(status);
      expect(JSON.parse(answer.body)).to.include({ type: "error", code, message, status });
    });
  }

  it("answers 404 without a body for a type that is unknown, and for one that the caller may not see", async () => {
    await using served = await open({ access: accessOf({ "": [aRule("get", "pods")] }) });

    for (const path of ["/v1/nodes", "/v1/nothings", "/v1/constructor", "/v1/__proto__", "/v1/%"]) {
      const { status, body } = await served.call(path);
      expect([status, body], path).to.deep.equal([404, ""]);
    }
    expect((await served.call("/v1/pods")).status).to.equal(200);
  });

  it("goes by the rights that somebody has now", async () => {
    let access = everything;
    await using served = await open({ access: () => access });
    const statusOf = async (path: string): Promise<number> => (await served.call(path)).status;
    expect([await statusOf("/v1/pods"), await statusOf("/v1/nodes")]).to.deep.equal([200, 200]);

    access = accessOf({ "": [aRule("get", "pods")] });
    expect([await statusOf("/v1/pods"), await statusOf("/v1/nodes")]).to.deep.equal([200, 404]);
    access = accessOf({ "": [aRule("get", "nodes")] });
    expect([await statusOf("/v1/pods"), await statusOf("/v1/nodes")]).to.deep.equal([404, 200]);
    access = everything;
    expect([await statusOf("/v1/pods"), await statusOf("/v1/nodes")]).to.deep.equal([200, 200]);
  });

  it("goes by what a type can do now", async () => {
    const types = theTypes();
    await using served = await open({ types });
    const statusOf = async (): Promise<number> =>
      (await served.call("/v1/pods/a/b", { method: "DELETE" })).status;
    expect(await statusOf()).to.equal(200);

    types.replace([aType({ kind: "Pod", verbs: ["get", "list"] })]);
    expect(await statusOf()).to.equal(403);
  });

  it("reads each path for itself, however often it comes", async () => {
    await using served = await open();
    for (let time = 0; time < 4; time++) {
      for (const name of ["a", "b"]) {
        const { body } = await served.call(`/v1/pods/default/${name}`);
        expect(JSON.parse(body)).to.deep.equal(["get", "pod", "default", name]);
      }
    }
  });

  it("hands lists over several clusters the id of a type that the caller may know of, else their own word", async () => {
    await using served = await open({ access: accessOf({ "": [aRule("get", "pods")] }) });
    const told = async (path: string): Promise<unknown> =>
      JSON.parse((await served.call(path)).body);

    expect(await told("/v1/pods/ns?clusters=a")).to.deep.equal(["several", "pods", "pod", "ns"]);
    for (const name of ["nodes", "nothings"]) {
      expect(await told(`/v1/${name}?clusters=a`)).to.deep.equal(["several", name, name, null]);
    }
  });

  it("refuses what the caller has no right to", async () => {
    await using served = await open({ access: accessOf({ "": [aRule("get", "pods")] }) });

    const answer = await served.call("/v1/pods/default/a", { method: "DELETE" });

    expect(JSON.parse(answer.body)).to.include({
      status: 403,
      code: "PermissionDenied",
      message: "Method DELETE not supported",
    });
  });

  it("lists for who may only create", async () => {
    await using served = await open({ access: accessOf({ "": [aRule("create", "pods")] }) });

    expect(JSON.parse((await served.call("/v1/pods")).body)).to.deep.equal(["list", "pod"]);
  });

  for (const path of ["/v1/pods", "/v1/pods?clusters=all"]) {
    it(`tries three times where a type changes meanwhile: ${path}`, async () => {
      let calls = 0;
      const list = (): Promise<void> => {
        calls += 1;
        throw problem("SchemasNotRefreshed", "the type pod has changed");
      };
      await using served = await open({ handlers: { list }, several: list });

      const { status } = await served.call(path);

      expect([status, calls]).to.deep.equal([503, 3]);
    });
  }

  it("tells no warnings of an answer that was not to be", async () => {
    let calls = 0;
    const list = async ({ exchange: { response } }: TypeRequest): Promise<void> => {
      response.appendHeader("Warning", `299 - ${++calls}`);
      if (calls < 2) throw problem("SchemasNotRefreshed", "the type pod has changed");
      response.end("{}");
    };
    await using served = await open({ handlers: { list } });

    const { headers } = await served.call("/v1/pods");

    expect(headers.warning).to.equal("299 - 2");
  });

  it("waits a while until it is known what is served, and then says so", async () => {
    const clock = fakeClock();
    await using served = await open({ types: new KnownTypes(silentLogger), clock });

    const asked = served.call("/v1/pods");
    await eventually(() => clock.pending > 0);
    await clock.advance(10_000);
    const { status, body } = await asked;

    expect(status).to.equal(503);
    expect(JSON.parse(body)).to.include({ code: "ClusterUnavailable" });
  });

  it("serves as soon as it is known", async () => {
    const types = new KnownTypes(silentLogger);
    await using served = await open({ types });

    const asked = served.call("/v1/nodes");
    types.replace([aType({ kind: "Node", scope: "Cluster" })]);

    expect(JSON.parse((await asked).body)).to.deep.equal(["list", "node"]);
  });
});
