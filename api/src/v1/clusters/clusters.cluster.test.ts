import { uniqueName } from "@drover/env";
import { expect } from "chai";
import type { Client } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { at, listAt, textAt } from "../tree.ts";
import { aKind, crdOf, install, send } from "../types/testing.test.support.ts";
import { type Answer, TwoClusters } from "./two.test.support.ts";

const within = { within: 30_000 };
/** The same names in both clusters. */
const namespace = uniqueName("several");
const word = uniqueName("shop").replaceAll("-", "");
const rbac = "/apis/rbac.authorization.k8s.io/v1";
/** ConfigMaps by cluster, with the label `rank` of some. */
const objects = {
  own: { a: "3", c: "1", e: undefined, same: "2" },
  other: { b: "2", d: "3", f: undefined, same: "1" },
} as const;

describe("questions to several real clusters", function () {
  this.timeout(120_000);

  let two: TwoClusters;

  before(async () => {
    two = await TwoClusters.start();
    for (const [which, named] of Object.entries(objects)) {
      const client = which === "own" ? two.own : two.other;
      await send(client, "POST", "/api/v1/namespaces", { metadata: { name: namespace } });
      for (const [name, rank] of Object.entries(named)) {
        const labels = { test: word, ...(rank !== undefined && { rank }) };
        const path = `/api/v1/namespaces/${namespace}/configmaps`;
        await send(client, "POST", path, { metadata: { name, labels } });
      }
    }
    await eventually(async () => (await found("")).length === 8, within);
  });
  after(() => two?.[Symbol.asyncDispose]());

  const both = (): string => `clusters=local,${two.managed}`;
  const ask = (query: string, user?: string): Promise<Answer> =>
    two.ask(`configmaps/${namespace}?labelSelector=test%3D${word}&${query}`, user);

  /** Names, those of the managed cluster with a star. */
  function namesIn({ status, body }: Answer): readonly string[] {
    expect(status, JSON.stringify(body)).to.equal(200);
    return listAt(body, "data").map((item) => {
      const star = textAt(item, "cluster") === "local" ? "" : "*";
      return textAt(item, "metadata", "name") + star;
    });
  }

  async function found(query: string, user?: string): Promise<readonly string[]> {
    return namesIn(await ask(`${both()}&${query}`, user));
  }

  it("tells metrics of each by its name", async () => {
    await found("");
    await two.ask(`search?q=${word}&${both()}`);
    const text = await two.metrics.text();

    for (const cluster of ["", two.managed]) {
      expect(text).to.contain(`drover_api_cache_drops_total{cluster="${cluster}",reason="memory"}`);
      expect(text).to.contain(`drover_api_inventory_bytes{cluster="${cluster}",part="groups"}`);
    }
  });

  describe("lists", () => {
    const byName = ["a", "b*", "c", "d*", "e", "f*", "same", "same*"];
    const rows: readonly (readonly [query: string, names: readonly string[]])[] = [
      ["", byName],
      ["sort=metadata.name", byName],
      ["sort=-metadata.name", ["same", "same*", "f*", "e", "d*", "c", "b*", "a"]],
      ["sort=metadata.labels.rank", ["c", "same*", "b*", "same", "a", "d*", "e", "f*"]],
      [
        "sort=-metadata.labels.rank,-metadata.name",
        ["f*", "e", "d*", "a", "same", "b*", "same*", "c"],
      ],
      ["filter=metadata.labels.rank=1", ["c", "same*"]],
      ["filter=metadata.name=nothing", []],
      ["pagesize=3", ["a", "b*", "c"]],
      ["pagesize=3&page=2", ["d*", "e", "f*"]],
      ["pagesize=3&page=3", ["same", "same*"]],
      ["pagesize=3&page=4", []],
      ["limit=3&continue=6", ["same", "same*"]],
    ];
    for (const [query, names] of rows) {
      it(`have the objects of all in one order: ?${query}`, async () => {
        expect(await found(query)).to.deep.equal(names);
      });
    }

    it("count what all have, and say what each has", async () => {
      const { body, warnings } = await ask(`${both()}&pagesize=3`);

      expect(body).to.deep.include({ count: 8, resourceType: "configmap", continue: "3" });
      expect(at(body, "clusters", "local", "count")).to.equal(4);
      expect(at(body, "clusters", two.managed, "count")).to.equal(4);
      expect(textAt(body, "clusters", two.managed, "revision")).to.match(/^\d+$/);
      expect(textAt(body, "pagination", "next")).to.contain("continue=3");
      expect(warnings).to.equal("");
      expect(textAt(body, "revision")).to.equal(
        ["local", two.managed]
          .map((name) => `${name}:${textAt(body, "clusters", name, "revision")}`)
          .join(","),
      );
    });

    it("are as new as the revision that is asked for, or warn", async () => {
      const revision = textAt((await ask(both())).body, "revision");

      const same = await ask(`${both()}&revision=${revision}`);
      const never = await ask(`${both()}&revision=${two.managed}:9999999999999999`);

      expect(namesIn(same)).to.deep.equal(byName);
      expect(same.warnings).to.equal("");
      expect(namesIn(never)).to.deep.equal(["a", "c", "e", "same"]);
      expect(never.warnings).to.equal(`299 - cluster ${two.managed}: unknown revision`);
    });

    it("say where each object is, and under which URL", async () => {
      const [own, other] = listAt((await ask(`${both()}&pagesize=2`)).body, "data");

      expect(at(own, "cluster")).to.equal("local");
      expect(textAt(own, "links", "self")).to.equal(`https://drover/v1/configmaps/${namespace}/a`);
      expect(other).to.include({ cluster: two.managed, id: `${namespace}/b`, type: "configmap" });
      const prefix = `https://drover/k8s/clusters/${two.managed}`;
      expect(at(other, "links")).to.include({
        self: `${prefix}/v1/configmaps/${namespace}/b`,
        view: `${prefix}/api/v1/namespaces/${namespace}/configmaps/b`,
      });
    });

    it("are one cluster's where one is named", async () => {
      expect(namesIn(await ask(`clusters=${two.managed}`))).to.deep.equal([
        ...["b*", "d*", "f*", "same*"],
      ]);
    });

    it("go on as objects change", async () => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      await send(two.other, "POST", path, { metadata: { name: "bb", labels: { test: word } } });
      await eventually(async () => (await found("")).includes("bb*"), within);

      await send(two.other, "DELETE", `${path}/bb`);
      await eventually(async () => !(await found("")).includes("bb*"), within);
    });

    it("do without clusters that are away, and warn of them", async () => {
      const answer = await ask(`${both()},${two.away}`);

      expect(namesIn(answer)).to.deep.equal(byName);
      const why = "the server has not connected to it yet"; // not where it is
      expect(answer.warnings).to.equal(`299 - cluster ${two.away}: ${why}`);
      expect(at(answer.body, "clusters", two.away, "error")).to.include({
        ...{ status: 503, code: "ClusterUnavailable" },
      });
    });

    it("have what belongs to an owner, wherever that is", async () => {
      const path = `/api/v1/namespaces/${namespace}`;
      const owner = await send(two.other, "GET", `${path}/configmaps/b`);
      const uid = textAt(owner, "metadata", "uid");
      const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "b", uid }];
      const metadata = { name: "owned", ownerReferences };
      await send(two.other, "POST", `${path}/secrets`, { metadata });
      const list = () => two.ask(`secrets?${both()}&owner=configmap/${namespace}/b`);

      await eventually(async () => {
        const answer = await list();
        return answer.warnings === "" && namesIn(answer).join() === "owned*";
      }, within);
    });

    it("say of one that is not there that it is not", async () => {
      const answer = await ask(`${both()},c-nothing`);

      expect(namesIn(answer)).to.deep.equal(byName);
      expect(answer.warnings).to.equal("299 - cluster c-nothing: there is no such cluster");
      const { body } = await ask("clusters=c-nothing");
      expect(body).to.include({ resourceType: "configmaps" }); // as the router says
    });

    it("are of all clusters that there are", async () => {
      const { body } = await ask("clusters=all");

      expect(at(body, "clusters")).to.include.keys("local", two.managed, two.away);
      expect(body.count).to.equal(8);
    });

    it("are in order of integers that doubles round, and then of the next key", async () => {
      const kind = aKind("meter");
      const path = `/apis/${kind.group}/v1/namespaces/${namespace}/meters`;
      for (const [client, specs] of [
        [two.own, { b: '{"n":9007199254740993,"t":1}', d: '{"n":"y","t":1}', e: '{"t":2}' }],
        [two.other, { a: '{"n":9007199254740994}', c: '{"n":9007199254740992}', f: '{"n":"x"}' }],
      ] as const) {
        await install(client, crdOf(kind, {}));
        for (const [name, spec] of Object.entries(specs)) {
          const body = `{"apiVersion":"${kind.group}/v1","kind":"Meter","metadata":{"name":"${name}"},"spec":${spec}}`;
          const headers = { "Content-Type": "application/json" };
          await client.request({ method: "POST", path, headers, body });
        }
      }
      const list = (query: string) => two.ask(`${kind.group}.meters?${both()}&${query}`);
      await eventually(async () => namesIn(await list("")).length === 6, within);

      expect(namesIn(await list("sort=spec.n"))).to.deep.equal([
        ...["c*", "b", "a*", "e", "f*", "d"],
      ]);
      expect(namesIn(await list("sort=-spec.n&pagesize=3&page=2"))).to.deep.equal([
        ...["a*", "b", "c*"],
      ]);
      expect(namesIn(await list("filter=spec.n%3E9007199254740992"))).to.deep.equal(["a*", "b"]);
    });

    it("have types that the server's own cluster lacks", async () => {
      const kind = aKind("gear");
      await install(two.other, crdOf(kind, {}));
      const path = `/apis/${kind.group}/v1/namespaces/${namespace}/gears`;
      const body = { apiVersion: `${kind.group}/v1`, kind: kind.kind, metadata: { name: "one" } };
      await send(two.other, "POST", path, body);
      const list = () => two.ask(`${kind.group}.gears?${both()}`);
      await eventually(async () => namesIn(await list()).length === 1, within);

      const answer = await list();

      expect(namesIn(answer)).to.deep.equal(["one*"]);
      expect(answer.warnings).to.equal(`299 - cluster local: there is no type ${kind.group}.gears`);
    });

    const refused: readonly (readonly [query: string, code: string, field: string])[] = [
      ["filter=spec.nothing=1", "InvalidBodyContent", "filter"],
      ["filter=a%3D", "InvalidFormat", "filter"],
      ["owner=nothing/a/b", "InvalidFormat", "owner"],
      ["summary=metadata.name", "InvalidOption", "summary"],
      ["revision=1", "InvalidFormat", "revision"],
      ["revision=local:x", "InvalidFormat", "revision"],
      ["page=x", "InvalidFormat", "page"],
    ];
    for (const [query, code, fieldName] of refused) {
      it(`refuse ?${query}`, async () => {
        const { status, body } = await ask(`${both()}&${query}`);

        expect(status).to.equal(422);
        expect(body).to.include({ type: "error", code, fieldName });
      });
    }
  });

  describe("searches", () => {
    it("have the best of all clusters first, and sums", async () => {
      const search = () => two.ask(`search?q=test%3D${word}&types=configmaps&${both()}`);
      await eventually(async () => (await search()).body.count === 8, within);

      const { body } = await search();
      const results = listAt(body, "data").map(
        (each) => `${textAt(each, "cluster") === "local" ? "" : "*"}${textAt(each, "name")}`,
      );

      expect(results).to.deep.equal(["a", "*b", "c", "*d", "e", "*f", "same", "*same"]);
      expect(body).to.deep.include({ totals: { configmap: 8 } });
      expect(at(body, "clusters", two.managed, "totals", "configmap")).to.equal(4);
      expect(textAt(body, "data", "1", "links", "self")).to.equal(
        `https://drover/k8s/clusters/${two.managed}/v1/configmaps/${namespace}/b`,
      );
    });

    it("warn of clusters that are away", async () => {
      const { status, warnings } = await two.ask(`search?q=a&clusters=local,${two.away}`);

      expect(status).to.equal(200);
      expect(warnings).to.contain(`cluster ${two.away}: `);
    });
  });

  describe("about kinds that nobody reads through /v1", () => {
    const name = uniqueName("token");
    const path = "/apis/management.cattle.io/v3/tokens";

    before(() =>
      send(two.own, "POST", path, {
        ...{ apiVersion: "management.cattle.io/v3", kind: "Token", metadata: { name } },
        ...{ userId: "u", authProvider: "local" },
      }),
    );
    after(() => send(two.own, "DELETE", `${path}/${name}`));

    it("are refused by each cluster, whatever the caller's rights", async () => {
      const { body, warnings } = await two.ask("management.cattle.io.tokens?clusters=local");

      expect(listAt(body, "data")).to.deep.equal([]);
      expect(warnings).to.equal(`299 - cluster local: Method GET not supported`);
    });

    it("find none of their objects", async () => {
      const roles = "/apis/management.cattle.io/v3/globalroles";
      const role = { apiVersion: "management.cattle.io/v3", kind: "GlobalRole" };
      await send(two.own, "POST", roles, { ...role, metadata: { name } });
      const search = async (): Promise<readonly unknown[]> => {
        const { body } = await two.ask(`search?q=${name}&clusters=local`);
        return listAt(body, "data").map((each) => textAt(each, "id"));
      };

      await eventually(async () => (await search()).length > 0, within);
      expect(await search()).to.deep.equal([`management.cattle.io.globalrole/${name}`]);
      await send(two.own, "DELETE", `${roles}/${name}`);
    });
  });

  it("follow a cluster that goes and comes back", async () => {
    await two.leave();
    const without = await ask(both());
    await two.join();

    expect(namesIn(without)).to.deep.equal(["a", "c", "e", "same"]);
    expect(without.warnings).to.match(new RegExp(`^299 - cluster ${two.managed}: `));
    await eventually(async () => (await found("")).length === 8, within);
  });

  describe("by somebody with few rights", () => {
    /** Lets a user read ConfigMaps of the namespace in one of the clusters. */
    async function grant(client: Client, user: string): Promise<void> {
      const path = `${rbac}/namespaces/${namespace}`;
      const rules = [{ verbs: ["get", "list"], apiGroups: [""], resources: ["configmaps"] }];
      await send(client, "POST", `${path}/roles`, { metadata: { name: user }, rules });
      await send(client, "POST", `${path}/rolebindings`, binding(user, "Role"));
    }

    /** Lets a user know of the managed cluster. */
    async function introduce(user: string): Promise<void> {
      const cluster = { apiGroups: ["management.cattle.io"], resources: ["clusters"] };
      const rules = [{ ...cluster, verbs: ["get"], resourceNames: [two.managed] }];
      await send(two.own, "POST", `${rbac}/clusterroles`, { metadata: { name: user }, rules });
      await send(two.own, "POST", `${rbac}/clusterrolebindings`, binding(user, "ClusterRole"));
    }

    function binding(name: string, kind: string): object {
      const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name }];
      const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind, name };
      return { metadata: { name }, roleRef, subjects };
    }

    it("each cluster's own roles count there", async () => {
      const user = uniqueName("guest");
      await grant(two.other, user);
      await introduce(user);
      await eventually(async () => (await found("", user)).length === 4, within);

      const answer = await ask(both(), user);

      expect(namesIn(answer)).to.deep.equal(["b*", "d*", "f*", "same*"]);
      expect(answer.body.count).to.equal(4);
      expect(answer.warnings).to.equal("299 - cluster local: there is no type configmaps");
    });

    it("namespaces are asked for nothing that they do not show", async () => {
      const user = uniqueName("guest");
      await grant(two.other, user);
      await introduce(user);
      const named = async (field: string): Promise<readonly string[]> => {
        const filter = encodeURIComponent(`${field}=${namespace}`);
        return namesIn(await two.ask(`namespaces?clusters=${two.managed}&filter=${filter}`, user));
      };
      await eventually(async () => (await named("metadata.name")).length === 1, within);

      expect(await named("metadata.name")).to.deep.equal([`${namespace}*`]);
      expect(await named("metadata.labels[kubernetes.io/metadata.name]")).to.deep.equal([]);
    });

    it("a cluster that they may not get does not exist, whatever they may do in it", async () => {
      const user = uniqueName("guest");
      await grant(two.own, user);
      await grant(two.other, user);
      await eventually(async () => (await found("", user)).length === 4, within);

      const answer = await ask(`${both()},${two.away},c-nothing`, user);
      const all = await ask("clusters=all", user);

      expect(namesIn(answer)).to.deep.equal(["a", "c", "e", "same"]);
      expect(answer.warnings).to.equal(
        [two.managed, two.away, "c-nothing"]
          .map((name) => `299 - cluster ${name}: there is no such cluster`)
          .join(", "),
      );
      expect(all.warnings).to.equal("");
      expect(at(all.body, "clusters")).to.have.all.keys("local");
    });
  });
});
