import { testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import {
  type Client,
  type ClusterConfig,
  connect,
  Informers,
  loadConfig,
  silentLogger,
  systemClock,
} from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { type Answer, Served } from "../../listener/testing/served.ts";
import type { Stage } from "../../stage.ts";
import { RbacAccess } from "../access/index.ts";
import { apiRootRoute } from "../api-root/index.ts";
import { refuseProblem } from "../refuse.ts";
import type { Route } from "../route.ts";
import { at, listAt, mapAt, textAt } from "../tree.ts";
import { LiveTypes } from "../types/index.ts";
import { aKind, change, crdOf, install, send, uninstall } from "../types/testing.test.support.ts";
import { Schemas, schemaRoutes } from "./index.ts";

const soon = { within: 20_000 };
const { signal: never } = new AbortController();

/** The routes of schemas behind a listener, for whoever the header `X-User` says, else for `system:masters`. */
class SchemaServer implements AsyncDisposable {
  readonly client: Client;
  readonly informers: Informers;
  readonly types: LiveTypes;
  readonly #access: RbacAccess;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #learning: Promise<void> = Promise.resolve();
  #served: Served | undefined;

  constructor(config: ClusterConfig) {
    this.client = connect(config);
    const { client } = this;
    this.informers = new Informers(client);
    const parts = { client, informers: this.informers, clock: systemClock, log: silentLogger };
    this.types = new LiveTypes(parts);
    this.#access = new RbacAccess(parts);
    this.#access.start(this.#stop.signal);
    this.#running = this.types.start(this.#stop.signal);
  }

  async open(): Promise<this> {
    const { client, types } = this;
    const schemas = new Schemas({ types, client, clock: systemClock, log: silentLogger });
    this.#learning = schemas.start(this.#stop.signal);
    const routes: Readonly<Record<string, Route>> = {
      ...schemaRoutes({ schemas, types, client }),
      "": apiRootRoute(schemas, "/v1"),
      apiroots: apiRootRoute(schemas, "/v1/apiRoots"),
    };
    this.#served = await Served.open([this.#stage(routes)]);
    await types.ready(never);
    await this.#access.ready(never);
    return this;
  }

  #stage(routes: Readonly<Record<string, Route>>): Stage {
    return async (exchange) => {
      const [, , name = "", ...rest] = exchange.path.split("/");
      const user = exchange.request.headers["x-user"];
      const caller =
        user === undefined
          ? { username: "admin", groups: ["system:masters"] }
          : { username: String(user), groups: ["system:authenticated"] };
      const place = { access: this.#access.of(caller), rest, base: "https://drover.test" };
      try {
        await routes[name.toLowerCase()]?.(exchange, { ...place, signal: exchange.signal });
      } catch (thrown) {
        refuseProblem(exchange, thrown);
      }
    };
  }

  call(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
    if (this.#served === undefined) throw new Error("not open");
    return this.#served.call(path, { headers, method });
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<unknown> {
    const { status, body } = await this.call(path, headers);
    expect(status, body).to.equal(200);
    return JSON.parse(body);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#learning;
    await this.#served?.[Symbol.asyncDispose]();
    await this.informers.dispose();
    await this.client[Symbol.asyncDispose]();
  }
}

function ids(collection: unknown): readonly string[] {
  return listAt(collection, "data").map((each) => textAt(each, "id"));
}

describe("the routes of schemas, on an API server", function () {
  this.timeout(60_000);

  let server: SchemaServer;
  before(async function () {
    this.timeout(120_000);
    const { kubeconfigPath } = await testEnv();
    server = await new SchemaServer(await loadConfig({ kubeconfig: kubeconfigPath })).open();
  });
  after(() => server?.[Symbol.asyncDispose]());

  /** What Pods are, once that is known. */
  const described = (): Promise<string> =>
    eventually(
      async () => textAt(await server.get("/v1/schemas/pod"), "description") || undefined,
      soon,
    );

  it("list every type, with methods and columns", async () => {
    await eventually(() => (server.types.find("pod")?.columns.length ?? 0) > 0, soon);
    await described(); // which it may become between two answers

    const schemas = await server.get("/v1/schemas");

    expect(ids(schemas)).to.include.members(["pod", "apps.deployment", "schema", "count"]);
    const pod = listAt(schemas, "data").find((each) => textAt(each, "id") === "pod");
    expect(at(pod, "resourceMethods")).to.have.members(["GET", "PUT", "PATCH", "DELETE"]);
    expect(at(pod, "attributes", "columns", "2")).to.deep.equal({
      ...{ name: "Status", type: "string", format: "", priority: 0, field: "$.metadata.fields[2]" },
      description: "The aggregate status of the containers in this pod.",
    });
    expect(await server.get("/v1/schemas/Pods")).to.deep.equal(pod);
  });

  it("describe types in the words of their authors", async () => {
    const description = await described();

    expect(description).to.equal(
      "Pod is a collection of containers that can run on a host. This resource is created by clients and scheduled onto hosts.",
    );
    const [all, one] = [await server.get("/v1/schemas"), await server.get("/v1/schemas/pod")];
    expect(listAt(all, "data")).to.deep.include(one);
  });

  it("show a caller what their roles allow, and a new right soon", async () => {
    const user = uniqueName("viewer");
    const headers = { "x-user": user };
    const before = ids(await server.get("/v1/schemas", headers));
    const rbac = "rbac.authorization.k8s.io";
    const path = `/apis/${rbac}/v1/namespaces/default/rolebindings`;
    const roleRef = { apiGroup: rbac, kind: "ClusterRole", name: "view" };
    const subjects = [{ apiGroup: rbac, kind: "User", name: user }];
    const kind = { apiVersion: `${rbac}/v1`, kind: "RoleBinding", metadata: { name: user } };

    await send(server.client, "POST", path, { ...kind, roleRef, subjects });
    const after = await eventually(async () => {
      const seen = ids(await server.get("/v1/schemas", headers));
      return seen.includes("pod") && seen;
    }, soon);

    expect(before).to.include("namespace").and.not.include("pod");
    expect(after).to.include.members(["pod", "apps.deployment", "namespace"]);
    expect(after).not.to.include.members(["secret"]);
    expect(after).not.to.include("node");
    expect((await server.call("/v1/schemas/secret", headers)).status).to.equal(404);
    const namespace = await server.get("/v1/schemas/namespace", headers);
    expect(at(namespace, "resourceMethods")).to.deep.equal(["GET"]);
  });

  it("tell at /v1 of every collection that the caller can get, and where schemas are", async () => {
    const root = await server.get("/v1");
    const others = await server.get("/v1", { "x-user": uniqueName("nobody") });

    const links = mapAt(listAt(root, "data")[0], "links");
    expect(links).to.include({
      self: "https://drover.test/v1",
      root: "https://drover.test/v1",
      schemas: "https://drover.test/v1/schemas",
      pods: "https://drover.test/v1/pods",
      "apps.deployments": "https://drover.test/v1/apps.deployments",
    });
    expect(links).not.to.have.property("authorization.k8s.io.subjectaccessreviews");
    expect(ids(root)).to.deep.equal(["v1", "proxy"]);
    expect(at(listAt(root, "data")[1], "links", "root")).to.equal("https://drover.test/apis");
    expect(mapAt(listAt(others, "data")[0], "links")).not.to.have.property("pods");
    expect(at(await server.get("/v1/apiRoots/v1"), "apiVersion", "version")).to.equal("v1");
  });

  it("list API groups, the core group by a name of its own", async () => {
    const groups = await server.get("/v1/apigroups");

    expect(ids(groups)).to.include.members(["core", "apps", "rbac.authorization.k8s.io"]);
    const core = await server.get("/v1/apigroups/core");
    expect(at(core, "preferredVersion", "version")).to.equal("v1");
    expect(at(await server.get("/v1/apigroups/apps"), "name")).to.equal("apps");
  });

  it("define the fields of a kind that is built in, with all that they refer to", async () => {
    const definition = await server.get("/v1/schemaDefinitions/pods");

    const core = "io.k8s.api.core.v1";
    const fields = (name: string): unknown =>
      mapAt(definition, "definitions", `${core}.${name}`, "resourceFields");
    expect(definition).to.include({
      ...{ id: "pods", type: "schemaDefinition", definitionType: `${core}.Pod` },
    });
    expect(fields("Pod")).to.have.nested.property("spec.type", `${core}.PodSpec`);
    expect(fields("PodSpec")).to.have.nested.property("containers.subtype", `${core}.Container`);
    expect(fields("PodSpec")).to.have.nested.property("containers.required", true);
    expect(fields("PodStatus")).to.have.nested.property("startTime.type", "string");
    expect(fields("ResourceRequirements")).to.have.deep.nested.include({
      "limits.type": "map",
      "limits.subtype": "string",
    });
    expect(fields("ContainerPort")).to.have.nested.property("containerPort.type", "int");
    expect(Object.keys(mapAt(definition, "definitions") ?? {}).length).to.be.above(100);
  });

  it("define every type that is built in", async () => {
    const types = [...server.types.all()].filter(({ crd, aggregated }) => !crd && !aggregated);

    for (const { id, kind } of types) {
      const definition = await server.get(`/v1/schemaDefinitions/${id}`);
      const name = textAt(definition, "definitionType");
      expect(name.endsWith(`.${kind.version}.${kind.kind}`), `${name} of ${id}`).to.equal(true);
      expect(mapAt(definition, "definitions", name, "resourceFields")).not.to.equal(undefined);
    }
    expect(types).to.have.length.above(50);
  });

  it("define the fields of a CRD by its own schema, and follow it", async () => {
    const kind = aKind();
    const id = `${kind.group}.gadget`;
    const spec = (property: string): object => ({
      ...{ type: "object", description: "Wanted.", required: [property] },
      properties: {
        [property]: { type: "integer", description: "How much." },
        any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        either: { "x-kubernetes-int-or-string": true },
      },
    });
    const definitionOf = async (property: string): Promise<unknown> => {
      const { status, body } = await server.call(`/v1/schemaDefinitions/${id}`);
      const found: unknown = JSON.parse(body);
      if (status !== 200) {
        expect([404, 503], body).to.include(status);
        return undefined;
      }
      const specs = `${textAt(found, "definitionType")}.spec`;
      const fields = mapAt(found, "definitions", specs, "resourceFields") ?? {};
      return Object.hasOwn(fields, property) ? found : undefined;
    };

    await install(server.client, crdOf(kind, { properties: { spec: spec("size") } }));
    const first = await eventually(() => definitionOf("size"), soon);
    await change(server.client, crdOf(kind, { properties: { spec: spec("count") } }));
    await eventually(() => definitionOf("count"), soon);
    await uninstall(server.client, kind);

    const model = textAt(first, "definitionType");
    expect(model.endsWith(".v1.Gadget")).to.equal(true);
    const fields = (name: string): unknown => at(first, "definitions", name, "resourceFields");
    expect(fields(model)).to.have.nested.property("spec.type", `${model}.spec`);
    const meta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
    expect(fields(model)).to.have.nested.property("metadata.type", meta);
    expect(fields(model)).to.have.nested.property("kind.type", "string");
    expect(fields(meta)).to.have.nested.property("labels.type", "map");
    expect(fields(`${model}.spec`)).to.deep.equal({
      size: { type: "int", description: "How much.", required: true },
      any: { type: "map", subtype: `${model}.spec.any` },
      either: { type: "string" },
    });
  });

  it("define what /v1 serves itself", async () => {
    const definition = await server.get("/v1/schemaDefinitions/count");

    expect(at(definition, "definitions", "count", "resourceFields", "counts")).to.deep.equal({
      ...{ type: "map", subtype: "itemCount" },
    });
  });

  for (const { path, status, code, method = "GET" } of [
    { path: "/v1/schemas/nothing", status: 404, code: "NotFound" },
    { path: "/v1/schemas/pod/more", status: 404, code: "NotFound" },
    { path: "/v1/schemaDefinitions/nothing", status: 404, code: "NotFound" },
    { path: "/v1/schemaDefinitions", status: 403, code: "PermissionDenied" },
    { path: "/v1/apigroups/nothing", status: 404, code: "NotFound" },
    { path: "/v1/apiRoots/nothing", status: 404, code: "NotFound" },
    { path: "/v1/schemas", method: "POST", status: 403, code: "PermissionDenied" },
    { path: "/v1/schemas/pod", method: "DELETE", status: 403, code: "PermissionDenied" },
    { path: "/v1", method: "PUT", status: 403, code: "PermissionDenied" },
  ]) {
    it(`answer ${status} ${code} to ${method} ${path}`, async () => {
      const { status: found, body } = await server.call(path, {}, method);

      expect(found).to.equal(status);
      expect(JSON.parse(body)).to.include({ type: "error", code });
    });
  }

  it("compress a long answer for those who take that", async () => {
    const plain = await server.call("/v1/schemas");
    const gzipped = await server.call("/v1/schemas", { "accept-encoding": "br, gzip;q=0.5" });
    const refused = await server.call("/v1/schemas", { "accept-encoding": "gzip;q=0" });

    expect(gzipped.headers["content-encoding"]).to.equal("gzip");
    expect(Number(gzipped.headers["content-length"])).to.be.below(plain.body.length / 4);
    expect(refused.headers["content-encoding"]).to.equal(undefined);
  });
});
