import { isDeepStrictEqual } from "node:util";
import { gunzipSync } from "node:zlib";
import { installCrds } from "@drover/crds";
import { freshNamespace, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { silentLogger } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { at, listAt, textAt } from "../tree.ts";
import { send } from "../types/testing.test.support.ts";
import { ListServer } from "./harness.test.support.ts";

const within = { within: 30_000 };
const apiGroup = "rbac.authorization.k8s.io";
const gzip = { "Accept-Encoding": "gzip" };

type Headers = Readonly<Record<string, string>>;

describe("lists that are asked for again, of a real API server", function () {
  this.timeout(120_000);

  let lists: ListServer;
  let namespace: string;
  let path: string;
  let asked = 0;
  const [user, other] = [uniqueName("somebody"), uniqueName("somebody")];
  /** May more, of which lists of ConfigMaps tell nothing. */
  const writer = uniqueName("somebody");
  /** Sees no Pods. */
  const blind = uniqueName("somebody");

  before(async () => {
    lists = await ListServer.start();
    lists.followOwners();
    namespace = await freshNamespace(await testEnv());
    path = `configmaps/${namespace}?labelSelector=made%3Dhere`;
    for (const name of ["a", "b"]) await make("configmaps", { metadata: labelled(name) });
    const listed = (...resources: readonly string[]): object => ({
      ...{ verbs: ["list"], apiGroups: [""], resources },
    });
    await grant("reads", [user, other, writer], [listed("configmaps", "pods")]);
    await grant("writes", [writer], [{ ...listed("pods", "services"), verbs: ["*"] }]);
    await grant("reads-maps", [blind], [listed("configmaps")]);
    await eventually(async () => (await names(as(user))).includes("a"), within);
    await useMap();
  });
  after(() => lists?.[Symbol.asyncDispose]());

  /** Makes a Pod that uses ConfigMap a. */
  async function useMap(): Promise<void> {
    await eventually(async () => {
      const account = await send(lists.client, "GET", core("serviceaccounts/default"));
      return textAt(account, "kind") === "ServiceAccount";
    }, within);
    const volumes = [{ name: "a", configMap: { name: "a" } }];
    const containers = [{ name: "c", image: "example.com/web:1" }];
    const spec = { volumes, containers, automountServiceAccountToken: false };
    await make("pods", { metadata: { name: "uses" }, spec });
  }

  async function grant(
    name: string,
    users: readonly string[],
    rules: readonly object[],
  ): Promise<void> {
    await send(lists.client, "POST", rbac("roles"), { metadata: { name }, rules });
    await send(lists.client, "POST", rbac("rolebindings"), {
      ...{ metadata: { name }, roleRef: { apiGroup, kind: "Role", name } },
      subjects: users.map((each) => ({ apiGroup, kind: "User", name: each })),
    });
  }

  const labelled = (name: string): object => ({ name, labels: { made: "here" } });
  const rbac = (what: string): string => `/apis/${apiGroup}/v1/namespaces/${namespace}/${what}`;
  const core = (what: string): string => `/api/v1/namespaces/${namespace}/${what}`;
  const make = (plural: string, object: object): Promise<unknown> =>
    send(lists.client, "POST", core(plural), object);
  const as = (name: string): Headers => ({ "X-User": name });
  /** The same, as nobody has asked before. */
  const anew = (of: string): string => `${of}${of.includes("?") ? "&" : "?"}new=${++asked}`;

  async function bodyOf(of: string, headers: Headers = {}): Promise<string> {
    const { encoding, body } = await lists.raw(of, headers);
    return String(encoding === "gzip" ? gunzipSync(body) : body);
  }

  async function itemsOf(of: string, headers: Headers = {}): Promise<readonly unknown[]> {
    return listAt(JSON.parse(await bodyOf(of, headers)), "data");
  }

  async function names(headers: Headers = {}): Promise<readonly string[]> {
    return (await itemsOf(anew(path), headers)).map((item) => textAt(item, "metadata", "name"));
  }

  /** Without ages and the revision of the cache, which go on between two answers. */
  const timeless = (body: string): string =>
    body
      .replaceAll(/("fields":\[[^\]]*),"(\d+[a-z])+"\]/g, "$1]")
      .replace(/"revision":"\d+"/, '"revision":""');

  /** Whether an answer was sent again. */
  async function isRepeated(of: string, headers: Headers = {}): Promise<boolean> {
    const before = await lists.hits();
    await bodyOf(of, headers);
    return (await lists.hits()) > before;
  }

  /** Asks until the answer is one that was sent before: others in the cluster may change meanwhile. */
  const repeats = (of: string, headers?: Headers): Promise<unknown> =>
    eventually(() => isRepeated(of, headers), within);

  for (const [form, headers] of [
    ["as they are", {}],
    ["in gzip", gzip],
    ["as YAML", { Accept: "application/yaml" }],
  ] as const) {
    it(`are what they were, ${form}`, async () => {
      const all = { ...headers, ...as(user) };
      // Ages go on, so that two answers may be of different seconds.
      await eventually(async () => {
        await repeats(path, all);
        const [again, made] = [await lists.raw(path, all), await lists.raw(anew(path), all)];
        return again.body.equals(made.body) && again.encoding === made.encoding;
      }, within);
    });
  }

  it("are found at a revision, too", async () => {
    const { revision } = JSON.parse(await bodyOf(path));

    await repeats(`${path}&revision=${revision}`);
  });

  it("hold nothing of the requests that they were made for", async () => {
    await repeats(anew(path));

    await eventually(() => lists.heldRequests() === 0, within);
  });

  it("have the headers of those that are made", async () => {
    await repeats(path);
    const shown = async (of: string): Promise<unknown> => {
      const headers = new Headers((await lists.get(of)).headers);
      for (const name of ["date", "x-request-id"]) headers.delete(name);
      return Object.fromEntries(headers);
    };

    // Ages go on, and with them the length.
    await eventually(
      async () => isDeepStrictEqual(await shown(path), await shown(anew(path))),
      within,
    );
  });

  it("are shared by all who may see the same, and nobody else", async () => {
    await eventually(async () => {
      const own = anew(path);
      for (let times = 0; times < 2; times++) await bodyOf(own, as(user));
      const all = [];
      for (const each of [other, writer, user]) all.push(await isRepeated(own, as(each)));
      expect(await isRepeated(own)).to.equal(false); // an administrator sees other links
      return all.every((isShared) => isShared);
    }, within);
  });

  it("are shared also after others by owner, for which many rights are asked", async () => {
    await itemsOf(`${path}&owner=apps.deployment/${namespace}/any`);
    await eventually(async () => {
      const own = anew(path);
      for (let times = 0; times < 2; times++) await bodyOf(own, as(user));
      return (await isRepeated(own, as(user))) && (await isRepeated(own, as(writer)));
    }, within);
  });

  for (const [form, headers] of [
    ["as they are", {}],
    ["in gzip", gzip],
  ] as const) {
    it(`tell nobody of others whom somebody else may see, ${form}`, async () => {
      const related = async (of: string, who: string): Promise<number> => {
        const items = await itemsOf(of, { ...headers, ...as(who) });
        const item = items.find((each) => textAt(each, "metadata", "name") === "a");
        return listAt(item, "metadata", "relationships").length;
      };
      const own = anew(path);
      await eventually(async () => (await related(own, writer)) > 0, within);
      await repeats(own, { ...headers, ...as(writer) });

      expect(await related(own, blind)).to.equal(0);
      await repeats(own, { ...headers, ...as(blind) });
      expect(await related(own, blind)).to.equal(0);
      expect(await related(own, writer)).to.be.greaterThan(0);
    });
  }

  it("are made anew when an object comes, changes or goes", async () => {
    for (const [change, isShown] of [
      [
        () => make("configmaps", { metadata: labelled("c") }),
        (all: readonly string[]) => all.includes("c"),
      ],
      [
        () => send(lists.client, "PATCH", core("configmaps/c"), { metadata: { labels: null } }),
        (all: readonly string[]) => !all.includes("c"),
      ],
      [
        () => send(lists.client, "DELETE", core("configmaps/b")),
        (all: readonly string[]) => !all.includes("b"),
      ],
    ] as const) {
      for (const headers of [{}, gzip]) await repeats(path, headers);
      await change();
      await eventually(async () => isShown(await names()), within);

      for (const headers of [{}, gzip])
        expect(timeless(await bodyOf(path, headers))).to.equal(timeless(await bodyOf(anew(path))));
    }
  });

  it("tell rights as they are", async () => {
    await repeats(path, as(user));
    const rules = [{ verbs: ["list", "delete"], apiGroups: [""], resources: ["configmaps"] }];
    await send(lists.client, "PATCH", rbac("roles/reads"), { rules });
    const isShown = async (): Promise<boolean> =>
      textAt((await itemsOf(anew(path), as(user)))[0], "links", "remove") !== "";
    await eventually(isShown, within);

    const [again, made] = [await bodyOf(path, as(user)), await bodyOf(anew(path), as(user))];
    expect(timeless(again)).to.equal(timeless(made));
  });

  it("tell how others are", async () => {
    const stateOf = async (of: string): Promise<string> => {
      const item = (await itemsOf(of)).find((each) => textAt(each, "metadata", "name") === "a");
      return textAt(listAt(item, "metadata", "relationships")[0], "state");
    };
    for (const phase of ["Running", "Failed", "Succeeded"]) {
      await repeats(path);
      await send(lists.client, "PATCH", core("pods/uses/status"), { status: { phase } });
      const state = phase.toLowerCase();
      await eventually(async () => (await stateOf(anew(path))) === state, within);

      expect(await stateOf(path)).to.equal(state);
    }
  });

  it("let ages go on", async () => {
    const pods = `pods/${namespace}`;
    const ageOf = async (of: string): Promise<unknown> =>
      at((await itemsOf(of))[0], "metadata", "fields", "4");
    await make("pods", {
      ...{ metadata: { name: "young" } },
      spec: { containers: [{ name: "c", image: "example.com/web:1" }] },
    });
    await eventually(async () => (await ageOf(anew(pods))) !== undefined, within);
    const seen = new Set<unknown>();
    const repeated = await lists.hits();
    await eventually(async () => {
      const before = await ageOf(anew(pods));
      const again = await ageOf(pods);
      expect([before, await ageOf(anew(pods))]).to.include(again);
      seen.add(again);
      return seen.size > 3;
    }, within);
    expect(await lists.hits()).to.be.greaterThan(repeated);
  });

  describe("that other types were looked at for", () => {
    const projects = "/apis/management.cattle.io/v3/namespaces";
    const [cluster, project] = [uniqueName("c"), uniqueName("p")];

    before(async () => {
      const { signal } = new AbortController();
      await installCrds(lists.client, { log: silentLogger, signal });
      await send(lists.client, "POST", "/api/v1/namespaces", { metadata: { name: cluster } });
      await send(lists.client, "POST", `${projects}/${cluster}/projects`, {
        ...{ apiVersion: "management.cattle.io/v3", kind: "Project", metadata: { name: project } },
        spec: { clusterName: cluster, displayName: "Zoo" },
      });
      const secret = "management.cattle.io/project-scoped-secret";
      const labels = { [secret]: project, [`${secret}-cluster`]: cluster };
      await make("secrets", { metadata: { name: "copy", labels } });
      await inProject(project);
      await eventually(async () => (await itemsOf(anew(byProject))).length > 0, within);
      await eventually(async () => (await itemsOf(anew(byName()))).length > 0, within);
    });

    const byProject = `configmaps?projectsornamespaces=${project}&labelSelector=made%3Dhere`;
    const byName = (): string => `secrets/${namespace}?filter=spec.displayName=Zoo`;
    const inProject = (name: string): Promise<unknown> => {
      const labels = { "field.cattle.io/projectId": name };
      return send(lists.client, "PATCH", `/api/v1/namespaces/${namespace}`, {
        metadata: { labels },
      });
    };
    const rename = (displayName: string): Promise<unknown> =>
      send(lists.client, "PATCH", `${projects}/${cluster}/projects/${project}`, {
        spec: { displayName },
      });

    for (const [what, of, change] of [
      ["the project of a namespace", () => byProject, () => inProject("another")],
      ["the name of a project", byName, () => rename("Ark")],
    ] as const) {
      it(`are sent again until ${what} is another one`, async () => {
        for (const headers of [{}, gzip]) await repeats(of(), headers);
        expect(timeless(await bodyOf(of()))).to.equal(timeless(await bodyOf(anew(of()))));
        await change();
        await eventually(async () => (await itemsOf(anew(of()))).length === 0, within);

        for (const headers of [{}, gzip]) expect(await itemsOf(of(), headers)).to.deep.equal([]);
      });
    }
  });

  for (const [what, more] of [
    ["owners", (of: string) => `pods?owner=apps.deployment/${of}/web`],
    ["children", (of: string) => `apps.deployments/${of}?includeAssociatedData=true`],
  ] as const) {
    it(`are made anew each time where ${what} are looked at besides`, async () => {
      const { status } = await lists.get(more(namespace));
      const each = [];
      for (let left = 5; left > 0; left--) each.push(await isRepeated(more(namespace)));

      expect([status, ...each]).to.deep.equal([200, false, false, false, false, false]);
    });
  }

  it("are made anew for who asks whether they are those that he has", async () => {
    await repeats(path);
    const tagged = { "If-None-Match": '""' };

    expect(await isRepeated(path, tagged)).to.equal(false);
    expect((await lists.get(path, tagged)).headers.get("etag")).to.not.equal(null);
  });
});
