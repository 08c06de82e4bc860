import { Feature, kinds, Setting } from "@drover/crds";
import { aFeature, aSetting } from "@drover/crds/testing";
import { type ControlPlane, startControlPlane } from "@drover/env";
import { featureNames, parseFeatures, settingNames } from "@drover/platform";
import { expect } from "chai";
import { intercept, type KubeObject, resourceName } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import { prepare } from "./prepare.ts";
import { aReplica, type Replica } from "./testing/plane.ts";

const features = parseFeatures("");
const own = [
  "cattle-system",
  "cattle-fleet-system",
  "cattle-impersonation-system",
  "cattle-telemetry-system",
  "rancher-operator-system",
  "cattle-csp-adapter-system",
  "cattle-scc-system",
  "cattle-local-user-passwords",
  "cattle-tokens",
  "fleet-local",
  "fleet-default",
  "cattle-ui-plugin-system",
];

/** Tests follow each other: what one leaves is what the next starts on. */
describe("prepare on an empty cluster", function () {
  this.timeout(60_000);

  let plane: ControlPlane;
  let replica: Replica;
  const setting = (name: string): Promise<Setting> => replica.client.get(Setting, name);
  const feature = (name: string): Promise<Feature> => replica.client.get(Feature, name);
  /** One more start, and what it wrote. */
  const start = async (env: Readonly<Record<string, string>> = {}): Promise<readonly string[]> => {
    await using one = await aReplica(plane);
    await prepare({ env, features })(one.context);
    return one.writes();
  };

  before(async () => {
    plane = await startControlPlane({ controllerManager: false });
    replica = await aReplica(plane);
  });
  after(async () => {
    await replica?.[Symbol.asyncDispose]();
    await plane?.stop();
  });

  it("can be cut off again and again, and goes on where it was", async () => {
    const cut = new Error("the process died");
    let allowed = 0;
    for (let ended = false; !ended; allowed += 7) {
      await using one = await aReplica(plane);
      let sent = 0;
      const beforeWrite = (): void => {
        if (sent++ === allowed % 40) throw cut;
      };
      const client = intercept(one.client, { beforeWrite });
      const outcome = await prepare({ env: {}, features })({ ...one.context, client }).then(
        () => undefined,
        (error: unknown) => error,
      );
      ended = outcome === undefined;
      if (!ended) expect(String(outcome)).to.contain(cut.message);
    }

    const { items } = await replica.client.list(Setting);
    expect(items.map(({ metadata }) => metadata.name)).to.have.members([...settingNames]);
    expect((await setting("agent-tls-mode")).default).to.equal("strict");
  });

  it("makes our namespaces, those of early data labelled, and no third party's", async () => {
    const { items } = await replica.client.list(Namespace);
    const names = items.map(({ metadata }) => metadata.name);
    const managed = items
      .filter(({ metadata }) => metadata.labels?.["app.kubernetes.io/managed-by"] === "rancher")
      .map(({ metadata }) => metadata.name);

    expect(names).to.include.members(own);
    expect(names).to.not.include.members(["cattle-global-data"]);
    expect(
      names.filter((name) => /istio|calico|ingress|cert-manager|turtles/.test(name)),
    ).to.deep.equal([]);
    expect(managed).to.have.members(["cattle-system", "fleet-local", "cattle-ui-plugin-system"]);
  });

  it("makes every feature and serves every kind", async () => {
    const { items } = await replica.client.list(Feature);

    expect(items.map(({ metadata }) => metadata.name)).to.have.members([...featureNames]);
    for (const kind of kinds) await replica.client.list(kind, { limit: 1 });
  });

  it("gives the installation an identity, and clients the version of the cluster", async () => {
    expect((await setting("install-uuid")).value).to.match(/^[\da-f]{8}-/);
    expect((await setting("k8s-version")).default).to.equal(plane.version);
    expect((await setting("server-version")).default).to.equal("dev");
  });

  it("sends no write the second time", async () => {
    expect(await start()).to.deep.equal([]);
  });

  it("reads little the second time, however many objects there are", async () => {
    await using one = await aReplica(plane);

    await prepare({ env: {}, features })(one.context);

    expect(one.asked.length).to.be.lessThan(own.length + kinds.length + 5);
  });

  it("case 87: forces what the environment says, deletes unknown settings, keeps values", async () => {
    const { client } = replica;
    await client.create(aSetting({ metadata: { name: "of-long-ago" } }));
    const min = await setting("password-min-length");
    await client.update({ ...min, value: "20", default: "8" });

    const writes = await start({ CATTLE_SERVER_URL: "https://env.test" });

    expect(await setting("server-url")).to.include({ value: "https://env.test", source: "env" });
    expect(await client.find(Setting, "of-long-ago")).to.equal(undefined);
    expect(await setting("password-min-length")).to.include({ value: "20", default: "12" });
    expect(writes).to.have.members([
      "delete settings.management.cattle.io",
      "update settings.management.cattle.io",
      "update settings.management.cattle.io",
    ]);
  });

  it("gives the default back when the variable is gone", async () => {
    await start();

    expect(await setting("server-url")).to.include({ value: "", source: "" });
  });

  it("case 87: makes agent-tls-mode system-store where an older server was", async () => {
    await replica.client.delete(await setting("agent-tls-mode"));

    await start();

    expect((await setting("agent-tls-mode")).default).to.equal("system-store");
    expect(await start()).to.deep.equal([]);
  });

  it("refreshes features of an older server, keeps what was chosen and leaves unknown ones", async () => {
    const { client } = replica;
    const old = await feature("v3-public");
    await client.update({ ...old, spec: { value: false }, status: { default: false } });
    const chosen = await feature("token-hashing");
    await client.update({ ...chosen, spec: { value: true } });
    const unknown = await client.create(aFeature());

    await start();

    const after = await feature("v3-public");
    expect(after.spec).to.deep.equal({ value: false });
    expect(after.status).to.include({ default: true, dynamic: false });
    expect((await feature("token-hashing")).status?.lockedValue).to.equal(true);
    expect(await client.find(Feature, unknown.metadata.name)).to.not.equal(undefined);
    expect(await start()).to.deep.equal([]);
  });

  it("puts the label of an early namespace back", async () => {
    const merge = { metadata: { labels: { "app.kubernetes.io/managed-by": null, mine: "yes" } } };
    await replica.client.patch(await replica.client.get(Namespace, "fleet-local"), { merge });

    await start();

    const { metadata } = await replica.client.get(Namespace, "fleet-local");
    expect(metadata.labels).to.include({ "app.kubernetes.io/managed-by": "rancher", mine: "yes" });
  });

  it("leaves a namespace alone that is being deleted", async () => {
    await replica.client.delete(await replica.client.get(Namespace, "cattle-scc-system"));

    expect(await start()).to.deep.equal([]); // nobody ends the deletion here
  });

  it("case 86: an unknown setting is not found, one that is there cannot be made again, and get works", async () => {
    const code = (sent: Promise<KubeObject>): Promise<unknown> =>
      sent.then(
        () => undefined,
        (error: { readonly code?: number }) => error.code,
      );
    const { client } = replica;

    const unknown = await code(client.update(aSetting({ metadata: { name: "not-there" } })));
    const duplicate = await code(client.create(aSetting({ metadata: { name: "server-url" } })));

    expect([unknown, duplicate]).to.deep.equal([404, 409]);
    expect((await setting("cacerts")).metadata.name).to.equal("cacerts");
  });
});

