import { testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Client, connect, Informers, loadConfig, silentLogger, systemClock } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { accessOf, aRule } from "../access/held.test.support.ts";
import { everything } from "../access/held-access.ts";
import { type Asker, type Reply, type Served, serve } from "../access/route.test.support.ts";
import { LiveInventory } from "../inventory/index.ts";
import { at, listAt, textAt } from "../tree.ts";
import { LiveTypes } from "../types/index.ts";
import { send } from "../types/testing.test.support.ts";
import { searchRoute } from "./index.ts";

const within = { within: 30_000 };
const caller = { username: "somebody", groups: [] };
const admin: Asker = { caller, access: everything };
/** A word that nothing else on the control plane has. */
const word = uniqueName("shop").replaceAll("-", "");
const [one, two] = [uniqueName("search"), uniqueName("search")];

describe("GET /v1/search, of a real API server", function () {
  this.timeout(60_000);

  const stop = new AbortController();
  let client: Client;
  let informers: Informers;
  let inventory: LiveInventory;
  let types: LiveTypes;
  let served: Served;

  before(async () => {
    client = connect(await loadConfig({ kubeconfig: (await testEnv()).kubeconfigPath }));
    informers = new Informers(client);
    const parts = { client, informers, clock: systemClock, log: silentLogger };
    types = new LiveTypes(parts);
    void types.start(stop.signal);
    inventory = new LiveInventory({ ...parts, types });
    served = await serve(searchRoute({ types, inventory, clock: systemClock }));
    await types.ready(stop.signal);
  });
  after(async () => {
    await served?.[Symbol.asyncDispose]();
    stop.abort();
    await informers?.dispose();
    await client?.[Symbol.asyncDispose]();
  });

  const search = (query: string, asker = admin): Promise<Reply> =>
    served.ask(`/v1/search?${query}`, asker);
  const ids = ({ body }: Reply): readonly string[] =>
    listAt(body, "data").map((each) => textAt(each, "id"));
  const found = async (query: string, asker = admin): Promise<readonly string[]> =>
    ids(await search(query, asker));
  const make = (path: string, name: string, metadata: object = {}, fields: object = {}) =>
    send(client, "POST", path, { metadata: { name, ...metadata }, ...fields });
  const core = (namespace: string, plural: string): string =>
    `/api/v1/namespaces/${namespace}/${plural}`;

  it("tells which types are not known yet", async () => {
    const { body } = await search(`q=${word}`);

    expect(body.count).to.equal(0);
    expect(body.incomplete).to.include.members(["pod", "secret", "apps.deployment"]);
  });

  describe("once all is known", () => {
    before(async () => {
      inventory.start(stop.signal);
      for (const name of [one, two]) await make("/api/v1/namespaces", name);
      await make(core(one, "configmaps"), word);
      await make(core(two, "configmaps"), `${word}-x`);
      await make(core(one, "secrets"), `a-${word}`);
      await make(core(one, "secrets"), `a${word}`);
      await make(core(two, "secrets"), "labelled", { labels: { app: word, tier: "front" } });
      await make(core(one, "services"), word, {}, { spec: { ports: [{ port: 80 }] } });
      const containers = [{ name: "a", image: `example.com/${word}:1` }];
      const template = { metadata: { labels: { run: "none" } }, spec: { containers } };
      const spec = { replicas: 0, selector: { matchLabels: { run: "none" } }, template };
      await make(`/apis/apps/v1/namespaces/${two}/deployments`, "pictured", {}, { spec });
      const made = `q=${word}&types=${all},apps.replicaset`;
      await eventually(async () => (await found(made)).length === 8, within);
      await eventually(() => inventory.of("namespace")?.synced, within);
      await eventually(() => inventory.standingOf("namespace", "", two), within); // made last
    });
    const all = "configmaps,secret,services,apps.deployments";

    it("has what fits best first: by name, by its parts, by labels, by images, then by type and name", async () => {
      expect(await found(`q=${word}&types=${all}`)).to.deep.equal([
        `service/${one}/${word}`,
        `configmap/${one}/${word}`,
        `configmap/${two}/${word}-x`,
        `secret/${one}/a-${word}`,
        `secret/${one}/a${word}`,
        `secret/${two}/labelled`,
        `apps.deployment/${two}/pictured`,
      ]);
    });

    it("finds all types, and says how many of each", async () => {
      const reply = await search(`q=${word}&limit=2`);

      expect(ids(reply)).to.have.length(2);
      expect(reply.body.totals).to.include({
        ...{ configmap: 2, secret: 3, service: 1, "apps.deployment": 1, "apps.replicaset": 1 },
      });
      expect(reply.body.count).to.be.greaterThan(7);
    });

    it("tells what it found, how that is, and why", async () => {
      const { body } = await search(`q=app%3D${word}`);

      expect(at(body, "data", "0")).to.deep.equal({
        id: `secret/${two}/labelled`,
        type: "searchResult",
        links: {
          self: `https://drover/v1/secrets/${two}/labelled`,
          view: `https://drover/api/v1/namespaces/${two}/secrets/labelled`,
        },
        resourceType: "secret",
        resourceId: `${two}/labelled`,
        namespace: two,
        name: "labelled",
        state: {
          error: false,
          message: "Resource is always ready",
          name: "active",
          transitioning: false,
        },
        matches: [{ field: "metadata.labels[app]", value: word }],
      });
    });

    it("is a collection", async () => {
      const { status, body } = await search(`q=${word}`);

      expect(status).to.equal(200);
      expect(body).to.deep.include({
        ...{ type: "collection", resourceType: "searchResult", actions: {} },
        links: { self: "https://drover/v1/search" },
      });
    });

    it("finds only what has all words", async () => {
      expect(await found(`q=FRONT+${word.toUpperCase()}`)).to.deep.equal([
        `secret/${two}/labelled`,
      ]);
      expect(await found(`q=front+nothing+${word}`)).to.deep.equal([]);
    });

    it("looks in namespaces alone where these are named", async () => {
      expect(await found(`q=${word}&types=secrets&namespaces=${two},nowhere`)).to.deep.equal([
        `secret/${two}/labelled`,
      ]);
    });

    it("finds what is outside of namespaces", async () => {
      expect(await found(`q=${one}&types=namespace`)).to.deep.equal([`namespace/${one}`]);
    });

    it("finds objects as they come and go", async () => {
      await make(core(two, "configmaps"), `late-${word}`);
      const late = async () => found(`q=late-${word}&types=configmap`);
      await eventually(async () => (await late()).length === 1, within);

      await send(client, "DELETE", `${core(two, "configmaps")}/late-${word}`);
      await eventually(async () => (await late()).length === 0, within);
    });

    it("shows nobody, and counts for nobody, what they may not list", async () => {
      const asker = { caller, access: accessOf({ [two]: [aRule("list", "secrets")] }) };
      const named = { [one]: [aRule("get", "secrets", `a-${word}`)] };
      const reply = await search(`q=${word}`, asker);

      expect(ids(reply)).to.deep.equal([`secret/${two}/labelled`]);
      expect(reply.body).to.deep.include({ count: 1, totals: { secret: 1 } });
      expect(reply.body).not.to.have.property("incomplete");
      expect(at(reply.body, "data", "0", "links")).to.deep.equal({
        self: `https://drover/v1/secrets/${two}/labelled`,
      });
      expect(await found(`q=${word}`, { caller, access: accessOf(named) })).to.deep.equal([
        `secret/${one}/a-${word}`,
      ]);
      expect(await found(`q=${word}`, { caller, access: accessOf({}) })).to.deep.equal([]);
    });

    it("finds namespaces of which somebody sees little by their names alone, and tells no more", async () => {
      const asker = { caller, access: accessOf({ [one]: [aRule("list", "pods")] }) };
      const reader = { caller, access: accessOf({ [one]: [aRule("list", "namespaces")] }) };
      const label = `q=kubernetes.io/metadata.name%3D${one}&types=namespace`;
      const field = "metadata.name";

      expect(await found(label, asker)).to.deep.equal([]);
      expect(await found(label, reader)).to.deep.equal([`namespace/${one}`]);
      const { body } = await search(`q=${one}&types=namespace`, asker);
      expect(at(body, "data", "0", "matches")).to.deep.equal([{ field, value: one }]);
      expect(at(body, "data", "0")).not.to.have.property("state");
    });

    it("says the same of types that are not there and of those that the caller knows nothing of", async () => {
      const asker = { caller, access: accessOf({}) };
      for (const type of ["secrets", "nothing"]) {
        const { status, body } = await search(`q=a&types=${type}`, asker);

        expect(status).to.equal(422);
        expect(body).to.include({ code: "InvalidFormat", fieldName: "types" });
        expect(body.message).to.equal(`there is no type ${type}`);
      }
    });

    for (const { method, path, status, code } of [
      { method: "POST", path: "/v1/search?q=a", status: 403, code: "PermissionDenied" },
      { method: "GET", path: "/v1/search/a?q=a", status: 404, code: "NotFound" },
      { method: "GET", path: "/v1/search", status: 422, code: "MissingRequired" },
    ]) {
      it(`answers ${code} to ${method} ${path}`, async () => {
        const reply = await served.ask(path, admin, method);

        expect(reply.status).to.equal(status);
        expect(reply.body).to.include({ type: "error", code });
      });
    }
  });
});
