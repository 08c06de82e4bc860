/** What the Dashboard asks when it starts, in its order (dashboard: shell/config/router/navigation-guards, shell/store). */

import { expect } from "chai";
import { eventually } from "../drover.ts";
import { browser } from "./login.suite.ts";
import { password, patience, type Site } from "./site.ts";
import type { Json, Visitor } from "./visitor.ts";

const settings = "/v1/management.cattle.io.settings?pagesize=100000&exclude=metadata.managedFields";

const dataOf = (answer: Json): readonly Json[] => (Array.isArray(answer.data) ? answer.data : []);

/** What is not there yet, and is answered so. */
const waiting: readonly (readonly [method: string, path: string])[] = [
  ["POST", "/v1/ext.cattle.io.selfusers"],
  ["POST", "/v1/ext.cattle.io.passwordchangerequests"],
  ["GET", "/v1/uiplugins"],
  ["GET", "/v3/principals"],
  ["GET", "/v3/schemas"],
  ["GET", "/v3/subscribe"],
];

export function dashboard(site: () => Site): void {
  describe("the start of the Dashboard", () => {
    let tab: Visitor;
    before(() => {
      tab = site().stranger(browser);
    });
    after(() => tab[Symbol.asyncDispose]());

    it("learns the version", async () => {
      const version = await tab.read("/rancherversion");

      expect(version).to.have.keys("Version", "GitCommit", "RancherPrime");
    });

    it("reads fewer than 13 settings before login, and is told that there was none", async () => {
      const { status, headers, text } = await tab.get(settings);

      const data = dataOf(JSON.parse(text));
      expect(status).to.equal(200);
      expect(headers["x-api-cattle-auth"]).to.equal("false");
      expect(data.length).to.be.within(1, 12);
      expect(data.map(({ id }) => id))
        .to.include("first-login")
        .and.not.include("server-version");
    });

    it("finds first-login and ui-pl in the form of /v3 as well", async () => {
      const [first, name] = await Promise.all(
        ["/v3/settings/first-login", "/v3/settings/ui-pl"].map((path) => tab.read(path)),
      );

      expect(first).to.include({ id: "first-login", type: "setting", value: "true" });
      expect(name).to.include({ id: "ui-pl", value: "rancher" });
    });

    it("logs in and reads all settings", async () => {
      const login = {
        type: "localProvider",
        username: "admin",
        password,
        description: "UI session",
      };
      const { status } = await tab.post("/v1-public/login", { ...login, responseType: "cookie" });
      const { headers, text } = await tab.get(settings);

      const data = dataOf(JSON.parse(text));
      expect(status).to.equal(200);
      expect(headers["x-api-cattle-auth"]).to.equal("true");
      expect(data.length).to.be.at.least(13);
      expect(data.some(({ metadata }) => "managedFields" in Object(metadata))).to.equal(false);
    });

    it("finds the user who has logged in", async () => {
      const users = dataOf(await tab.read("/v1/management.cattle.io.users"));
      const admin = users.find(({ username }) => username === "admin");

      expect(await tab.read(`/v1/management.cattle.io.users/${admin?.id}`)).to.include({
        type: "management.cattle.io.user",
        username: "admin",
      });
    });

    it("reads schemas with methods, columns and links", async () => {
      const schemas = dataOf(await tab.read("/v1/schemas"));
      const byId = new Map(schemas.map((schema) => [schema.id, schema]));

      for (const id of [
        "pod",
        "namespace",
        "apps.deployment",
        "management.cattle.io.cluster",
        "count",
        "userpreference",
        "subscribe",
      ]) {
        expect(byId.has(id), id).to.equal(true);
      }
      expect(byId.get("pod")).to.include({ type: "schema", pluralName: "pods" });
      expect(byId.get("pod")?.collectionMethods).to.include.members(["GET", "POST"]);
      expect(Object(byId.get("pod")?.attributes)).to.include({
        kind: "Pod",
        resource: "pods",
        namespaced: true,
      });
    });

    it("reads features, counts, namespaces, workspaces, clusters and its preferences", async () => {
      const [features, counts, namespaces, , clusters] = await Promise.all(
        [
          "/v1/management.cattle.io.features",
          "/v1/counts",
          "/v1/namespaces",
          "/v1/management.cattle.io.fleetworkspaces",
          "/v1/management.cattle.io.clusters",
        ].map((path) => tab.read(`${path}?exclude=metadata.managedFields`)),
      );

      expect(dataOf(features ?? {}).map(({ id }) => id)).to.include("multi-cluster-management");
      expect(Object(dataOf(counts ?? {})[0]?.counts)).to.have.property("namespace");
      expect(dataOf(namespaces ?? {}).map(({ id }) => id)).to.include.members([
        "default",
        "cattle-system",
      ]);
      expect(dataOf(clusters ?? {}).map(({ id }) => id)).to.include("local");
      expect(await tab.read("/v1/management.cattle.io.clusters/local")).to.include({ id: "local" });
    });

    it("keeps preferences", async () => {
      const [mine] = dataOf(await tab.read("/v1/userpreferences"));
      const path = `/v1/userpreferences/${mine?.id}`;
      const csrf = { "x-api-csrf": tab.cookies.get("CSRF") ?? "" };

      const put = await tab.send("PUT", path, {
        body: { data: { theme: "ui-dark" } },
        headers: csrf,
      });

      expect(put.status, put.text).to.equal(200);
      expect((await tab.read(path)).data).to.deep.equal({ theme: "ui-dark" });
    });

    it("follows the links of a role whose name means something else in URLs", async () => {
      const name = 'odd?a=b#c\\d "e" é';
      const roles = "/v1/rbac.authorization.k8s.io.clusterroles";
      const csrf = { "x-api-csrf": tab.cookies.get("CSRF") ?? "" };
      const made = await tab.post(roles, { metadata: { name }, rules: [] }, csrf);
      const { links } = JSON.parse(made.text);
      const pathOf = (link: string): string => link.replace(tab.base, "");

      expect(made.status, made.text).to.equal(201);
      expect(await tab.read(pathOf(links.self))).to.include({ id: name });
      expect(await tab.read(pathOf(links.view))).to.have.nested.property("metadata.name", name);
      const removed = await tab.send("DELETE", pathOf(links.remove), { headers: csrf });
      expect(removed.status, removed.text).to.be.oneOf([200, 204]);
    });

    it("finds the feature and the projects that the setup page and a cluster's page ask for", async () => {
      const feature = await tab.read("/v1/management.cattle.io.features/multi-cluster-management");
      const projects = await eventually(
        "the projects of a new cluster",
        async () => {
          const found = dataOf(await tab.read("/v1/management.cattle.io.projects/local"));
          return found.length < 2 ? undefined : found;
        },
        patience,
      );

      expect(feature).to.include({ id: "multi-cluster-management" });
      expect(projects.map(({ spec }) => Object(spec).displayName)).to.have.members([
        "Default",
        "System",
      ]);
    });

    it("changes the settings of the setup page", async () => {
      const csrf = { "x-api-csrf": tab.cookies.get("CSRF") ?? "" };
      for (const [name, value] of [
        ["server-url", site().base],
        ["first-login", "false"],
        ["eula-agreed", "2026-01-01T00:00:00Z"],
      ] as const) {
        const path = `/v1/management.cattle.io.settings/${name}`;
        const setting = await tab.read(path);

        const put = await tab.send("PUT", path, { body: { ...setting, value }, headers: csrf });

        expect(put.status, put.text).to.equal(200);
        expect(await tab.read(path)).to.include({ value });
      }
    });

    it("subscribes, and is told that something changed", async () => {
      using socket = await tab.subscribe();
      const { revision } = await tab.read("/v1/namespaces");
      const changes = { mode: "resource.changes", debounceMs: 500 };
      await socket.watch({ resourceType: "namespace", resourceVersion: revision, ...changes });
      await socket.watch({ resourceType: "counts" });

      await site().direct.kubectl("create", "namespace", "seen-by-the-dashboard");

      await socket.hears("resource.changes", ({ resourceType }) => resourceType === "namespace");
      await socket.hears("resource.change", ({ resourceType }) => resourceType === "counts");
    });

    it("finds the server's own cluster under the base of any cluster", async () => {
      const prefix = "/k8s/clusters/local";
      const [schemas, counts, namespaces] = await Promise.all(
        ["schemas", "counts", "namespaces"].map((name) => tab.read(`${prefix}/v1/${name}`)),
      );
      using socket = await tab.subscribe(prefix);
      await socket.watch({ resourceType: "namespace", resourceVersion: namespaces?.revision });

      expect(dataOf(schemas ?? {}).map(({ id }) => id)).to.include("pod");
      expect(Object(dataOf(counts ?? {})[0]?.counts)).to.have.property("namespace");
      expect(namespaces?.links).to.deep.equal({ self: `${site().base}/v1/namespaces` });
      expect((await tab.get(`${prefix}/v1/no-such-type`)).status).to.equal(404);
    });

    it("is told that what is to come is not there", async () => {
      const csrf = { "x-api-csrf": tab.cookies.get("CSRF") ?? "" };
      const answers = await Promise.all(
        waiting.map(([method, path]) =>
          tab.send(method, path, { headers: csrf, ...(method === "POST" && { body: {} }) }),
        ),
      );

      expect(answers.map(({ status }) => status)).to.deep.equal(waiting.map(() => 404));
    });

    it("logs out", async () => {
      const csrf = { "x-api-csrf": tab.cookies.get("CSRF") ?? "" };

      const { status } = await tab.post("/v1/logout", {}, csrf);

      expect(status).to.equal(200);
      expect((await tab.get("/v1/namespaces")).status).to.equal(401);
      expect((await tab.get(settings)).headers["x-api-cattle-auth"]).to.equal("false");
    });
  });
}
