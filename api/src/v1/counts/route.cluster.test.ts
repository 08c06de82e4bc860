import { testEnv } from "@drover/env";
import { expect } from "chai";
import { type Client, connect, Informers, loadConfig, silentLogger, systemClock } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { accessOf } from "../access/held.test.support.ts";
import { everything } from "../access/held-access.ts";
import { type Served, serve } from "../access/route.test.support.ts";
import { LiveInventory } from "../inventory/index.ts";
import { methodsOf } from "../schemas/methods.ts";
import { at } from "../tree.ts";
import { LiveTypes } from "../types/index.ts";
import { countsRoute } from "./route.ts";

const within = { within: 30_000 };
const caller = { username: "somebody", groups: [] };
const admin = { caller, access: everything };

describe("GET /v1/counts", function () {
  this.timeout(60_000);

  const stop = new AbortController();
  let client: Client;
  let informers: Informers;
  let served: Served;

  before(async () => {
    client = connect(await loadConfig({ kubeconfig: (await testEnv()).kubeconfigPath }));
    informers = new Informers(client);
    const parts = { client, informers, clock: systemClock, log: silentLogger };
    const types = new LiveTypes(parts);
    void types.start(stop.signal);
    const inventory = new LiveInventory({ ...parts, types });
    inventory.start(stop.signal);
    const route = countsRoute({
      ...{ types, inventory },
      isListed: (type, access) => methodsOf(type, access).collectionMethods.includes("GET"),
    });
    served = await serve(route);
    for (const typeId of ["namespace", "secret"])
      await eventually(() => inventory.of(typeId)?.synced, within);
  });
  after(async () => {
    await served?.[Symbol.asyncDispose]();
    stop.abort();
    await informers?.dispose();
    await client?.[Symbol.asyncDispose]();
  });

  it("is a collection of one item", async () => {
    const { status, body } = await served.ask("/v1/counts", admin);

    expect(status).to.equal(200);
    expect(body).to.deep.include({
      ...{ type: "collection", resourceType: "count", actions: {} },
      links: { self: "https://drover/v1/counts" },
    });
    expect(body.data).to.have.length(1);
    expect(at(body, "data", "0")).to.deep.include({
      ...{ id: "count", type: "count", links: { self: "https://drover/v1/counts/count" } },
    });
    expect(at(body, "data", "0", "counts", "namespace", "summary", "count")).to.be.a("number");
    expect(at(body, "data", "0", "counts", "namespace", "namespaces")).to.equal(undefined);
  });

  it("is the item alone under its id", async () => {
    const { status, body } = await served.ask("/v1/counts/count", admin);

    expect(status).to.equal(200);
    expect(body).to.deep.include({ id: "count", type: "count" });
    expect(at(body, "counts", "secret", "summary")).to.be.an("object");
  });

  it("shows somebody without rights only that there are types that everybody may list", async () => {
    const { body } = await served.ask("/v1/counts/count", { caller, access: accessOf({}) });

    expect(at(body, "counts", "namespace")).to.deep.equal({ summary: {} });
    expect(at(body, "counts", "secret")).to.equal(undefined);
  });

  for (const { method, path, status, code } of [
    { method: "POST", path: "/v1/counts", status: 403, code: "PermissionDenied" },
    { method: "GET", path: "/v1/counts/other", status: 404, code: "NotFound" },
    { method: "GET", path: "/v1/counts/count/x", status: 404, code: "NotFound" },
  ]) {
    it(`answers ${code} to ${method} ${path}`, async () => {
      const reply = await served.ask(path, admin, method);

      expect(reply.status).to.equal(status);
      expect(reply.body).to.include({ type: "error", code });
    });
  }
});
