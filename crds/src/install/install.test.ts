import { type AddressInfo, createServer, type Socket } from "node:net";
import { type ControlPlane, startControlPlane } from "@drover/env";
import { expect } from "chai";
import {
  type Client,
  connect,
  defineKind,
  type KubeObject,
  type Logger,
  loadConfig,
  refTo,
  silentLogger,
  systemClock,
} from "kopf-ts";
import { SamlToken } from "../auth/saml-token.ts";
import { ClusterProxyConfig } from "../cluster/cluster-proxy-config.ts";
import { kinds } from "../kinds.ts";
import { Feature } from "../server/feature.ts";
import { Setting } from "../server/setting.ts";
import { recorder } from "../testing/recorder.ts";
import { type AnyObject, failure, fieldsOf } from "../testing/scratch.ts";
import { CrdError, type InstallOptions, installCrds } from "./install.ts";
import { type CrdVersion, CustomResourceDefinition, readManifest } from "./manifest.ts";

const name = "samltokens.management.cattle.io";
const OldSamlToken = defineKind<AnyObject & KubeObject>({ ...SamlToken, version: "v2" });

describe("installCrds", function () {
  this.timeout(90_000);

  // A control plane of its own: others rely on the CRDs that are deleted and damaged here.
  let controlPlane: ControlPlane;
  let client: Client;
  const options = { log: silentLogger, signal: AbortSignal.timeout(600_000) };
  const onlySaml: InstallOptions = { ...options, only: [SamlToken] };

  before(async () => {
    controlPlane = await startControlPlane({ name: "crds", controllerManager: false });
    client = connect(await loadConfig({ kubeconfig: controlPlane.kubeconfigPath }));
  });
  beforeEach(() => gone());
  after(async () => {
    await client[Symbol.asyncDispose]();
    await controlPlane.stop();
  });

  const find = (): Promise<CustomResourceDefinition | undefined> =>
    client.find(CustomResourceDefinition, name);

  async function until(probe: () => Promise<boolean>): Promise<void> {
    const deadline = systemClock.monotonic() + 30_000;
    for (; !(await probe()); await systemClock.sleep(20)) {
      if (systemClock.monotonic() > deadline) throw new Error(`waited too long: ${probe}`);
    }
  }

  /** Deletes the CRD that these tests play with. */
  async function gone(): Promise<void> {
    await client.delete(refTo(CustomResourceDefinition, name), { preconditions: "none" });
    await until(async () => (await find()) === undefined);
  }

  /** Creates the CRD as somebody else would have, and waits until it is served. */
  async function existing(
    change: Partial<CustomResourceDefinition["spec"]>,
    labels: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const { spec, ...manifest } = await readManifest(SamlToken);
    const crd = { ...manifest, metadata: { name, labels }, spec: { ...spec, ...change } };
    await client.create(crd);
    const kind = { ...SamlToken, version: crd.spec.versions[0]?.name ?? "" };
    await until(async () => (await failure(client.list(kind, { limit: 1 }))) === undefined);
  }

  /** A logger that keeps its warnings. */
  function logged(): { readonly log: Logger; readonly lines: readonly string[] } {
    const lines: string[] = [];
    const warn: Logger["warn"] = (message, fields) =>
      void lines.push(`warn ${message} ${Object.values(fields ?? {}).join(" ")}`);
    return { log: { ...silentLogger, warn }, lines };
  }

  const schemaless: CrdVersion = {
    name: "v3",
    served: true,
    storage: true,
    schema: {
      openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    },
  };

  const old = {
    apiVersion: "management.cattle.io/v3",
    kind: "SamlToken",
    metadata: { name: "old", namespace: "default" },
    token: "x",
    more: { deep: [1] },
  };

  it("installs Feature alone before all others", async () => {
    const { client: recording, calls } = recorder(client);
    await client.delete(refTo(CustomResourceDefinition, "features.management.cattle.io"), {
      preconditions: "none",
    });

    await installCrds(recording, options);

    const others = calls.findIndex((call) => !call.name.startsWith("features"));
    const before = calls.slice(0, others).map(({ verb, name: what }) => `${verb} ${what}`);
    expect(before).to.include("apply features.management.cattle.io");
    expect(before.at(-1)).to.equal("list features");
    expect(calls.slice(others).some((call) => call.name.startsWith("features"))).to.equal(false);
  });

  it("serves every kind when it returns", async () => {
    const installed = await installCrds(client, options);

    expect(installed.map((each) => each.name)).to.have.members(
      kinds.map(({ plural, group }) => `${plural}.${group}`),
    );
    expect(installed.find((each) => each.name === name)?.action).to.equal("created");
    await Promise.all(kinds.map((kind) => client.list(kind, { limit: 1 })));
  });

  it("reads once and writes nothing when all is up to date", async () => {
    await installCrds(client, options);
    const { client: recording, calls } = recorder(client);

    const installed = await installCrds(recording, options);

    expect(calls.filter(({ verb }) => verb !== "find")).to.deep.equal([]);
    expect(calls.length).to.equal(kinds.length);
    expect(new Set(installed.map(({ action }) => action))).to.deep.equal(new Set(["unchanged"]));
  });

  it("installs only what it is told to", async () => {
    const { client: recording, calls } = recorder(client);

    const installed = await installCrds(recording, onlySaml);

    expect(installed).to.deep.equal([{ name, action: "created" }]);
    expect(new Set(calls.map((call) => call.name))).to.deep.equal(new Set([name, "samltokens"]));
  });

  it("owns what it applied", async () => {
    await installCrds(client, onlySaml);

    const managers = (await find())?.metadata.managedFields as readonly { manager: string }[];

    expect(managers.map(({ manager }) => manager)).to.include("drover-crds");
  });

  it("gives upstream's CRD without a schema our schema and keeps its objects whole", async () => {
    await existing({ versions: [schemaless] });
    await client.create(old);

    const installed = await installCrds(client, onlySaml);

    const crd = await find();
    const kept = await client.get(SamlToken, "old", { namespace: "default" });
    expect(installed).to.deep.equal([{ name, action: "updated" }]);
    expect(crd?.spec.versions[0]?.schema.openAPIV3Schema.properties).to.include.keys("expiresAt");
    expect(fieldsOf(kept)).to.deep.equal(fieldsOf(old));
  });

  it("keeps objects that break our schema; they can be read, labelled and deleted", async () => {
    await existing({ versions: [schemaless] });
    await client.create({ ...old, token: 5 });

    await installCrds(client, onlySaml);

    const labelled = await client.patch(old, { merge: { metadata: { labels: { team: "a" } } } });
    expect(labelled).to.deep.include({ token: 5 });
    expect(await client.delete(old)).to.equal(true);
  });

  it("keeps objects of an older version and goes on serving it", async () => {
    await existing({ versions: [{ ...schemaless, name: "v2" }] });
    await client.create({ ...old, apiVersion: "management.cattle.io/v2" });

    await installCrds(client, onlySaml);

    const crd = await find();
    const kept = await client.get(SamlToken, "old", { namespace: "default" });
    const before = await client.get(OldSamlToken, "old", { namespace: "default" });
    expect(fieldsOf(kept)).to.deep.equal(fieldsOf(old));
    expect(fieldsOf(before)).to.deep.equal(fieldsOf(old));
    expect(crd?.spec.versions.map((each) => [each.name, each.storage])).to.deep.equal([
      ["v3", true],
      ["v2", false],
    ]);
    expect(crd?.status?.storedVersions).to.deep.equal(["v2", "v3"]);
    expect((await installCrds(client, onlySaml))[0]?.action).to.equal("unchanged");
  });

  it("repairs a CRD that somebody changed", async () => {
    await installCrds(client, onlySaml);
    const ttl = { name: "TTL", type: "integer", jsonPath: ".ttl" };
    const path = "/spec/versions/0/additionalPrinterColumns";
    await client.patch(refTo(CustomResourceDefinition, name), {
      json: [{ op: "add", path, value: [ttl] }],
    });

    const installed = await installCrds(client, onlySaml);

    expect(installed).to.deep.equal([{ name, action: "updated" }]);
    expect((await find())?.spec.versions[0]).not.to.have.property("additionalPrinterColumns");
  });

  it("leaves alone what belongs to somebody else", async () => {
    await existing({ versions: [schemaless] }, { "app.kubernetes.io/managed-by": "Helm" });

    const thrown = await failure(installCrds(client, onlySaml));

    expect(thrown).to.be.instanceOf(CrdError);
    expect(String(thrown)).to.match(/CRD samltokens.* cannot be installed: it belongs to Helm/);
    expect((await find())?.spec.versions).to.deep.equal([schemaless]);
  });

  it("takes over what upstream installed", async () => {
    await existing({ versions: [schemaless] }, { "app.kubernetes.io/managed-by": "rancher" });

    const installed = await installCrds(client, onlySaml);

    expect(installed).to.deep.equal([{ name, action: "updated" }]);
  });

  it("says when a CRD of that name has another scope", async () => {
    await existing({ scope: "Cluster" });

    const thrown = await failure(installCrds(client, onlySaml));

    expect(String(thrown)).to.match(/samltokens.*its spec.scope is "Cluster", not "Namespaced"/);
  });

  it("tells the server's reason when names are taken", async () => {
    const { spec, ...manifest } = await readManifest(SamlToken);
    const names = { ...spec.names, plural: "samls", singular: "saml" };
    const metadata = { name: "samls.management.cattle.io" };
    const rival = { ...manifest, metadata, spec: { ...spec, names } };
    await client.create(rival);
    await until(
      async () =>
        (await failure(client.list({ ...SamlToken, plural: "samls" }, { limit: 1 }))) === undefined,
    );

    const thrown = await failure(installCrds(client, { ...onlySaml, timeout: 5_000 }));

    await client.delete(rival);
    expect(String(thrown)).to.match(
      /samltokens.*: NamesAccepted is False: ListKindConflict: .*already in use, still after 5 s/,
    );
  });

  it("tells the server's reason when rights are missing", async () => {
    const thrown = await failure(installCrds(client.as({ user: "nobody" }), onlySaml));

    expect(thrown).to.be.instanceOf(CrdError);
    expect(String(thrown)).to.match(/CRD samltokens.* cannot be installed: .*"nobody" cannot get/);
  });

  it("waits for a CRD that is being deleted and makes it anew", async () => {
    await existing({ versions: [schemaless] });
    const held = { ...old, metadata: { ...old.metadata, finalizers: ["drover.test/hold"] } };
    await client.create(held);
    await client.delete(refTo(CustomResourceDefinition, name), { preconditions: "none" });
    await until(async () => (await find())?.metadata.deletionTimestamp !== undefined);

    const { log, lines } = logged();
    const early = await failure(installCrds(client, { ...onlySaml, log, timeout: 2_500 }));
    const installing = installCrds(client, onlySaml);
    await client.patch(held, { merge: { metadata: { finalizers: null } } });

    expect(String(early)).to.match(/samltokens.*it is being deleted, still after 2.5 s/);
    expect(lines).to.deep.equal([`warn waiting for CRD ${name} it is being deleted`]);
    expect(await installing).to.deep.equal([{ name, action: "created" }]);
  });

  it("ends in time when the API server accepts but never answers", async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    const { port } = silent.address() as AddressInfo;
    await using mute = connect({ server: `http://127.0.0.1:${port}`, credentials: {} });
    const begin = systemClock.monotonic();

    const thrown = await failure(installCrds(mute, { ...options, timeout: 500 }));

    const took = systemClock.monotonic() - begin;
    for (const socket of sockets) socket.destroy();
    silent.close();
    expect(String(thrown)).to.match(
      /CRD features.*: the API server does not answer, still after 0.5 s/,
    );
    expect(took).to.be.within(400, 5_000);
  });

  it("is safe to run in several processes at once", async () => {
    const only = [SamlToken, ClusterProxyConfig];

    const runs = await Promise.all([1, 2, 3].map(() => installCrds(client, { ...options, only })));

    expect(runs.flat().map((each) => each.name)).to.include(name);
    expect((await installCrds(client, onlySaml))[0]?.action).to.equal("unchanged");
  });

  it("names every CRD that failed", async () => {
    await existing({}, { "app.kubernetes.io/managed-by": "Helm" });
    const labels = { metadata: { labels: { "app.kubernetes.io/managed-by": "Helm" } } };
    const setting = refTo(CustomResourceDefinition, "settings.management.cattle.io");
    await client.patch(setting, { merge: labels });

    const thrown = await failure(installCrds(client, { ...options, only: [Setting, SamlToken] }));

    const none = { metadata: { labels: { "app.kubernetes.io/managed-by": null } } };
    await client.patch(setting, { merge: none });
    expect(thrown).to.be.instanceOf(AggregateError);
    expect(String(thrown)).to.match(/settings.*belongs to Helm.*; .*samltokens.*belongs to Helm/);
  });

  it("ends with the signal's reason", async () => {
    const reason = new Error("stopped");

    const thrown = await failure(
      installCrds(client, {
        log: silentLogger,
        signal: AbortSignal.abort(reason),
        only: [Feature],
      }),
    );

    expect(thrown).to.equal(reason);
  });
});
