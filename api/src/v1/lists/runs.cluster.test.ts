import { randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { freshNamespace, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { eventually } from "kopf-ts/testing";
import { listAt, textAt } from "../tree.ts";
import { send } from "../types/testing.test.support.ts";
import { ListServer } from "./harness.test.support.ts";

const within = { within: 30_000 };
const apiGroup = "rbac.authorization.k8s.io";
const gzip = { "Accept-Encoding": "gzip" };

type Headers = Readonly<Record<string, string>>;

describe("lists of objects that were listed before, of a real API server", function () {
  this.timeout(120_000);

  let lists: ListServer;
  let namespace: string;
  let asked = 0;
  /** They may see the same, the last one more. */
  const [user, alike, writer] = [uniqueName("somebody"), uniqueName("somebody"), uniqueName("w")];
  const names = Array.from({ length: 16 }, (_, index) => `map-${10 + index}`);

  before(async () => {
    lists = await ListServer.start();
    lists.followOwners();
    namespace = await freshNamespace(await testEnv());
    for (const name of names) await make(name);
    await make("unlike", "else");
    await grant("reads", ["list", "get"], [user, alike, writer]);
    await grant("writes", ["update", "delete"], [writer]);
    await eventually(async () => (await namesIn(maps(), as(writer))).length > 0, within);
    await age();
  });
  after(() => lists?.[Symbol.asyncDispose]());

  /** What is packed is large enough to be kept, too. */
  function make(name: string, made = "here"): Promise<unknown> {
    const data = { random: randomBytes(3000).toString("hex") };
    const metadata = { name, labels: { made }, annotations: { n: String(names.indexOf(name)) } };
    return send(lists.client, "POST", core("configmaps"), { metadata, data });
  }

  async function grant(
    name: string,
    verbs: readonly string[],
    users: readonly string[],
  ): Promise<void> {
    const rules = [{ verbs, apiGroups: [""], resources: ["configmaps"] }];
    await send(lists.client, "POST", rbac("roles"), { metadata: { name }, rules });
    await send(lists.client, "POST", rbac("rolebindings"), {
      ...{ metadata: { name }, roleRef: { apiGroup, kind: "Role", name } },
      subjects: users.map((each) => ({ apiGroup, kind: "User", name: each })),
    });
  }

  /** In their first two minutes ages of objects go on each second, and what shows them with them. */
  async function age(): Promise<void> {
    const path = maps();
    await eventually(() => around(path, as(user)), within);
  }

  const rbac = (what: string): string => `/apis/${apiGroup}/v1/namespaces/${namespace}/${what}`;
  const core = (what: string): string => `/api/v1/namespaces/${namespace}/${what}`;
  const as = (name: string): Headers => ({ "X-User": name });
  const maps = (): string => `configmaps/${namespace}?labelSelector=made%3Dhere`;
  /** The same, as nobody has asked before. */
  const anew = (of: string): string => `${of}&new=${++asked}`;

  async function bodyOf(of: string, headers: Headers = {}): Promise<string> {
    const { encoding, body } = await lists.raw(of, headers);
    return String(encoding === "gzip" ? gunzipSync(body) : body);
  }

  /** As it is for who asks for a tag: those answers are always put together anew. */
  const plain = (of: string, headers: Headers = {}): Promise<string> =>
    bodyOf(of, { ...headers, "If-None-Match": '""' });

  async function namesIn(of: string, headers: Headers = {}): Promise<readonly string[]> {
    const items = listAt(JSON.parse(await bodyOf(of, headers)), "data");
    return items.map((item) => textAt(item, "metadata", "name"));
  }

  /** Whether an answer to a new question was put around items that were put together before. */
  async function around(of: string, headers: Headers = {}): Promise<boolean> {
    const before = await lists.runHits();
    await bodyOf(anew(of), headers);
    return (await lists.runHits()) > before;
  }

  /** Asks until it is, and is as an answer that was put together anew: ages may go on between two. */
  const isSame = (of: string, headers: Headers = {}): Promise<unknown> =>
    eventually(async () => {
      if (!(await around(of, headers))) return false;
      const before = await lists.runHits();
      const path = anew(of);
      const [body, made] = [await bodyOf(path, headers), await plain(path, headers)];
      return (await lists.runHits()) > before && body === made;
    }, within);

  for (const [form, headers] of [
    ["as they are", {}],
    ["in gzip", gzip],
    ["as lines", { Accept: "application/jsonl" }],
    ["as lines in gzip", { ...gzip, Accept: "application/jsonl" }],
    ["as YAML", { Accept: "application/yaml" }],
    ["as YAML in gzip", { ...gzip, Accept: "application/yaml" }],
  ] as const) {
    for (const [what, more] of [
      ["whole", ""],
      ["of a page with a next one", "&pagesize=12"],
      ["in another order", "&sort=-metadata.name"],
      ["with a summary", "&summary=metadata.name"],
      ["in another shape", "&exclude=metadata.labels&excludeValues=metadata.annotations"],
      ["at a revision that is reached", "&revision=1"],
    ] as const) {
      it(`are put around their items ${form}, ${what}`, () =>
        isSame(`${maps()}${more}`, { ...headers, ...as(user) }));
    }
  }

  it("are when ages went on, which are those of now", async () => {
    const agesIn = (body: string): string =>
      String(listAt(JSON.parse(body), "data").map((item) => listAt(item, "metadata", "fields")));
    let was: string | undefined;
    await isSame(maps());
    await eventually(async () => {
      const before = await lists.runHits();
      const path = anew(maps());
      const [body, made] = [await bodyOf(path), await plain(path)];
      const wentOn = was !== undefined && agesIn(body) !== was;
      was = agesIn(made);
      return wentOn && body === made && (await lists.runHits()) > before;
    }, within);
  });

  it("are, however their objects are found", async () => {
    const others = ["filter=metadata.labels[made]=here", "fieldSelector=metadata.name!%3Dunlike"];
    await eventually(async () => {
      const isAround = [await around(maps(), as(user))];
      for (const other of others)
        isAround.push(await around(`configmaps/${namespace}?filter=id~map&${other}`, as(user)));
      return isAround.every((each) => each);
    }, within);
  });

  it("are not put around the items of another order or number", async () => {
    await isSame(maps());
    const backwards = await namesIn(anew(`${maps()}&sort=-metadata.name`));
    const few = await namesIn(anew(`${maps()}&pagesize=3`));

    expect(backwards).to.deep.equal(names.toReversed());
    expect(few).to.deep.equal(names.slice(0, 3));
  });

  for (const [form, headers] of [
    ["as they are", {}],
    ["in gzip", gzip],
  ] as const) {
    it(`share items with who may see the same, and nobody else, ${form}`, async () => {
      await eventually(async () => {
        for (let times = 0; times < 2; times++) await around(maps(), { ...headers, ...as(user) });
        return around(maps(), { ...headers, ...as(alike) });
      }, within);

      const path = anew(maps());
      const seen = async (name: string): Promise<unknown> =>
        listAt(JSON.parse(await bodyOf(path, { ...headers, ...as(name) })), "data").map((item) => [
          textAt(item, "links", "remove") !== "",
          textAt(item, "links", "update") !== "",
        ]);
      expect(await seen(user)).to.deep.equal(names.map(() => [false, false]));
      expect(await seen(writer)).to.deep.equal(names.map(() => [true, true]));
    });

    it(`keep their items while others change, and not when one of them does, ${form}`, async () => {
      const patch = (name: string, value: string): Promise<unknown> =>
        send(lists.client, "PATCH", core(`configmaps/${name}`), { data: { value } });
      const revision = async (): Promise<string> =>
        textAt(JSON.parse(await bodyOf(anew(maps()), headers)), "revision");
      await eventually(async () => {
        await isSame(maps(), headers);
        const before = await revision();
        await patch("unlike", uniqueName("v"));
        await eventually(async () => (await revision()) !== before, within);
        return around(maps(), headers); // unless an age has just gone on
      }, within);

      const value = uniqueName("v");
      await patch(names[7] ?? "", value);
      await eventually(async () => (await plain(anew(maps()))).includes(value), within);
      expect(await bodyOf(anew(maps()), headers)).to.contain(value);
      await isSame(maps(), headers);
      expect(await bodyOf(anew(maps()), headers)).to.contain(value);
    });
  }

  it("tell how others are, as soon as that is another", async () => {
    const named = { name: names[3], uid: await uidOf(names[3] ?? "") };
    const related = async (of: string): Promise<number> => {
      const items = listAt(JSON.parse(await bodyOf(of)), "data");
      const item = items.find((each) => textAt(each, "metadata", "name") === names[3]);
      return listAt(item, "metadata", "relationships").length;
    };
    await isSame(maps());
    const before = await related(anew(maps()));
    await send(lists.client, "POST", core("secrets"), {
      metadata: {
        ...{ name: "owned" },
        ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", ...named }],
      },
    });
    await eventually(() => isListed("secret", "owned"), within);

    expect(await related(anew(maps()))).to.equal(before + 1);
  });

  async function uidOf(name: string): Promise<string> {
    return textAt(await send(lists.client, "GET", core(`configmaps/${name}`)), "metadata", "uid");
  }

  const isListed = async (typeId: string, name: string): Promise<boolean> =>
    lists.inventory.standingOf(typeId, namespace, name) !== undefined;

  it("let ages go on", async () => {
    const seen = new Set<string>();
    await eventually(async () => {
      const path = anew(maps());
      const [before, body, after] = [await plain(path), await bodyOf(path), await plain(path)];
      expect([before, after]).to.include(body);
      seen.add(JSON.stringify(body.match(/"fields":\[[^\]]*\]/)));
      return seen.size > 3;
    }, within);
  });

  it("make room for what is asked for more often, however long ago that was first", async () => {
    const without = (...some: readonly string[]): string =>
      `${maps()}&fieldSelector=${some.map((name) => `metadata.name!%3D${name}`).join(",")}`;
    const pairs = names.flatMap((one, index) =>
      names.slice(index + 1).map((other) => without(one, other)),
    ); // twice as many as there is room for
    const soon = { within: 10_000 }; // after 15 s all that nobody asks for any more makes room
    let attempts = 0;
    await eventually(async () => {
      const { revision } = lists.inventory;
      const often = without("map-10", "map-11", names[2 + (attempts++ % 14)] ?? "");
      await bodyOf(anew(often));
      for (let times = 0; times < 3; times++) for (const pair of pairs) await bodyOf(anew(pair));
      for (let times = 0; times < 3; times++) await bodyOf(anew(often));
      return (await around(often)) && lists.inventory.revision === revision;
    }, soon);
  });

  it("leave out what has gone", async () => {
    await isSame(maps());
    await send(lists.client, "DELETE", core(`configmaps/${names[0]}`));
    await eventually(async () => !(await plain(anew(maps()))).includes(`"${names[0]}"`), within);

    expect(await namesIn(anew(maps()))).to.deep.equal(names.slice(1));
  });

  it("hold nothing of the requests that they were made for", async () => {
    await isSame(maps());

    await eventually(() => lists.heldRequests() === 0, within);
  });
});
