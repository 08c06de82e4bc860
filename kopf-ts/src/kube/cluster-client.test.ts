import { connect as connectTcp, type Socket } from "node:net";
import { type ControlPlane, freshNamespace, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import type { Client } from "./client.ts";
import { loadConfig } from "./config/load.ts";
import { connect } from "./connect.ts";
import { installWidgets, uniqueGroup, type WidgetObject } from "./custom-kind.test.support.ts";
import {
  type ApiError,
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
} from "./errors.ts";
import type { DialTarget } from "./http/dial.ts";
import { defineKind, type Kind, refTo } from "./kind.ts";
import { aConfigMap, ConfigMap, type ConfigMapObject, rejection } from "./loopback.test.support.ts";
import type { KubeObject, Scale } from "./object.ts";

interface DeploymentObject extends KubeObject {
  readonly spec?: {
    readonly replicas: number;
    readonly selector: object;
    readonly template: object;
  };
}

const Deployment = defineKind<DeploymentObject>({
  group: "apps",
  version: "v1",
  plural: "deployments",
  kind: "Deployment",
  scope: "Namespaced",
});

const Namespace = defineKind({
  group: "",
  version: "v1",
  plural: "namespaces",
  kind: "Namespace",
  scope: "Cluster",
});

describe("a client of a real API server", function () {
  this.timeout(20_000);
  let plane: ControlPlane;
  let client: Client;
  let namespace: string;
  let Widget: Kind<WidgetObject>;
  before(async function () {
    this.timeout(90_000);
    plane = await testEnv();
    client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
    Widget = await installWidgets(client, uniqueGroup());
  });
  after(() => client[Symbol.asyncDispose]());
  beforeEach(async () => {
    namespace = await freshNamespace(plane);
  });

  const configMap = (name: string, data = {}): ConfigMapObject => ({
    ...aConfigMap(name, namespace),
    data,
  });
  const widget = (name: string, spec: WidgetObject["spec"] = {}): WidgetObject => ({
    apiVersion: `${Widget.group}/v1`,
    kind: "Widget",
    metadata: { name, namespace },
    spec,
  });

  const deployment = (name: string, replicas: number): DeploymentObject => {
    const labels = { app: name };
    const containers = [{ name: "main", image: "example.com/none" }];
    return {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    };
  };

  describe("get and find", () => {
    it("give the object", async () => {
      const created = await client.create(configMap("a", { x: "1" }));

      expect(await client.get(ConfigMap, "a", { namespace })).to.deep.equal(created);
      expect(await client.find(ConfigMap, "a", { namespace })).to.deep.equal(created);
    });

    it("differ where there is none", async () => {
      const error = await rejection(client.get(ConfigMap, "a", { namespace }));

      expect(isNotFound(error)).to.equal(true);
      expect(error).to.include({ code: 404, reason: "NotFound", method: "GET" });
      expect((error as ApiError).status?.details).to.include({ name: "a", kind: "configmaps" });
      expect(await client.find(ConfigMap, "a", { namespace })).to.equal(undefined);
    });

    it("do not take a kind that is not served for an object that is gone", async () => {
      const Nope = defineKind({ ...ConfigMap, group: "nope.example.com", kind: "Nope" });
      const Nothings = defineKind({ ...ConfigMap, plural: "nothings", kind: "Nothing" });
      const at = { namespace };

      const errors = [
        await rejection(client.get(Nope, "a", at)),
        await rejection(client.find(Nope, "a", at)),
        await rejection(client.find(Nothings, "a", at)),
        await rejection(client.find(ConfigMap, "a", { ...at, subresource: "scale" })),
        await rejection(client.delete(refTo(Nope, "a", namespace))),
        await rejection(client.patch(refTo(Nothings, "a", namespace), { merge: {} })),
      ];

      for (const error of errors) expect(error).to.include({ code: 0, reason: "UnknownKind" });
      expect(errors[0])
        .to.have.property("message")
        .that.contains("does not serve configmaps.nope.example.com/v1");
    });

    it("read subresources", async () => {
      await client.create(widget("a", { replicas: 3 }));

      const scale = await client.get<Scale>(Widget, "a", { namespace, subresource: "scale" });

      expect(scale.kind).to.equal("Scale");
      expect(scale.spec).to.deep.equal({ replicas: 3 });
    });

    it("find pass on what is not an absence", async () => {
      const error = await rejection(client.as({ user: "bob" }).find(ConfigMap, "a", { namespace }));

      expect(isForbidden(error)).to.equal(true);
    });
  });

  describe("list and pages", () => {
    beforeEach(async () => {
      const labels = { app: "x" };
      for (const name of ["a", "b", "c", "d", "e"]) {
        const object = configMap(name);
        await client.create({
          ...object,
          metadata: { ...object.metadata, ...(name < "c" ? { labels } : {}) },
        });
      }
    });
    const names = (list: { readonly items: readonly KubeObject[] }): string =>
      list.items
        .map(({ metadata }) => metadata.name)
        .filter((name) => name.length === 1)
        .join("");

    it("give objects with apiVersion and kind, and where a watch goes on", async () => {
      const list = await client.list(ConfigMap, { namespace });

      expect(
        list.items.every((item) => item.apiVersion === "v1" && item.kind === "ConfigMap"),
      ).to.equal(true);
      expect(list.resourceVersion).to.match(/^\d+$/);
      expect(names(list)).to.equal("abcde");
    });

    it("select by labels and fields", async () => {
      const byLabel = await client.list(ConfigMap, { namespace, labelSelector: "app in (x,y)" });
      const byField = await client.list(ConfigMap, { namespace, fieldSelector: "metadata.name=c" });

      expect([names(byLabel), names(byField)]).to.deep.equal(["ab", "c"]);
    });

    it("look into all namespaces when none is named", async () => {
      const list = await client.list(ConfigMap, { fieldSelector: "metadata.name=c" });

      expect(list.items.map(({ metadata }) => metadata.namespace)).to.include(namespace);
    });

    it("give one page after the other", async () => {
      const first = await client.list(ConfigMap, { namespace, labelSelector: "app=x", limit: 1 });
      expect(names(first)).to.equal("a");
      const pages: string[] = [];

      for await (const page of client.pages(ConfigMap, { namespace, limit: 2 })) {
        expect(page.items.length).to.be.at.most(2);
        pages.push(names(page));
      }

      expect(pages.join("")).to.equal("abcde");
      expect(pages.length).to.be.greaterThan(2);
    });

    it("refuse a continue token that is nonsense", async () => {
      const error = await rejection(client.list(ConfigMap, { namespace, continue: "nonsense" }));

      expect(isBadRequest(error) || isGone(error)).to.equal(true);
    });
  });

  describe("create", () => {
    it("says when the object exists", async () => {
      await client.create(configMap("a"));

      const error = await rejection(client.create(configMap("a")));

      expect(isAlreadyExists(error)).to.equal(true);
      expect(isConflict(error)).to.equal(false);
    });

    it("lets the server choose a name", async () => {
      const { name: _, ...metadata } = configMap("x").metadata;
      const object = { ...configMap("x"), metadata: { ...metadata, generateName: "some-" } };

      const created = await client.create(object as unknown as ConfigMapObject);

      expect(created.metadata.name).to.match(/^some-.+/);
    });

    it("names the field manager", async () => {
      const created = await client.create(configMap("a", { x: "1" }), { fieldManager: "me" });

      expect(created.metadata.managedFields).to.have.nested.property("[0].manager", "me");
    });

    it("stores nothing in a dry run", async () => {
      const created = await client.create(configMap("a"), { dryRun: true });

      expect(created.metadata.uid).to.be.a("string");
      expect(await client.find(ConfigMap, "a", { namespace })).to.equal(undefined);
    });

    it("finds the resource of a kind that nobody named", async () => {
      await using fresh = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));

      const created = await fresh.create(widget("a", { colour: "red" }));

      expect(created.spec).to.deep.equal({ colour: "red" });
    });

    it("refuses a subresource, since it would make the whole object", async () => {
      const error = await rejection(client.create(configMap("a"), { subresource: "status" }));

      expect(error).to.include({ code: 0, reason: "BadRequest" });
      expect(await client.find(ConfigMap, "a", { namespace })).to.equal(undefined);
    });

    it("says which kind is not served", async () => {
      const object = { ...configMap("a"), apiVersion: `${Widget.group}/v1`, kind: "Gadget" };

      const error = (await rejection(client.create(object))) as ApiError;

      expect(error).to.include({ code: 0, reason: "UnknownKind" });
      expect(error.message).to.contain(`serves no Gadget in ${Widget.group}/v1`);
    });

    it("passes on what validation says", async () => {
      const error = (await rejection(client.create(widget("a", { colour: "green" })))) as ApiError;

      expect(isInvalid(error)).to.equal(true);
      expect(error.status?.details?.causes?.[0]?.field).to.equal("spec.colour");
    });

    it("refuses a namespaced object without a namespace, before the server is asked", async () => {
      const error = await rejection(
        client.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }),
      );

      expect(error).to.include({ code: 0, reason: "BadRequest" });
    });
  });

  describe("update", () => {
    it("replaces the object as it was read", async () => {
      const created = await client.create(configMap("a", { x: "1" }));

      const updated = await client.update({ ...created, data: { y: "2" } });

      expect(updated.data).to.deep.equal({ y: "2" });
    });

    it("is a conflict when the object has changed since", async () => {
      const created = await client.create(configMap("a", { x: "1" }));
      await client.update({ ...created, data: { y: "2" } });

      const error = await rejection(client.update({ ...created, data: { z: "3" } }));

      expect(isConflict(error)).to.equal(true);
      expect(error).to.include({ code: 409, reason: "Conflict" });
    });

    it("writes the status alone", async () => {
      const created = await client.create(widget("a", { replicas: 1 }));

      const updated = await client.update(
        { ...created, spec: { replicas: 2 }, status: { seen: "yes" } },
        { subresource: "status" },
      );

      expect(updated.spec).to.deep.equal({ replicas: 1 });
      expect(updated.status).to.deep.equal({ seen: "yes" });
    });
  });

  describe("a scale", () => {
    const scaleOf = (kind: Kind): Promise<Scale> =>
      client.get<Scale>(kind, "a", { namespace, subresource: "scale" });

    it("is updated, of a kind of the server's own", async () => {
      await client.create(deployment("a", 1));
      const options = { subresource: "scale", of: Deployment } as const;

      const [scale, updated] = await untilNoConflict(async () => {
        const read = await scaleOf(Deployment);
        return [read, await client.update({ ...read, spec: { replicas: 5 } }, options)] as const;
      });

      const { spec, metadata } = await client.get(Deployment, "a", { namespace });
      expect(scale).to.deep.include({ apiVersion: "autoscaling/v1", kind: "Scale" });
      expect([scale.spec?.replicas, updated.spec?.replicas, spec?.replicas]).to.eql([1, 5, 5]);
      expect(scale.status?.selector).to.equal("app=a");
      expect(updated.metadata.uid).to.equal(metadata.uid);
    });

    it("is updated, of a custom kind", async () => {
      await client.create(widget("a", { replicas: 1, colour: "red" }));
      const scale = await scaleOf(Widget);

      await client.update(
        { ...scale, spec: { replicas: 0 } },
        { subresource: "scale", of: Widget },
      );

      const { spec } = await client.get(Widget, "a", { namespace });
      expect(spec).to.deep.equal({ replicas: 0, colour: "red" });
    });

    it("is a conflict when the object has changed since", async () => {
      await client.create(widget("a", { replicas: 1 }));
      const scale = await scaleOf(Widget);
      await client.patch(refTo(Widget, "a", namespace), { merge: { spec: { colour: "blue" } } });

      const error = await rejection(client.update(scale, { subresource: "scale", of: Widget }));

      expect(isConflict(error)).to.equal(true);
    });

    it("is applied, of a kind of the server's own", async () => {
      await client.create(deployment("a", 1));
      const scale: Scale = {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "a", namespace },
        spec: { replicas: 3 },
      };

      await client.apply(scale, { subresource: "scale", of: Deployment, fieldManager: "me" });

      expect((await client.get(Deployment, "a", { namespace })).spec?.replicas).to.equal(3);
    });

    it("is not sent without the kind that it scales", async () => {
      await client.create(widget("a", { replicas: 1 }));
      const scale = await scaleOf(Widget);

      const error = await rejection(client.update(scale, { subresource: "scale" }));

      expect(error).to.include({ code: 0, reason: "BadRequest" });
      expect(error).to.have.property("message").that.contains("`of`");
    });
  });

  describe("patch", () => {
    it("merges", async () => {
      await client.create(configMap("a", { x: "1", y: "2" }));

      const patched = await client.patch<ConfigMapObject>(refTo(ConfigMap, "a", namespace), {
        merge: { data: { x: null, z: "3" } },
      });

      expect(patched.data).to.deep.equal({ y: "2", z: "3" });
    });

    it("follows JSON patches, tests included", async () => {
      await client.create(configMap("a", { x: "1" }));
      const ref = refTo(ConfigMap, "a", namespace);

      const patched = await client.patch<ConfigMapObject>(ref, {
        json: [
          { op: "test", path: "/data/x", value: "1" },
          { op: "move", from: "/data/x", path: "/data/y" },
        ],
      });
      const error = await rejection(
        client.patch(ref, { json: [{ op: "test", path: "/data/y", value: "2" }] }),
      );

      expect(patched.data).to.deep.equal({ y: "1" });
      expect(isInvalid(error)).to.equal(true);
    });

    it("merges lists by their keys when it is strategic", async () => {
      const finalizers = ["example.com/a"];
      const name = uniqueName("strategic");
      await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
      const ref = refTo(Namespace, name);
      await client.patch(ref, { strategic: { metadata: { finalizers } } });

      const patched = await client.patch(ref, {
        strategic: { metadata: { finalizers: ["example.com/b"] } },
      });

      expect(patched.metadata.finalizers).to.have.members(["example.com/a", "example.com/b"]);
      await client.patch(ref, { merge: { metadata: { finalizers: null } } });
      await client.delete(ref);
    });

    it("writes status and scale", async () => {
      await client.create(widget("a", { replicas: 1 }));
      const ref = refTo(Widget, "a", namespace);

      await client.patch(ref, { merge: { status: { seen: "yes" } } }, { subresource: "status" });
      await client.patch(ref, { merge: { spec: { replicas: 5 } } }, { subresource: "scale" });

      const read = await client.get(Widget, "a", { namespace });
      expect([read.status?.seen, read.spec?.replicas]).to.deep.equal(["yes", 5]);
    });

    it("stores nothing in a dry run", async () => {
      await client.create(configMap("a", { x: "1" }));
      const ref = refTo(ConfigMap, "a", namespace);

      await client.patch(ref, { merge: { data: { x: "2" } } }, { dryRun: true });

      expect((await client.get(ConfigMap, "a", { namespace })).data).to.deep.equal({ x: "1" });
    });
  });

  describe("apply", () => {
    const options = { fieldManager: "me" };

    it("creates, changes, and gives up what it no longer names", async () => {
      await client.apply(configMap("a", { x: "1", y: "2" }), options);

      const applied = await client.apply(configMap("a", { y: "3" }), options);

      expect(applied.data).to.deep.equal({ y: "3" });
    });

    it("changes nothing when it says the same again", async () => {
      const first = await client.apply(configMap("a", { x: "1" }), options);

      const second = await client.apply(configMap("a", { x: "1" }), options);

      expect(second.metadata.resourceVersion).to.equal(first.metadata.resourceVersion);
    });

    it("takes fields over, unless told not to", async () => {
      await client.apply(configMap("a", { x: "1" }), { fieldManager: "other" });

      const error = await rejection(
        client.apply(configMap("a", { x: "2" }), { ...options, force: false }),
      );
      const forced = await client.apply(configMap("a", { x: "2" }), options);

      expect(isConflict(error)).to.equal(true);
      expect((error as ApiError).status?.details?.causes?.[0]?.reason).to.equal(
        "FieldManagerConflict",
      );
      expect(forced.data).to.deep.equal({ x: "2" });
    });

    it("writes the status", async () => {
      await client.create(widget("a"));

      const applied = await client.apply(
        { ...widget("a"), status: { seen: "yes" } },
        { ...options, subresource: "status" },
      );

      expect(applied.status).to.deep.equal({ seen: "yes" });
    });
  });

  describe("delete", () => {
    it("tells whether there was something", async () => {
      const created = await client.create(configMap("a"));

      expect(await client.delete(created)).to.equal(true);
      expect(await client.delete(created)).to.equal(false);
    });

    it("spares an object that has changed since it was read", async () => {
      const created = await client.create(configMap("a"));
      await client.update({ ...created, data: { x: "1" } });

      const error = await rejection(client.delete(created));

      expect(isConflict(error)).to.equal(true);
      expect(await client.delete(created, { preconditions: "uid" })).to.equal(true);
    });

    it("spares another object of the same name", async () => {
      const first = await client.create(configMap("a"));
      await client.delete(first);
      await client.create(configMap("a"));

      expect(isConflict(await rejection(client.delete(first)))).to.equal(true);
      expect(isConflict(await rejection(client.delete(first, { preconditions: "uid" })))).to.equal(
        true,
      );
      expect(await client.delete(first, { preconditions: "none" })).to.equal(true);
    });

    it("deletes nothing in a dry run", async () => {
      const created = await client.create(configMap("a"));

      expect(await client.delete(created, { dryRun: true })).to.equal(true);
      expect(await client.find(ConfigMap, "a", { namespace })).to.deep.equal(created);
    });

    it("waits for dependents in the foreground", async () => {
      const created = await client.create(widget("a"));

      await client.delete(created, { propagationPolicy: "Foreground" });

      const read = await client.find(Widget, "a", { namespace });
      if (read !== undefined) {
        expect(read.metadata.finalizers).to.include("foregroundDeletion");
        expect(read.metadata.deletionTimestamp).to.be.a("string");
      }
    });

    it("never takes an empty name for all of them", async () => {
      await client.create(configMap("a"));

      const error = await rejection(client.delete(refTo(ConfigMap, "", namespace)));

      expect(error).to.include({ code: 0, reason: "BadRequest" });
      expect(await client.find(ConfigMap, "a", { namespace })).not.to.equal(undefined);
    });
  });

  describe("deleteCollection", () => {
    it("deletes what is selected, in its namespace only", async () => {
      const other = await freshNamespace(plane);
      const labels = { app: "x" };
      await client.create({ ...configMap("a"), metadata: { name: "a", namespace, labels } });
      await client.create(configMap("b"));
      await client.create({ ...configMap("a"), metadata: { name: "a", namespace: other, labels } });

      await client.deleteCollection(ConfigMap, { namespace, labelSelector: "app=x" });

      expect(await client.find(ConfigMap, "a", { namespace })).to.equal(undefined);
      expect(await client.find(ConfigMap, "b", { namespace })).not.to.equal(undefined);
      expect(await client.find(ConfigMap, "a", { namespace: other })).not.to.equal(undefined);
    });

    it("deletes nothing in a dry run", async () => {
      await client.create(configMap("a"));

      await client.deleteCollection(ConfigMap, { namespace, dryRun: true });

      expect(await client.find(ConfigMap, "a", { namespace })).not.to.equal(undefined);
    });
  });

  it("answers raw requests as they come", async () => {
    const { status, headers, body } = await client.request({
      method: "GET",
      path: "/api/v1/namespaces/default",
      headers: { accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" },
    });

    expect(status).to.equal(200);
    expect(headers["content-type"]).to.equal("application/json");
    expect(JSON.parse(String(body)).kind).to.equal("PartialObjectMetadata");
  });

  it("streams a watch that ends when its time is over", async () => {
    const { resourceVersion } = await client
      .create(configMap("a"))
      .then(({ metadata }) => metadata);
    const path = `/api/v1/namespaces/${namespace}/configmaps?watch=1&fieldSelector=metadata.name=b&timeoutSeconds=1&resourceVersion=${resourceVersion}`;
    const stream = await client.stream({ method: "GET", path });
    let text = "";

    const reading = stream.pipe((chunk) => {
      text += chunk;
    });
    await client.create(configMap("b"));
    await reading;

    const events = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.map(({ type, object }) => [type, object.metadata.name])).to.deep.equal([
      ["ADDED", "b"],
    ]);
  });

  it("survives that all its connections are cut", async () => {
    const sockets = new Set<Socket>();
    const dial = async ({ host, port }: DialTarget): Promise<Socket> => {
      const socket = connectTcp(port, host);
      sockets.add(socket);
      return socket;
    };
    await using cut = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }), { dial });
    await cut.list(ConfigMap, { namespace });

    for (const socket of sockets) socket.resetAndDestroy();
    await Promise.all(Array.from({ length: 5 }, () => cut.list(ConfigMap, { namespace })));

    expect(sockets.size).to.be.greaterThan(1);
  });
});

/** Reads and writes again while somebody else writes in between: the deployment controller looks after what we made. */
async function untilNoConflict<T>(readAndWrite: () => Promise<T>): Promise<T> {
  const end = performance.now() + 10_000;
  for (;;) {
    try {
      return await readAndWrite();
    } catch (thrown) {
      if (!isConflict(thrown) || performance.now() > end) throw thrown;
    }
  }
}
