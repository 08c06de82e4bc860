import { installCrds, localClusterName, type PolicyRule } from "@drover/crds";
import {
  aClusterRoleTemplateBinding,
  aProjectRoleTemplateBinding,
  aRoleTemplate,
} from "@drover/crds/testing";
import { testEnv, uniqueName } from "@drover/env";
import type { Caller } from "@drover/platform";
import { expect } from "chai";
import {
  apiVersionOf,
  type Client,
  connect,
  Informers,
  loadConfig,
  silentLogger,
  systemClock,
} from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Namespace, Role, RoleBinding } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { everything } from "../access/held-access.ts";
import { RbacAccess } from "../access/index.ts";
import { type Reply, type Served, serve } from "../access/route.test.support.ts";
import { LiveTypes } from "../types/index.ts";
import { DeclaredAccess } from "./declared-access.ts";
import { accessRoute } from "./route.ts";

const within = { within: 30_000 };

interface ToldReason {
  readonly source: string;
  readonly text: string;
}

describe("GET /v1/access", function () {
  this.timeout(90_000);

  const stop = new AbortController();
  let client: Client;
  let informers: Informers;
  let access: RbacAccess;
  let declared: DeclaredAccess;
  let served: Served;
  let namespace: string;
  /** Another name of the cluster, that nobody else uses. */
  const member = uniqueName("c");

  /** What logins give, by the names of Users. */
  const logins: Record<string, readonly string[]> = {};
  /** Whom user names mean. */
  const userNames: Record<string, string> = {};
  const personCalled = async (text: string) => {
    const username = userNames[text] ?? text;
    const groups = logins[username];
    return groups && { username, groups };
  };

  before(async () => {
    const plane = await testEnv();
    client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
    await installCrds(client, { log: silentLogger, signal: stop.signal });
    informers = new Informers(client, { managedFields: "cold" });
    const types = new LiveTypes({ client, informers, clock: systemClock, log: silentLogger });
    void types.start(stop.signal);
    access = new RbacAccess({ informers, log: silentLogger });
    access.start(stop.signal);
    declared = new DeclaredAccess({ informers, log: silentLogger });
    declared.start(stop.signal);
    await Promise.all([types.ready(stop.signal), access.ready(stop.signal)]);
    const local = {
      ...{
        types,
        access,
        sourcesFor: (wish: Parameters<RbacAccess["sourcesFor"]>[0]) => access.sourcesFor(wish),
      },
      projectOf: (name: string) => declared.projectOf(name),
    };
    const clusterOf = (name: string) =>
      [localClusterName, member].includes(name) ? local : undefined;
    served = await serve(accessRoute({ clusterOf, declared, personCalled }));
    namespace = uniqueName("review");
    await client.create({ apiVersion: "v1", kind: Namespace.kind, metadata: { name: namespace } });
  });
  after(async () => {
    await served?.[Symbol.asyncDispose]();
    stop.abort();
    await informers?.dispose();
    await client?.[Symbol.asyncDispose]();
  });

  const rule = (verbs: string, resources: string, ...names: readonly string[]): PolicyRule => ({
    verbs: verbs.split(","),
    apiGroups: [""],
    resources: resources.split(","),
    ...(names.length > 0 && { resourceNames: names }),
  });

  /** Somebody with rules: in the namespace, or everywhere. */
  async function someone(rules: readonly PolicyRule[], within?: string): Promise<Caller> {
    const name = uniqueName("someone");
    const metadata = { name, ...(within !== undefined && { namespace: within }) };
    const subjects = [{ kind: "User", apiGroup: ClusterRole.group, name }] as const;
    const role = within === undefined ? ClusterRole : Role;
    const binding = within === undefined ? ClusterRoleBinding : RoleBinding;
    const roleRef = { apiGroup: ClusterRole.group, kind: role.kind, name };
    const of = { apiVersion: apiVersionOf(ClusterRole), metadata };
    await client.create<Role>({ ...of, kind: role.kind, rules });
    await client.create<RoleBinding>({ ...of, kind: binding.kind, roleRef, subjects });
    const caller: Caller = { username: name, groups: [] };
    const [first] = rules;
    const [verb = "", plural = ""] = [first?.verbs[0], first?.resources?.[0]];
    const object = first?.resourceNames?.[0];
    await eventually(() => access.of(caller).may(verb, { group: "", plural }, within, object), {
      within: 30_000,
    });
    return caller;
  }

  const ask = (caller: Caller, query: string): Promise<Reply> =>
    served.ask(`/v1/access?${query}`, { caller, access: access.of(caller) });
  const reasons = ({ body }: Reply): readonly ToldReason[] => body.reasons as readonly ToldReason[];

  it("tells which binding, role and rule allow something", async () => {
    const caller = await someone([rule("list", "pods"), rule("get", "secrets")], namespace);

    const reply = await ask(caller, `verb=list&resource=pods&namespace=${namespace}`);

    const { username: name } = caller;
    expect(reply.status).to.equal(200);
    expect(reply.body).to.deep.include({
      ...{ id: `list pods ${namespace}`, type: "access", allowed: true, cluster: "local" },
      ...{ verb: "list", group: "", resource: "pods", resourceType: "pod", namespace },
      links: {
        self: `https://drover/v1/access?verb=list&resource=pods&namespace=${namespace}`,
      },
    });
    expect(reply.body.reasons).to.deep.equal([
      {
        source: "rbac",
        text: `RoleBinding ${namespace}/${name} grants Role ${namespace}/${name}: {APIGroups:[""], Resources:["pods"], Verbs:["list"]}`,
        chain: ["RoleBinding", "Role"].map((kind) => ({
          ...{ apiVersion: apiVersionOf(Role), kind, metadata: { namespace, name } },
        })),
        rule: rule("list", "pods"),
      },
    ]);
  });

  it("tells what is missing, and where it would be allowed", async () => {
    const caller = await someone([rule("list", "pods"), rule("get", "secrets", "a")], namespace);

    const everywhere = await ask(caller, "verb=list&resource=pods");
    const named = await ask(caller, `verb=get&resource=secrets&namespace=${namespace}&name=b`);
    const nothing = await ask(caller, "verb=delete&resource=nodes&name=n");

    expect([everywhere, named, nothing].map(({ body }) => body.allowed)).to.deep.equal([
      ...[false, false, false],
    ]);
    expect(reasons(everywhere)).to.deep.equal([
      { source: "elsewhere", text: `may list pods in namespace ${namespace}` },
    ]);
    expect(reasons(named)).to.deep.equal([
      { source: "elsewhere", text: "may get secrets of name a" },
    ]);
    expect(reasons(nothing)).to.deep.equal([]);
    expect(nothing.body.missing).to.deep.include({ rule: rule("delete", "nodes", "n") });
  });

  it("tells of subresources, and of types under all their names", async () => {
    const scale = { verbs: ["patch"], apiGroups: ["apps"], resources: ["deployments/scale"] };
    const caller = await someone([rule("get", "pods"), scale]);

    for (const name of ["apps.deployment", "apps.deployments", "Apps.Deployment"]) {
      const reply = await ask(caller, `verb=patch&resource=${name}/scale`);
      expect(reply.body).to.deep.include({
        ...{ allowed: true, group: "apps", resource: "deployments/scale" },
      });
      expect((await ask(caller, `verb=patch&resource=${name}`)).body.allowed).to.equal(false);
    }
  });

  it("tells that the namespace itself is within reach of a RoleBinding in it", async () => {
    const caller = await someone([rule("get", "namespaces")], namespace);

    const reply = await ask(caller, `verb=get&resource=namespaces&name=${namespace}`);

    expect(reply.body.allowed).to.equal(true);
    expect(reasons(reply).map(({ source }) => source)).to.deep.equal(["rbac"]);
  });

  it("tells of paths that are no resources", async () => {
    const urls: PolicyRule = { verbs: ["get"], nonResourceURLs: ["/metrics", "/logs/*"] };
    const caller = await someone([rule("list", "pods"), urls]);
    const name = caller.username;

    const metrics = await ask(caller, "verb=get&path=/metrics");
    const logs = await ask(caller, "verb=get&path=/logs/a");
    const others = await Promise.all(
      ["verb=post&path=/metrics", "verb=get&path=/metrics/a"].map((query) => ask(caller, query)),
    );

    const links = ["ClusterRoleBinding", "ClusterRole"].map((kind) => ({
      ...{ apiVersion: apiVersionOf(ClusterRole), kind, metadata: { name } },
    }));
    const text = `ClusterRoleBinding ${name} grants ClusterRole ${name}: {NonResourceURLs:["/metrics" "/logs/*"], Verbs:["get"]}`;
    expect(metrics.status).to.equal(200);
    expect(metrics.body).to.deep.include({
      ...{ id: "get /metrics", type: "access", verb: "get", path: "/metrics", allowed: true },
      links: { self: "https://drover/v1/access?verb=get&path=%2Fmetrics" },
    });
    expect(metrics.body).not.to.have.any.keys("resource", "group", "resourceType");
    expect(reasons(metrics)).to.deep.include({
      ...{ source: "rbac", text, rule: urls, chain: links },
    });
    expect(logs.body.allowed).to.equal(true);
    expect(others.map(({ body }) => body.allowed)).to.deep.equal([false, false]);
    expect(others[0]?.body.missing).to.deep.include({
      rule: { verbs: ["post"], nonResourceURLs: ["/metrics"] },
    });
  });

  it("tells of a binding whose role is missing", async () => {
    const name = uniqueName("broken");
    await client.create<ClusterRoleBinding>({
      ...{ apiVersion: apiVersionOf(ClusterRole), kind: "ClusterRoleBinding", metadata: { name } },
      roleRef: { apiGroup: ClusterRole.group, kind: "ClusterRole", name },
      subjects: [{ kind: "User", apiGroup: ClusterRole.group, name }],
    });

    const text = `ClusterRoleBinding ${name} grants ClusterRole ${name}, which does not exist`;
    await eventually(async () => {
      const reply = await ask({ username: name, groups: [] }, "verb=list&resource=pods");
      return reasons(reply).some((each) => each.source === "missing" && each.text === text);
    }, within);
  });

  it("tells what is declared and does not show yet", async () => {
    const [name, template] = [uniqueName("user"), uniqueName("template")];
    await client.create(
      aRoleTemplate({ metadata: { name: template }, rules: [rule("list", "pods")] }),
    );
    await client.create({ apiVersion: "v1", kind: Namespace.kind, metadata: { name: member } });
    await client.create(
      aClusterRoleTemplateBinding({
        ...{ metadata: { name, namespace: member }, clusterName: member },
        ...{ userName: name, roleTemplateName: template },
      }),
    );
    const caller: Caller = { username: name, groups: [] };

    await eventually(async () => {
      const reply = await ask(caller, `verb=list&resource=pods&cluster=${member}`);
      return (
        reply.body.allowed === false && reasons(reply).some(({ source }) => source === "declared")
      );
    }, within);
  });

  it("tells what is declared in the project of a namespace", async () => {
    const [name, template, home] = [uniqueName("user"), uniqueName("template"), uniqueName("web")];
    const project = `${member}:p-1`;
    await client.create(
      aRoleTemplate({ metadata: { name: template }, rules: [rule("list", "pods")] }),
    );
    await client.create({
      ...{ apiVersion: "v1", kind: Namespace.kind },
      metadata: { name: home, annotations: { "field.cattle.io/projectId": project } },
    });
    await client.create(
      aProjectRoleTemplateBinding({
        ...{ metadata: { name, namespace: home }, projectName: project },
        ...{ userName: name, roleTemplateName: template },
      }),
    );
    const caller: Caller = { username: name, groups: [] };
    const sources = async (query: string): Promise<readonly string[]> =>
      reasons(await ask(caller, `verb=list&resource=pods&cluster=${member}${query}`)).map(
        ({ source }) => source,
      );

    await eventually(
      async () => (await sources(`&namespace=${home}`)).includes("declared"),
      within,
    );

    expect(await sources("")).to.deep.equal([]);
    expect(await sources(`&namespace=${namespace}`)).to.deep.equal([]);
  });

  it("needs no rules for members of system:masters", async () => {
    const caller: Caller = { username: "admin", groups: ["system:masters"] };

    const { body } = await ask(caller, "verb=delete&resource=nodes");

    expect(body).to.deep.include({ allowed: true });
    expect((body.reasons as readonly ToldReason[]).map(({ source }) => source)).to.deep.equal([
      "superuser",
    ]);
  });

  it("tells of others only who may review or be them", async () => {
    const other = await someone([rule("list", "pods")]);
    const nosy = await someone([rule("list", "configmaps")]);
    const twin = await someone([rule("impersonate", "users", other.username)]);
    const question = `verb=list&resource=pods&user=${other.username}`;

    expect((await ask(nosy, question)).status).to.equal(403);
    expect((await ask(nosy, question)).body).to.deep.include({
      ...{ type: "error", code: "PermissionDenied", fieldName: "user" },
    });
    expect((await ask(twin, question)).body).to.deep.include({
      ...{ allowed: true, user: other.username },
    });
    expect((await ask(twin, `${question}&group=system:masters`)).status).to.equal(403);
    const caller: Caller = { username: "admin", groups: ["system:masters"] };
    const reply = await served.ask(`/v1/access?${question}`, { caller, access: everything });
    expect(reply.body).to.deep.include({ allowed: true });
  });

  it("puts a service account in the groups that the API server puts it in, which need no right of their own", async () => {
    const account = "system:serviceaccount:shop:robot";
    const mayBe = await someone([rule("impersonate", "serviceaccounts")]);

    const { body } = await ask(mayBe, `verb=list&resource=pods&user=${account}`);

    expect(body.groups).to.deep.equal([
      "system:serviceaccounts",
      "system:serviceaccounts:shop",
      "system:authenticated",
    ]);
    expect(String((body.links as { readonly self: string }).self)).to.match(
      /user=system%3Aserviceaccount%3Ashop%3Arobot$/,
    );
  });

  it("looks at others by any of their names, with the groups that a login gives them, and tells these who may review alone", async () => {
    const group = uniqueName("nodes");
    const user = uniqueName("u");
    const twin = await someone([rule("impersonate", "users", user)]);
    const reviewer: Caller = { username: "admin", groups: ["system:masters"] };
    const role = { apiVersion: apiVersionOf(ClusterRole), metadata: { name: group } };
    await client.create<ClusterRole>({
      ...{ ...role, kind: ClusterRole.kind, rules: [rule("list", "nodes")] },
    });
    await client.create<ClusterRoleBinding>({
      ...{ ...role, kind: ClusterRoleBinding.kind },
      roleRef: { apiGroup: ClusterRole.group, kind: ClusterRole.kind, name: group },
      subjects: [{ kind: "Group", apiGroup: ClusterRole.group, name: group }],
    });
    const member: Caller = { username: user, groups: [group] };
    await eventually(() => access.of(member).may("list", { group: "", plural: "nodes" }), {
      within: 30_000,
    });
    logins[user] = [group, "system:authenticated", "system:cattle:authenticated"];
    const question = `verb=list&resource=nodes&user=${user}`;

    const told = await served.ask(`/v1/access?${question}`, {
      caller: reviewer,
      access: everything,
    });
    expect(told.body).to.deep.include({
      ...{ allowed: true, user },
      groups: ["system:authenticated", group, "system:cattle:authenticated"],
    });
    expect((await ask(twin, question)).body).to.deep.include({
      ...{ allowed: false, groups: ["system:authenticated"] },
    });

    userNames.ada = user;
    const called = "verb=list&resource=nodes&user=ada";
    const meant = await served.ask(`/v1/access?${called}`, {
      caller: reviewer,
      access: everything,
    });
    expect(meant.body).to.deep.include({ allowed: true, user });
    userNames["system:admin"] = user;
    const own = await served.ask("/v1/access?verb=list&resource=nodes&user=system:admin", {
      ...{ caller: reviewer, access: everything },
    });
    expect(own.body).to.deep.include({ allowed: false, user: "system:admin" });
    const mayBeAda = await someone([rule("impersonate", "users", "ada")]);
    expect((await ask(mayBeAda, called)).body).to.deep.include({ allowed: false, user: "ada" });
  });

  for (const { query, status, code, fieldName } of [
    { query: "verb=get&path=", status: 422, code: "MissingRequired", fieldName: "path" },
    { query: "verb=get&path=metrics", status: 422, code: "InvalidFormat", fieldName: "path" },
    { query: "path=/metrics", status: 422, code: "MissingRequired", fieldName: "verb" },
    {
      query: "verb=get&path=/metrics&resource=pods",
      ...{ status: 422, code: "InvalidOption", fieldName: "resource" },
    },
    {
      query: "verb=get&path=/metrics&namespace=a",
      ...{ status: 422, code: "InvalidOption", fieldName: "namespace" },
    },
    {
      query: "verb=get&path=/metrics&path=/a",
      ...{ status: 422, code: "InvalidOption", fieldName: "path" },
    },
    { query: "resource=pods", status: 422, code: "MissingRequired", fieldName: "verb" },
    { query: "verb=list", status: 422, code: "MissingRequired", fieldName: "resource" },
    { query: "verb=&resource=pods", status: 422, code: "MissingRequired", fieldName: "verb" },
    { query: "verb=a%20b&resource=pods", status: 422, code: "InvalidFormat", fieldName: "verb" },
    { query: "verb=list&resource=nothings", status: 404, code: "NotFound", fieldName: "resource" },
    {
      query: "verb=list&resource=nodes&namespace=a",
      ...{ status: 422, code: "InvalidOption", fieldName: "namespace" },
    },
    {
      query: "verb=list&resource=pods&cluster=c-x",
      ...{ status: 404, code: "NotFound", fieldName: "cluster" },
    },
    {
      query: "verb=list&resource=pods&verb=get",
      ...{ status: 422, code: "InvalidOption", fieldName: "verb" },
    },
    {
      query: "verb=list&resource=pods&wat=1",
      ...{ status: 422, code: "InvalidOption", fieldName: "wat" },
    },
    {
      query: "verb=list&resource=pods&group=g",
      ...{ status: 422, code: "MissingRequired", fieldName: "user" },
    },
    {
      query: `verb=list&resource=pods&name=${"x".repeat(300)}`,
      ...{ status: 422, code: "InvalidFormat", fieldName: "name" },
    },
  ]) {
    it(`answers ${code} for ${query.slice(0, 50)}`, async () => {
      const reply = await ask({ username: "nobody", groups: [] }, query);

      expect(reply.status).to.equal(status);
      expect(reply.body).to.deep.include({ type: "error", code, fieldName });
    });
  }

  it("takes no other method and no path below it", async () => {
    const asker = { caller: { username: "a", groups: [] }, access: everything };

    expect((await served.ask("/v1/access", asker, "POST")).status).to.equal(403);
    expect((await served.ask("/v1/access/x?verb=list&resource=pods", asker)).status).to.equal(404);
  });
});