describe("prepare of five replicas at once", function () {
  this.timeout(60_000);

  it("ends well for all of them on an empty cluster, as one alone would have", async () => {
    await using plane = await startControlPlane({ controllerManager: false });
    const replicas = await Promise.all(Array.from({ length: 5 }, () => aReplica(plane)));
    const [first] = replicas;

    await Promise.all(replicas.map(({ context }) => prepare({ env: {}, features })(context)));

    const { items } = (await first?.client.list(Setting)) ?? { items: [] };
    const byName = new Map(items.map((item) => [item.metadata.name, item]));
    expect([...byName.keys()]).to.have.members([...settingNames]);
    expect(byName.get("agent-tls-mode")?.default).to.equal("strict");
    const crds = replicas.flatMap(({ asked }) => asked.filter(isStored).map(resourceOf));
    expect(crds.filter((name) => name === resourceName(Setting)).length).to.equal(
      settingNames.length,
    );
    await using late = await aReplica(plane);
    await prepare({ env: {}, features })(late.context);
    expect(late.writes()).to.deep.equal([]);
    for (const replica of replicas) await replica[Symbol.asyncDispose]();
  });
});

const isStored = ({ verb, code }: Replica["asked"][number]): boolean =>
  verb === "create" && code === 201;
const resourceOf = ({ resource }: Replica["asked"][number]): string => resource;
