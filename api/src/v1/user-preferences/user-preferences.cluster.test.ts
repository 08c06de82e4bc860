import { installCrds, Preference } from "@drover/crds";
import { testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Client, connect, loadConfig, silentLogger } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { type Answer, Served } from "../../listener/testing/served.ts";
import type { Stage } from "../../stage.ts";
import { accessOf } from "../access/held.test.support.ts";
import { refuseProblem } from "../refuse.ts";
import { at, listAt } from "../tree.ts";
import { userPreferencesRoute } from "./index.ts";

const base = "https://drover.test";
const rbac = "rbac.authorization.k8s.io";
const rules = [{ verbs: ["*"], apiGroups: ["management.cattle.io"], resources: ["preferences"] }];

describe("user preferences, on an API server", function () {
  this.timeout(60_000);

  let client: Client;
  let served: Served;
  const role = uniqueName("preferences");
  before(async function () {
    this.timeout(120_000);
    const { kubeconfigPath } = await testEnv();
    client = connect(await loadConfig({ kubeconfig: kubeconfigPath }));
    await installCrds(client, { log: silentLogger, signal: new AbortController().signal });
    const metadata = { name: role };
    const apiVersion = `${rbac}/v1`;
    await client.create({ apiVersion, kind: "ClusterRole", metadata, ...{ rules } });
    served = await Served.open([stage(userPreferencesRoute(client))]);
  });
  after(async () => {
    await served?.[Symbol.asyncDispose]();
    await client[Symbol.asyncDispose]();
  });

  /** The caller is who the header `X-User` says; their rights to preferences are those of the role. */
  function stage(route: ReturnType<typeof userPreferencesRoute>): Stage {
    return async (exchange) => {
      const username = String(exchange.request.headers["x-user"]);
      exchange.login = { caller: { username, groups: ["system:authenticated"] }, token: undefined };
      const [, , , ...rest] = exchange.path.split("/").map(decodeURIComponent);
      const access = accessOf(username.startsWith("keeper") ? { "": rules } : {});
      try {
        await route(exchange, { access, rest, base, signal: exchange.signal });
      } catch (thrown) {
        refuseProblem(exchange, thrown);
      }
    };
  }

  async function aKeeper(): Promise<string> {
    const name = uniqueName("keeper");
    await client.create({
      ...{ apiVersion: `${rbac}/v1`, kind: "ClusterRoleBinding", metadata: { name } },
      ...{
        roleRef: { apiGroup: rbac, kind: "ClusterRole", name: role },
        subjects: [{ apiGroup: rbac, kind: "User", name }],
      },
    });
    const may = (): Promise<boolean> =>
      client
        .as({ user: name })
        .list(Preference, { namespace: name })
        .then(() => true);
    await eventually(may, { within: 20_000 });
    return name;
  }

  function call(user: string, name?: string, method?: string, body?: unknown): Promise<Answer> {
    const path = name === undefined ? "" : `/${encodeURIComponent(name)}`;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return served.call(`/v1/userpreferences${path}`, {
      ...{ headers: { "x-user": user }, ...(method && { method }) },
      ...(body !== undefined && { body: text }),
    });
  }

  it("keep what a user puts, as a whole, and forget it", async () => {
    const user = await aKeeper();

    const none = await call(user);
    const put = await call(user, user, "PUT", {
      data: { theme: "dark", "last-visited": '{"a":1}' },
    });
    const changed = await call(user, user, "PUT", { data: { theme: "light", rows: "10" } });
    const found = await call(user);
    const one = await call(user, user);
    const gone = await call(user, user, "DELETE");
    const after = await call(user, user);

    const self = `${base}/v1/userpreferences/${user}`;
    const item = { id: user, type: "userpreference", links: { remove: self, self, update: self } };
    expect(JSON.parse(none.body)).to.deep.equal({
      ...{ type: "collection", links: { self: `${base}/v1/userpreferences` }, actions: {} },
      ...{ resourceType: "userpreference", data: [{ ...item, data: {} }] },
    });
    expect(put.status, put.body).to.equal(200);
    expect(JSON.parse(put.body)).to.deep.include({
      data: { theme: "dark", "last-visited": '{"a":1}' },
    });
    expect(changed.status).to.equal(200);
    const data = { theme: "light", rows: "10" };
    expect(listAt(JSON.parse(found.body), "data")).to.deep.equal([{ ...item, data }]);
    expect(JSON.parse(one.body)).to.deep.equal({ ...item, data });
    expect(gone.status).to.equal(204);
    expect(at(JSON.parse(after.body), "data")).to.deep.equal({});
  });

  it("are objects in the namespace of the user", async () => {
    const user = await aKeeper();

    await call(user, user, "PUT", { data: { theme: "dark" } });

    const { value } = await client.get(Preference, "theme", { namespace: user });
    expect(value).to.equal("dark");
  });

  const refusals: readonly {
    readonly name: string;
    readonly user?: string;
    readonly of?: string;
    readonly method?: string;
    readonly body?: unknown;
    readonly status: number;
    readonly code: string;
  }[] = [
    { name: "somebody else's", user: "keeper-a", of: "keeper-b", status: 404, code: "NotFound" },
    { name: "no map", body: { data: ["a"] }, status: 422, code: "InvalidBodyContent" },
    { name: "no data", body: {}, status: 422, code: "InvalidBodyContent" },
    { name: "no JSON", body: "{", status: 422, code: "InvalidBodyContent" },
    { name: "a number", body: { data: { rows: 10 } }, status: 422, code: "InvalidBodyContent" },
    { name: "another method", method: "POST", body: {}, status: 403, code: "PermissionDenied" },
    {
      name: "a user without rights",
      ...{
        user: "stranger",
        of: "stranger",
        body: { data: { a: "b" } },
        status: 403,
        code: "Forbidden",
      },
    },
    {
      name: "a user whose name no namespace has",
      ...{
        user: "system:x",
        of: "system:x",
        body: { data: {} },
        status: 403,
        code: "PermissionDenied",
      },
    },
  ];
  for (const { name, user, of, method, body, status, code } of refusals) {
    it(`refuse ${name}`, async () => {
      const caller = user ?? "keeper-a";

      const answer = await call(
        caller,
        of ?? caller,
        method ?? (body === undefined ? "GET" : "PUT"),
        body,
      );

      expect(answer.status, answer.body).to.equal(status);
      expect(JSON.parse(answer.body)).to.include({ type: "error", code });
    });
  }

  it("are none for a user whose name no namespace has", async () => {
    const answer = await call("system:x");

    expect(at(listAt(JSON.parse(answer.body), "data")[0], "data")).to.deep.equal({});
  });
});
