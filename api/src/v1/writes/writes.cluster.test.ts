import { connect as connectTcp } from "node:net";
import { gzipSync } from "node:zlib";
import { freshNamespace, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Client, connect, defineKind, type KubeObject, loadConfig } from "kopf-ts";
import { ConfigMap, Secret } from "kopf-ts/kinds";
import { eventually, startScriptedServer } from "kopf-ts/testing";
import { parse } from "yaml";
import { type Served, serveWrites, typeOf } from "./served.test.support.ts";

/** Answered and forgotten. */
const Review = defineKind({
  ...{ group: "authorization.k8s.io", version: "v1", scope: "Cluster" },
  ...{ kind: "SelfSubjectAccessReview", plural: "selfsubjectaccessreviews" },
});
/** Its own `type` may change. */
const Event = defineKind<KubeObject & { readonly type?: string }>({
  ...{ group: "", version: "v1", scope: "Namespaced", kind: "Event", plural: "events" },
});
const types = [
  typeOf(ConfigMap, "configmap"),
  typeOf(Secret, "secret"),
  typeOf(Event, "event"),
  { ...typeOf(Review, "review"), verbs: ["create"] },
];

const within = { within: 20_000 };

describe("writes, on an API server", function () {
  this.timeout(60_000);

  let client: Client;
  let served: Served;
  let namespace: string;

  before(async () => {
    const plane = await testEnv();
    client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
    served = await serveWrites(client, types);
    namespace = await freshNamespace(plane, "writes");
  });
  after(async () => {
    await served?.[Symbol.asyncDispose]();
    await client?.[Symbol.asyncDispose]();
  });

  const json = "application/json";
  const collection = (): string => `configmap/${namespace}`;

  /** A ConfigMap as the API server has it. */
  async function aConfigMap(extra: object = {}): Promise<{ name: string; path: string }> {
    const name = uniqueName("map");
    const metadata = { name, namespace, ...extra };
    await client.create({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: "1" } });
    return { name, path: `${collection()}/${name}` };
  }

  /** Somebody who may do only this with ConfigMaps of the namespace. */
  async function somebodyWho(...verbs: readonly string[]): Promise<string> {
    const name = uniqueName("somebody");
    const rbac = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name, namespace } };
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs }];
    await client.create({ ...rbac, kind: "Role", rules });
    await client.create({
      ...{ ...rbac, kind: "RoleBinding", subjects: [{ kind: "User", name }] },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
    });
    return name;
  }

  describe("get", () => {
    it("answers the object with the cells of the server's table", async () => {
      const { name, path } = await aConfigMap();

      const { status, json } = await served.call({ path });

      expect(status).to.equal(200);
      expect(json.data).to.deep.equal({ a: "1" });
      expect(json.metadata.fields.slice(0, 2)).to.deep.equal([name, 1]);
    });

    it("shows a large release of Helm to who asks for it", async () => {
      const name = uniqueName("release");
      const content = { name: "r", manifest: "x".repeat(2 * 1024 * 1024) };
      const release = gzipSync(JSON.stringify(content)).toString("base64");
      const metadata = { name, namespace, labels: { owner: "helm" } };
      await client.create({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { release } });

      const { json } = await served.call({ path: `${collection()}/${name}?includeHelmData=true` });

      expect(json.data).to.deep.equal({ release: content });
    });

    it("passes on what the server refuses, with its reason", async () => {
      const { path } = await aConfigMap();

      const forbidden = await served.call({ path, as: "nobody-special" });
      const missing = await served.call({ path: `${collection()}/nothing` });

      expect(forbidden.json).to.include({ type: "error", status: 403, code: "Forbidden" });
      expect(forbidden.json.message).to.match(
        /^configmaps ".*" is forbidden: User "nobody-special"/,
      );
      expect(missing.status).to.equal(404);
      expect(missing.json).to.include({
        code: "NotFound",
        message: 'configmaps "nothing" not found',
      });
    });

    it("answers YAML to those who want that", async () => {
      const { name, path } = await aConfigMap();

      const response = await fetch(`http://127.0.0.1:${served.port}/v1/${path}`, {
        headers: { Accept: "application/yaml" },
      });

      expect(response.headers.get("content-type")).to.equal("application/yaml");
      expect(parse(await response.text())).to.nested.include({
        ...{ kind: "ConfigMap", "metadata.name": name },
      });
    });

    it("packs long answers", async () => {
      const { path } = await aConfigMap({ annotations: { long: "x".repeat(5_000) } });

      const response = await fetch(`http://127.0.0.1:${served.port}/v1/${path}`);

      expect(response.headers.get("content-encoding")).to.equal("gzip");
      expect(await response.text()).to.contain("x".repeat(5_000));
    });

    it("answers 422 to names that cannot be", async () => {
      for (const name of ["a%2fb", "a%2525"]) {
        const { status, json } = await served.call({ path: `${collection()}/${name}` });

        expect(status, name).to.equal(422);
        expect(json.fieldName, name).to.equal("name");
      }
    });
  });

  describe("create", () => {
    const create = (body: string, type = json, query = ""): Promise<Answered> =>
      served.call({ method: "POST", path: `${collection()}${query}`, body, type });
    type Answered = Awaited<ReturnType<Served["call"]>>;

    it("answers 201, with kind, apiVersion, namespace and a name", async () => {
      const { status, json } = await create('{"data":{"a":"1"},"kind":"Other"}');

      expect(status).to.equal(201);
      expect(json.metadata).not.to.have.property("fields");
      expect(json).to.include({ type: "configmap", apiVersion: "v1", kind: "ConfigMap" });
      expect(json.metadata.name).to.match(/^cm-.{5}$/);
      expect(json.metadata.namespace).to.equal(namespace);
    });

    it("takes YAML", async () => {
      const { status, json } = await create("data: {a: 'yes'}", "application/yaml");

      expect(status).to.equal(201);
      expect(json.data).to.deep.equal({ a: "yes" });
    });

    it("takes the namespace of the body, and answers 422 without any", async () => {
      const body = JSON.stringify({ metadata: { namespace } });

      const placed = await served.call({ method: "POST", path: "configmap", body, type: json });
      const lost = await served.call({ method: "POST", path: "configmap", body: "{}", type: json });

      expect(placed.status).to.equal(201);
      expect(lost.status).to.equal(422);
      expect(lost.json).to.include({
        ...{ code: "InvalidBodyContent", fieldName: "metadata.namespace" },
        message: "metadata.namespace or apiOp.namespace are required",
      });
    });

    it("maps _type back", async () => {
      const body = '{"type":"secret","id":"x","links":{},"_type":"example.com/mine"}';

      const created = await served.call({
        ...{ method: "POST", path: `secret/${namespace}`, body, type: json },
      });

      expect(created.status).to.equal(201);
      expect(created.json._type).to.equal("example.com/mine");
      expect(created.warning).to.equal(null); // of fields that the server does not know
    });

    it("answers reviews, which have no name, where Steve gives them one and is refused", async () => {
      const spec = { resourceAttributes: { verb: "list", resource: "pods" } };
      const body = JSON.stringify({ spec });

      const { status, json: told } = await served.call({
        ...{ method: "POST", path: "review", body, type: json },
      });

      expect(status).to.equal(201);
      expect(told.status).to.include({ allowed: true });
    });

    it("makes nothing in a dry run, under the field manager that is told", async () => {
      const name = uniqueName("dry");
      const body = JSON.stringify({ metadata: { name }, data: { a: "1" } });

      const dry = await create(body, json, "?dryRun=All&fieldManager=tester");

      expect(dry.status).to.equal(201);
      expect(dry.json.metadata.managedFields[0]?.manager).to.equal("tester");
      expect(await client.find(ConfigMap, name, { namespace })).to.equal(undefined);
    });

    it("passes on what the server warns of", async () => {
      const { status, warning } = await create('{"nonsense":1}');

      expect(status).to.equal(201);
      expect(warning).to.match(/^299 - unknown field "nonsense"$/);
    });

    it("passes on what the server says of keys that are there twice", async () => {
      const body = '{"metadata":{"generateName":"a-"},"data":{"a":"1","1":"x","a":"2","1":"y"}}';

      const warned = await create(body);
      const refused = await create(body, json, "?fieldValidation=Strict");

      expect(warned.status).to.equal(201);
      expect(warned.json.data).to.deep.equal({ a: "2", "1": "y" });
      expect(warned.warning).to.contain('299 - duplicate field "data.a"');
      expect(refused.status).to.equal(400);
      expect(refused.json.message).to.contain('strict decoding error: duplicate field "data.');
    });

    it("passes on conflicts and what is invalid", async () => {
      const { name } = await aConfigMap();

      const twice = await create(JSON.stringify({ metadata: { name } }));
      const invalid = await create('{"metadata":{"name":"A B"}}');

      expect(twice.json).to.include({ status: 409, code: "AlreadyExists" });
      expect(invalid.json).to.include({ status: 422, code: "Invalid" });
      expect(invalid.json.message).to.contain("metadata.name");
    });

    it("passes on that the body's namespace is not the path's", async () => {
      const { status, json } = await create('{"metadata":{"name":"a","namespace":"other"}}');

      expect(status).to.equal(400);
      expect(json.code).to.equal("BadRequest");
    });
  });

  describe("update", () => {
    it("replaces the object, without what /v1 had added", async () => {
      const { name, path } = await aConfigMap();
      const { json: read } = await served.call({ path });
      const { metadata } = read;
      const item = {
        ...{ id: `${namespace}/${name}`, type: "configmap", links: {}, data: { a: "2" } },
        metadata: { ...metadata, fields: [], state: {}, relationships: null },
      };

      const {
        status,
        json: updated,
        warning,
      } = await served.call({
        ...{ method: "PUT", path, body: JSON.stringify(item), type: json },
      });

      expect(status).to.equal(200);
      expect(updated.data).to.deep.equal({ a: "2" });
      expect(updated.metadata).not.to.have.property("fields");
      expect(warning).to.equal(null);
    });

    it("changes nothing when the answer could not be shaped", async () => {
      const { name, path } = await aConfigMap();
      const body = '{"data":{"a":"2"}}';

      const { status, json: refused } = await served.call({
        ...{ method: "PATCH", path: `${path}?truncate=x`, body },
      });

      expect(status).to.equal(422);
      expect(refused.fieldName).to.equal("truncate");
      expect((await client.get(ConfigMap, name, { namespace })).data).to.deep.equal({ a: "1" });
    });

    it("waits for no revision that does not come", async () => {
      const { path } = await aConfigMap();

      const { status, json: refused } = await served.call({
        path: `${path}?resourceVersion=9999999999999`,
      });

      expect([status, refused.code]).to.deep.equal([504, "Timeout"]);
    });

    it("answers 409 to a state that is not the last one", async () => {
      const { path } = await aConfigMap();
      const body = '{"metadata":{"resourceVersion":"1"}}';

      const { status, json: refused } = await served.call({
        method: "PUT",
        path,
        body,
        type: json,
      });

      expect(status).to.equal(409);
      expect(refused.code).to.equal("Conflict");
    });

    it("answers 422 without a resourceVersion, where Steve has a 500", async () => {
      const { path } = await aConfigMap();

      const { status, json: refused } = await served.call({
        ...{ method: "PUT", path, body: "{}", type: json },
      });

      expect(status).to.equal(422);
      expect(refused.message).to.equal("metadata.resourceVersion is required for update");
    });

    for (const [method, type, wrap] of [
      ["PUT", json, (metadata: object) => ({ metadata })],
      ["PATCH", "application/merge-patch+json", (metadata: object) => ({ metadata })],
      [
        "PATCH",
        "application/json-patch+json",
        (value: object) => [{ op: "add", path: "/metadata", value }],
      ],
    ] as const) {
      it(`answers 422 to a resourceVersion that is no number, where Kubernetes has a 500: ${method} of ${type}`, async () => {
        for (const resourceVersion of ["x", "-1", "9".repeat(20), '"\n": invalid']) {
          const { name, path } = await aConfigMap();
          const body = JSON.stringify(wrap({ name, namespace, resourceVersion }));

          const { status, json: refused } = await served.call({ method, path, body, type });

          expect(status, resourceVersion).to.equal(422);
          expect(refused).to.include({
            ...{ code: "InvalidFormat", fieldName: "metadata.resourceVersion" },
          });
        }
      });
    }

    it("changes nothing in a dry run, which Steve forgets", async () => {
      const { name, path } = await aConfigMap();
      const { json: read } = await served.call({ path });
      const body = JSON.stringify({ ...read, data: { a: "dry" } });

      const dry = await served.call({
        method: "PUT",
        path: `${path}?dryRun=All`,
        body,
        type: json,
      });

      expect(dry.status).to.equal(200);
      expect(dry.json.data).to.deep.equal({ a: "dry" });
      expect((await client.get(ConfigMap, name, { namespace })).data).to.deep.equal({ a: "1" });
    });
  });

  describe("patch", () => {
    for (const [type, body] of [
      [undefined, '{"data":{"b":"2"}}'],
      ["application/strategic-merge-patch+json", '{"data":{"b":"2"}}'],
      ["application/merge-patch+json", '{"data":{"b":"2"}}'],
      ["application/json-patch+json", '[{"op":"add","path":"/data/b","value":"2"}]'],
      ["application/apply-patch+yaml", "{apiVersion: v1, kind: ConfigMap, data: {b: '2'}}"],
    ] as const) {
      it(`takes ${type ?? "a patch without a content type"}`, async () => {
        const { path } = await aConfigMap();

        const { status, json } = await served.call({
          ...{ method: "PATCH", path: `${path}?fieldManager=tester`, body },
          ...(type !== undefined && { type }),
        });

        expect(status).to.equal(200);
        expect(json.data).to.deep.equal({ a: "1", b: "2" });
        expect(json.metadata).not.to.have.property("fields");
      });
    }

    it("answers 413 to too much of one", async () => {
      const { path } = await aConfigMap();
      const body = `{"data":{"a":"${"x".repeat(2 << 20)}"}}`;

      const { status, json } = await served.call({ method: "PATCH", path, body });

      expect(status).to.equal(413);
      expect(json.code).to.equal("RequestEntityTooLarge");
    });

    it("answers 409 to an apply that would take a field of others, 200 with force", async () => {
      const { path } = await aConfigMap();
      const call = {
        ...{ method: "PATCH", type: "application/apply-patch+yaml" },
        body: "{apiVersion: v1, kind: ConfigMap, data: {a: '2'}}",
      };

      const refused = await served.call({ ...call, path: `${path}?fieldManager=other` });
      const forced = await served.call({ ...call, path: `${path}?fieldManager=other&force=true` });

      expect(refused.json).to.include({ status: 409, code: "Conflict" });
      expect(forced.json.data).to.deep.equal({ a: "2" });
    });

    it("needs the right to patch alone, where Steve asks for that to update", async () => {
      const { path } = await aConfigMap();
      const as = await somebodyWho("patch");
      const call = { as, method: "PATCH", path, body: '{"data":{"b":"2"}}' };

      const patched = await eventually(async () => {
        const answered = await served.call(call);
        return answered.status === 403 ? undefined : answered;
      }, within);

      expect(patched.status).to.equal(200);
    });

    it("answers 415 to what is no patch", async () => {
      const { path } = await aConfigMap();

      const { status, json: refused } = await served.call({
        ...{ method: "PATCH", path, body: "{}", type: json },
      });

      expect(status).to.equal(415);
      expect(refused).to.include({ code: "UnsupportedMediaType", fieldName: "Content-Type" });
    });
  });

  describe("an object that has a type of its own", () => {
    async function anEvent(): Promise<{ name: string; path: string }> {
      const name = uniqueName("event");
      const involvedObject = { namespace };
      const metadata = { name, namespace };
      const about = { involvedObject, type: "Normal" };
      await client.create({ apiVersion: "v1", kind: "Event", metadata, ...about });
      return { name, path: `event/${namespace}/${name}` };
    }

    for (const { title, method, contentType } of [
      { title: "PUT", method: "PUT", contentType: json },
      ...["strategic-merge-patch", "merge-patch"].map((kind) => ({
        ...{ title: `PATCH by ${kind}`, method: "PATCH", contentType: `application/${kind}+json` },
      })),
    ]) {
      it(`gets it by ${title} from _type, and nothing of what an item has beside it`, async () => {
        const { name, path } = await anEvent();
        const { json: item } = await served.call({ path });
        const sent = method === "PUT" ? item : { id: "x", type: item.type, links: item.links };
        const body = JSON.stringify({ ...sent, _type: "Warning" });

        const changed = await served.call({ method, path, body, type: contentType });

        expect(item).to.include({ type: "event", _type: "Normal" });
        expect(changed.status).to.equal(200);
        expect(changed.json).to.include({ type: "event", _type: "Warning" });
        expect(changed.warning).to.equal(null); // of fields that the server does not know
        const kept = await client.get(Event, name, { namespace });
        expect(kept).to.include({ type: "Warning" });
        expect(kept).not.to.have.any.keys("_type", "id", "links");
      });
    }
  });

  describe("remove", () => {
    const remove = (path: string, body?: string): ReturnType<Served["call"]> =>
      served.call({ method: "DELETE", path, ...(body !== undefined && { body, type: json }) });

    it("answers 204 when the object is gone", async () => {
      const { name, path } = await aConfigMap();

      const { status, text } = await remove(path);

      expect(status).to.equal(204);
      expect(text).to.equal("");
      expect(await client.find(ConfigMap, name, { namespace })).to.equal(undefined);
    });

    it("answers 200 with an object that a finalizer keeps", async () => {
      const { path } = await aConfigMap({ finalizers: ["example.com/keep"] });

      const { status, json: left } = await remove(path);

      expect(status).to.equal(200);
      expect(left.metadata.deletionTimestamp).to.be.a("string");
      const body = '{"metadata":{"finalizers":null}}';
      await served.call({ method: "PATCH", path, body, type: "application/merge-patch+json" });
    });

    it("answers 204 to whoever may delete, but not look", async () => {
      const { path } = await aConfigMap();
      const as = await somebodyWho("delete");

      const removed = await eventually(async () => {
        const answered = await served.call({ as, method: "DELETE", path });
        return answered.status === 403 ? undefined : answered;
      }, within);

      expect(removed.status).to.equal(204);
    });

    it("honours preconditions, in the URL and in the body, which Steve ignores", async () => {
      const { path } = await aConfigMap();
      const body = '{"preconditions":{"uid":"another"}}';

      expect((await remove(path, body)).json).to.include({ status: 409, code: "Conflict" });
      expect((await remove(`${path}?uid=another`)).json).to.include({ status: 409 });
      expect((await remove(path)).status).to.equal(204);
    });

    it("leaves the object in a dry run", async () => {
      const { path } = await aConfigMap();

      expect((await remove(`${path}?dryRun=All`)).status).to.equal(200);
      expect((await remove(path, '{"dryRun":["All"]}')).status).to.equal(200);
      expect((await served.call({ path })).status).to.equal(200);
    });

    it("honours the propagation policy", async () => {
      const owner = await aConfigMap();
      const { uid } = (await client.get(ConfigMap, owner.name, { namespace })).metadata;
      const reference = { apiVersion: "v1", kind: "ConfigMap", name: owner.name, uid };
      const held = await aConfigMap({
        ownerReferences: [{ ...reference, blockOwnerDeletion: true }],
        finalizers: ["example.com/hold"], // so that the garbage collector does not end before anybody looks
      });

      const { status, json: left } = await remove(`${owner.path}?propagationPolicy=Foreground`);

      expect(status).to.equal(200);
      expect(left.metadata.finalizers).to.deep.equal(["foregroundDeletion"]);
      const body = '{"metadata":{"finalizers":null}}';
      await served.call({ method: "PATCH", path: held.path, body });
    });

    it("answers 404 to what is not there, 422 to options that are malformed", async () => {
      expect((await remove(`${collection()}/nothing`)).status).to.equal(404);
      const { status, json: refused } = await remove(`${collection()}/a?gracePeriodSeconds=x`);
      expect(status).to.equal(422);
      expect(refused.fieldName).to.equal("gracePeriodSeconds");
    });
  });

  describe("bad input", () => {
    for (const [title, body, type, status, code] of [
      ["broken JSON", "{", json, 422, "InvalidBodyContent"],
      ["a list", "[]", json, 422, "InvalidBodyContent"],
      ["another content type", "{}", "text/plain", 415, "UnsupportedMediaType"],
      ["too much", `{"a":"${"x".repeat(2 << 20)}"}`, json, 413, "RequestEntityTooLarge"],
      ["too deep a nest", `{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}`, json, 422, ""],
    ] as const) {
      it(`answers ${status} to ${title}`, async () => {
        const { path } = await aConfigMap();

        const post = await served.call({ method: "POST", path: collection(), body, type });
        const put = await served.call({ method: "PUT", path, body, type });

        expect([post.status, put.status]).to.deep.equal([status, status]);
        if (code !== "") expect(post.json.code).to.equal(code);
      });
    }

    it("survives a caller who leaves in the middle of a body", async () => {
      const socket = connectTcp(served.port, "127.0.0.1");
      socket.on("error", () => undefined);
      const head = `POST /v1/${collection()} HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n`;
      await new Promise<void>((resolve) => socket.write(`${head}{"data`, () => resolve()));
      socket.destroy();

      expect((await served.call({ path: `${collection()}/nothing` })).status).to.equal(404);
    });
  });

  it("never sends a write twice, and answers 503 when the server does not", async () => {
    await using server = await startScriptedServer((response) => response.destroy());
    await using broken = connect(server.config);
    await using other = await serveWrites(broken, types);

    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const before = server.requests.length;
      const path = method === "POST" ? "configmap/a" : "configmap/a/b";
      const body = '{"metadata":{"resourceVersion":"1"}}';

      const { status, json: refused } = await other.call({
        ...{ method, path },
        ...(method === "DELETE" ? {} : { body }),
      });

      expect(status, method).to.equal(503);
      expect(refused.code, method).to.equal("ClusterUnavailable");
      expect(server.requests.length - before, method).to.equal(1);
    }
  });

  it("passes on each warning by itself, without quotes", async () => {
    const warnings = ['299 - "a \\"b\\", c", 299 kube "back\\\\slash"', '299 - "d"'];
    await using server = await startScriptedServer((response) => {
      response.writeHead(201, { Warning: warnings, "Content-Type": "application/json" });
      const metadata = { name: "b", namespace: "a" };
      response.end(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata }));
    });
    await using warning = connect(server.config);
    await using other = await serveWrites(warning, types);

    const answer = await fetch(`http://127.0.0.1:${other.port}/v1/configmap/a`, {
      ...{ method: "POST", body: '{"metadata":{"name":"b"}}' },
      headers: { "Content-Type": "application/json" },
    });

    expect(answer.headers.get("warning")).to.equal('299 - a "b", c, 299 kube back\\slash, 299 - d');
  });

  it("passes on when to come back", async () => {
    await using server = await startScriptedServer((response) => {
      const status = { kind: "Status", code: 429, reason: "TooManyRequests", message: "busy" };
      response.writeHead(429, { "Retry-After": "100", "Content-Type": "application/json" });
      response.end(JSON.stringify(status));
    });
    await using busy = connect(server.config);
    await using other = await serveWrites(busy, types);

    const answer = await fetch(`http://127.0.0.1:${other.port}/v1/configmap/a/b`);

    expect(answer.status).to.equal(429);
    expect(answer.headers.get("retry-after")).to.equal("100");
    expect(await answer.json()).to.include({ code: "TooManyRequests", message: "busy" });
  });
});
