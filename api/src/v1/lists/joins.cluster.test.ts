import { installCrds } from "@drover/crds";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { silentLogger } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { listAt, textAt } from "../tree.ts";
import { send } from "../types/testing.test.support.ts";
import { GizmoLists } from "./gizmos.test.support.ts";

const { signal } = new AbortController();
const cluster = uniqueName("c");
/** Of namespaces, by the name of their project; `x` is in none, `y` in one that is not there. */
const projects = { p: "Zoo", q: "apples", r: "" } as const;
const named = (name: string): string => `${cluster}-${name}`;
const all = ["n1", "n2", "n3", "n4", "x", "y"].map(named);
const projectOf: Readonly<Record<string, string>> = {
  n1: "p",
  n2: "q",
  n3: "p",
  n4: "r",
  y: "none",
};

describe("lists by what other objects have, of a real API server", function () {
  this.timeout(60_000);

  let lists: GizmoLists;

  before(async () => {
    lists = await GizmoLists.start();
    const { client } = lists;
    await installCrds(client, { log: silentLogger, signal });
    await send(client, "POST", "/api/v1/namespaces", { metadata: { name: cluster } });
    for (const [name, displayName] of Object.entries(projects)) {
      const path = `/apis/management.cattle.io/v3/namespaces/${cluster}/projects`;
      await send(client, "POST", path, {
        ...{
          apiVersion: "management.cattle.io/v3",
          kind: "Project",
          metadata: { name: named(name) },
        },
        spec: { clusterName: cluster, displayName },
      });
    }
    for (const name of ["n1", "n2", "n3", "n4", "x", "y"]) {
      const project = projectOf[name];
      const labels = project === undefined ? {} : { "field.cattle.io/projectId": named(project) };
      await send(client, "POST", "/api/v1/namespaces", { metadata: { name: named(name), labels } });
      const copy = {
        "management.cattle.io/project-scoped-secret": named(project ?? "none"),
        "management.cattle.io/project-scoped-secret-cluster": name === "n3" ? "other" : cluster,
      };
      await send(client, "POST", `/api/v1/namespaces/${cluster}/secrets`, {
        metadata: { name, labels: copy },
      });
    }
    await eventually(async () => (await found("filter=spec.displayName=Zoo")).length === 2, {
      within: 20_000,
    });
  });
  after(() => lists?.[Symbol.asyncDispose]());

  /** The short names of namespaces of this test. */
  async function found(query: string, user?: string): Promise<readonly string[]> {
    const headers = user === undefined ? {} : { "X-User": user };
    const own = `filter=metadata.name in (${all.join()})`;
    const ids = await lists.ids(`namespaces?${own}&${query}`, headers);
    return ids.map((id) => id.slice(cluster.length + 1));
  }

  const rows: readonly (readonly [query: string, ...names: readonly string[]])[] = [
    ["filter=spec.displayName=Zoo", "n1", "n3"],
    ["filter=spec.displayName=zoo"],
    ["filter=spec.displayName~ZO", "n1", "n3"],
    ["filter=spec.displayName!=Zoo", "n2", "n4", "x", "y"],
    ["filter=spec.displayName!~zo", "n2", "n4", "x", "y"],
    ["filter=spec.displayName in (Zoo,apples)", "n1", "n2", "n3"],
    ["filter=spec.displayName notin (Zoo)", "n2", "n4", "x", "y"],
    ["filter=spec.displayName=''", "n4", "x", "y"],
    ["filter=spec.displayName contains apples", "n2"],
    ["filter=spec.displayName notcontains apples", "n1", "n3", "n4", "x", "y"],
    ["filter=spec.displayName>5"],
    ["sort=spec.displayName", "n4", "x", "y", "n2", "n1", "n3"],
    ["sort=-spec.displayName,-metadata.name", "n3", "n1", "n2", "y", "x", "n4"],
    ["sort=spec.displayName&pagesize=2&page=2", "y", "n2"],
  ];
  for (const [query, ...names] of rows) {
    it(`has namespaces by the name of their project: ${query}`, async () => {
      expect(await found(query)).to.deep.equal(names);
    });
  }

  it("counts namespaces by the name of their project", async () => {
    const own = `filter=metadata.name in (${all.join()})`;
    const answer = await lists.body(`namespaces?${own}&summary=spec.displayName`);

    expect(listAt(answer, "summary")).to.deep.equal([
      { property: "spec.displayName", counts: { Zoo: { total: 2 }, apples: { total: 1 } } },
    ]);
  });

  it("views objects of management.cattle.io/v3 below /v1", async () => {
    const plural = "management.cattle.io.projects";
    const id = `${cluster}/${named("p")}`;
    const answer = await lists.body(`${plural}/${cluster}?filter=metadata.name=${named("p")}`);
    const [project] = listAt(answer, "data");

    expect(textAt(project, "apiVersion")).to.equal("management.cattle.io/v3");
    expect(new URL(textAt(project, "links", "view")).pathname).to.equal(`/v1/${plural}/${id}`);
  });

  it("has one name for a namespace where two clusters have a project of the same name", async () => {
    const other = `${cluster}-other`;
    await send(lists.client, "POST", "/api/v1/namespaces", { metadata: { name: other } });
    for (const [at, displayName] of [
      [cluster, "Twin one"],
      [other, "Twin two"],
    ] as const) {
      await send(lists.client, "POST", `/apis/management.cattle.io/v3/namespaces/${at}/projects`, {
        ...{
          apiVersion: "management.cattle.io/v3",
          kind: "Project",
          metadata: { name: named("t") },
        },
        spec: { clusterName: at, displayName },
      });
    }
    const labels = { "field.cattle.io/projectId": named("t") };
    const metadata = { name: named("t"), labels };
    await send(lists.client, "POST", "/api/v1/namespaces", { metadata });
    const ids = (filter: string): Promise<readonly string[]> =>
      lists.ids(`namespaces?filter=metadata.name=${named("t")}&filter=${filter}`);
    await eventually(async () => (await ids("spec.displayName~twin")).length === 1, {
      within: 20_000,
    });

    const each = await Promise.all(
      ["one", "two"].map((which) => ids(`spec.displayName='Twin ${which}'`)),
    );
    expect(each.flat()).to.have.length(1);
  });

  it("has secrets by the project and cluster that they were copied from", async () => {
    const ids = async (filter: string) =>
      (await lists.ids(`secrets/${cluster}?filter=${filter}`)).map((id) =>
        id.slice(cluster.length + 1),
      );

    expect(await ids("spec.displayName=Zoo")).to.deep.equal(["n1"]);
    expect(await ids(`spec.clusterName=${cluster}`)).to.deep.equal(["n1", "n2", "n4"]);
    expect(await ids(`spec.clusterName!=${cluster}`)).to.deep.equal(["n3", "x", "y"]);
  });

  it("tells nobody of projects that they may not list", async () => {
    const user = uniqueName("guest");
    const rbac = "/apis/rbac.authorization.k8s.io/v1";
    await send(lists.client, "POST", `${rbac}/clusterroles`, {
      metadata: { name: user },
      rules: [{ verbs: ["list"], apiGroups: [""], resources: ["namespaces"] }],
    });
    await send(lists.client, "POST", `${rbac}/clusterrolebindings`, {
      metadata: { name: user },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: user },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }],
    });
    await eventually(async () => (await found("", user)).length === all.length, { within: 20_000 });

    expect(await found("filter=spec.displayName=Zoo", user)).to.deep.equal([]);
    expect(await found("sort=-spec.displayName", user)).to.deep.equal([
      "n1",
      "n2",
      "n3",
      "n4",
      "x",
      "y",
    ]);
  });
});
