import { Cluster, ClusterRegistrationToken, Feature, Setting } from "@drover/crds";
import { aCluster, aClusterRegistrationToken } from "@drover/crds/testing";
import { type ControlPlane, startControlPlane, uniqueName } from "@drover/env";
import { newFeature, newSetting, parseFeatures } from "@drover/platform";
import { expect } from "chai";
import { type Client, connect, type KubeObject, loadConfig, refTo } from "kopf-ts";
import { Namespace, Role, Secret } from "kopf-ts/kinds";
import { eventually, fakeClock } from "kopf-ts/testing";
import { install, RunningConcern } from "../../testing/concern.ts";
import { eventsIn } from "../../testing/events.ts";
import { quiet, writes } from "../../testing/writes.ts";
import {
  clusterRegistrationTokens,
  defaultRegistrationTokens,
  registrationTokenReaders,
} from "./index.ts";

const minute = 60_000;
const features = parseFeatures("");
const tokens = () => clusterRegistrationTokens({ env: {}, features });

const text = (secret: Secret | undefined, key: string): string =>
  Buffer.from(secret?.data?.[key] ?? "", "base64").toString();

describe("cluster-registration-tokens on an API server", function () {
  this.timeout(60_000);

  let plane: ControlPlane;
  let client: Client;

  before(async () => {
    plane = await startControlPlane({ name: "registration" });
    await install(plane);
    client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
    await client.create(newSetting("server-url", {}));
    await client.create(newSetting("cacerts", {}));
    await setUrl("https://one.test");
  });
  after(async () => {
    await client[Symbol.asyncDispose]();
    await plane[Symbol.asyncDispose]();
  });

  const setUrl = (value: string) =>
    client.patch(refTo(Setting, "server-url"), { merge: { value } });
  const open = (options: Parameters<typeof RunningConcern.open>[0] = {}) =>
    RunningConcern.open({ controlPlane: plane, ...options });

  async function aNamespace(labels: Readonly<Record<string, string>> = {}): Promise<string> {
    const name = uniqueName("c-crt");
    const metadata = { name, labels };
    await client.create({ ...refTo(Namespace, name), metadata } as Namespace);
    return name;
  }

  const aTokenIn = (namespace: string, spec: object = {}, name = "default-token") =>
    aClusterRegistrationToken({
      metadata: { name, namespace },
      spec: { clusterName: namespace, ...spec },
    });
  const secretOf = ({ metadata: { name, namespace = "" } }: KubeObject) =>
    client.find(Secret, `crt-token-${name}`, { namespace });
  const settled = (concern: RunningConcern, token: ClusterRegistrationToken) =>
    until(async () => {
      const found = await concern.find(ClusterRegistrationToken, token);
      return found?.status?.tokenSecretName === undefined ? undefined : found;
    });

  it("keeps the value in a Secret of the token, and tells commands without it", async () => {
    await using concern = await open();
    await concern.run(tokens());
    const namespace = await aNamespace();

    const token = await concern.create(aTokenIn(namespace));
    const { status } = await settled(concern, token);
    const secret = await secretOf(token);
    await quiet(concern);

    expect(text(secret, "token")).to.match(/^[bcdfghjklmnpqrstvwxz2456789]{54}$/);
    expect(secret?.metadata.ownerReferences?.[0]?.uid).to.equal(token.metadata.uid);
    expect(status).to.include({
      tokenSecretName: "crt-token-default-token",
      command: `kubectl apply -f https://one.test/v3/import/{token}_${namespace}.yaml`,
      expiresAt: text(secret, "expiresAt"),
    });
    expect(writes(concern).map(({ verb, resource }) => `${verb} ${resource}`)).to.deep.equal([
      "create secrets",
      "patch clusterregistrationtokens.management.cattle.io",
    ]);
    expect(JSON.stringify(concern.lines)).to.not.contain(text(secret, "token"));
  });

  it("case 22: fills a stale empty status from the Secret of a Rancher, and keeps the value", async () => {
    await using concern = await open();
    const namespace = await aNamespace();
    const token = await concern.create(aTokenIn(namespace));
    const { name, uid = "" } = token.metadata;
    const owner = { apiVersion: token.apiVersion, kind: token.kind, name, uid };
    const expiresAt = new Date(Date.now() + 60 * minute).toISOString().replace(/\.\d+/, "");
    await client.create({
      ...refTo(Secret, `crt-token-${name}`, namespace),
      metadata: { name: `crt-token-${name}`, namespace, ownerReferences: [owner] },
      stringData: { token: "kept", expiresAt },
    } as Secret);

    await concern.run(tokens());
    const { status } = await settled(concern, token);
    const secret = await secretOf(token);

    expect(status).to.include({ expiresAt });
    expect(text(secret, "token")).to.equal("kept");
    expect(secret?.metadata.labels).to.include({ "drover.dev/registration-token": "true" });
  });

  it("moves the value that an older Rancher kept in the status", async () => {
    await using concern = await open();
    const token = aTokenIn(await aNamespace());
    await concern.create({ ...token, status: { token: "from-status" } });

    await concern.run(tokens());
    const { status } = await settled(concern, token);

    expect(status).to.not.have.property("token");
    expect(text(await secretOf(token), "token")).to.equal("from-status");
  });

  it("case 23: replaces the value at its end; the old one counts for the grace and then goes", async () => {
    const clock = fakeClock(Date.now());
    await using concern = await open({ clock });
    await concern.run(tokens());
    const token = await concern.create(aTokenIn(await aNamespace(), { ttl: 60, gracePeriod: 10 }));
    await settled(concern, token);
    const first = await secretOf(token);

    await clock.advance(70 * minute);
    const second = await until(async () => {
      const secret = await secretOf(token);
      return text(secret, "token") === text(first, "token") ? undefined : secret;
    });
    await until(async () => {
      const { status } = (await concern.find(ClusterRegistrationToken, token)) ?? {};
      return status?.gracePeriodExpiresAt === text(second, "gracePeriodExpiresAt");
    });
    await quiet(concern);
    await clock.advance(11 * minute);
    const third = await until(async () => {
      const secret = await secretOf(token);
      return text(secret, "previousToken") === "" ? secret : undefined;
    });

    expect(text(second, "previousToken")).to.equal(text(first, "token"));
    expect(text(third, "token")).to.equal(text(second, "token"));
    expect(text(third, "gracePeriodExpiresAt")).to.equal("");
    await concern.flush();
    const told = JSON.stringify([
      concern.lines,
      await eventsIn(client, token.metadata.namespace ?? "", token.metadata.name),
    ]);
    expect(told).to.contain("TokenRotated");
    for (const secret of [first, second]) expect(told).to.not.contain(text(secret, "token"));
  });

  it("case 25: leaves an overdue value alone while rotation is off, and replaces it once it is on", async () => {
    await using concern = await open();
    const name = "crt-token-ttl-rotation";
    const off = newFeature(name, features);
    await client.create({ ...off, spec: { value: false } });
    const token = await concern.create(aTokenIn(await aNamespace()));
    const { name: owner, uid = "", namespace = "" } = token.metadata;
    const ownerReferences = [{ apiVersion: token.apiVersion, kind: token.kind, name: owner, uid }];
    const metadata = { name: `crt-token-${owner}`, namespace, ownerReferences };
    await client.create({
      ...refTo(Secret, metadata.name, namespace),
      metadata,
      stringData: { token: "overdue", expiresAt: "2020-01-01T00:00:00Z" },
    } as Secret);

    await concern.run(tokens());
    await settled(concern, token);
    await quiet(concern);
    const before = await secretOf(token);
    await client.patch(refTo(Feature, name), { merge: { spec: { value: true } } });
    const after = await until(async () => {
      const secret = await secretOf(token);
      return text(secret, "previousToken") === "" ? undefined : secret;
    });
    await client.delete(refTo(Feature, name));

    expect(text(before, "token")).to.equal("overdue");
    expect(text(after, "previousToken")).to.equal("overdue");
  });

  it("case 20: rebuilds the commands of every token when server-url changes, and empties them", async () => {
    await using concern = await open();
    await concern.run(tokens());
    const both = [aTokenIn(await aNamespace()), aTokenIn(await aNamespace(), {}, "other")];
    for (const token of both) await settled(concern, await concern.create(token));
    const urlsAre = (start: string | undefined) =>
      until(async () => {
        const found = await Promise.all(
          both.map((token) => concern.find(ClusterRegistrationToken, token)),
        );
        return found.every(({ status } = { ...both[0] } as ClusterRegistrationToken) =>
          start === undefined
            ? !status?.manifestUrl && !status?.command
            : status?.manifestUrl?.startsWith(start),
        );
      });

    await setUrl("https://two.test");
    await urlsAre("https://two.test/v3/import/{token}_");
    await setUrl("");
    await urlsAre(undefined);
    await setUrl("https://one.test");

    await urlsAre("https://one.test/");
  });

  it("passes on the agents' variables of the cluster when they change", async () => {
    await using concern = await open();
    await concern.run(tokens());
    const cluster = await client.create(aCluster({ metadata: { name: await aNamespace() } }));
    const token = await concern.create(aTokenIn(cluster.metadata.name));
    await settled(concern, token);

    const agentEnvVars = [{ name: "HTTP_PROXY", value: "http://proxy" }];
    await client.patch(cluster, { merge: { spec: { agentEnvVars } } });

    await until(async () => {
      const found = await concern.find(ClusterRegistrationToken, token);
      return found?.status?.nodeCommand?.startsWith('HTTP_PROXY="http://proxy" curl');
    });
  });

  it("puts back label and status; a deleted Secret comes back with a new value", async () => {
    await using concern = await open();
    await concern.run(tokens());
    const token = await concern.create(aTokenIn(await aNamespace()));
    const { status } = await settled(concern, token);
    const first = (await secretOf(token)) as Secret;

    await client.patch(first, { merge: { metadata: { labels: null } } });
    await until(async () => (await secretOf(token))?.metadata.labels !== undefined);
    await client.patch(token, { merge: { status: { command: "reboot", tokenSecretName: "x" } } });
    await until(async () => {
      const found = await concern.find(ClusterRegistrationToken, token);
      return found?.status?.command === status?.command && found?.status?.tokenSecretName !== "x";
    });
    const kept = await secretOf(token);
    await client.delete(refTo(Secret, first.metadata.name, first.metadata.namespace));
    const made = await until(() => secretOf(token));

    expect(text(kept, "token")).to.equal(text(first, "token"));
    expect(text(made, "token")).to.not.equal(text(first, "token"));
  });

  it("takes no Secret that a stranger put in the place of its own, and tells so", async () => {
    await using concern = await open();
    const namespace = await aNamespace();
    const planted = refTo(Secret, "crt-token-default-token", namespace);
    await client.create({ ...planted, stringData: { token: "planted" } } as Secret);
    const token = await concern.create(aTokenIn(namespace));

    await concern.run(tokens());
    const event = await until(async () => {
      await concern.flush();
      const [first] = await eventsIn(client, namespace, token.metadata.name);
      return first;
    });

    expect(event).to.equal(
      "NameTaken: Secret crt-token-default-token does not belong to this token: delete it",
    );
    const found = await concern.find(ClusterRegistrationToken, token);
    expect(found?.status?.tokenSecretName).to.equal(undefined);
    expect(text(await secretOf(token), "token")).to.equal("planted");
  });

  it("case 26: writes nothing when it starts again, nor does the Role", async () => {
    await using concern = await open();
    await using readers = await open();
    const namespace = await aNamespace({ test: readers.label });
    await concern.run(tokens());
    await readers.run(registrationTokenReaders);
    const both = ["b", "a"].map((name) => aTokenIn(namespace, {}, name));
    for (const token of both) await settled(concern, await concern.create(token));
    const role = await until(async () => {
      const found = await client.find(Role, "crt-token-reader", { namespace });
      return found?.rules?.[0]?.resourceNames?.length === 2 ? found : undefined;
    });
    await quiet(concern);

    await using again = await open();
    await using readersAgain = await open();
    for (const token of both) {
      await client.patch(token, { merge: { metadata: { labels: { test: again.label } } } });
    }
    const relabelled = { metadata: { labels: { test: readersAgain.label } } };
    await client.patch(refTo(Namespace, namespace), { merge: relabelled });
    await again.run(tokens());
    await readersAgain.run(registrationTokenReaders);
    await until(async () => (await again.metric(runsOf("cluster-registration-tokens"))) >= 2);
    await until(async () => (await readersAgain.metric(ends("registration-token-readers"))) >= 1);
    await quiet(again);

    expect(role.rules?.[0]?.resourceNames).to.deep.equal(["crt-token-a", "crt-token-b"]);
    expect([writes(again), writes(readersAgain)]).to.deep.equal([[], []]);
    expect(again.sent.filter(({ verb }) => verb === "get")).to.deep.equal([]);
    const now = await client.get(Role, "crt-token-reader", { namespace });
    expect(now.metadata.resourceVersion).to.equal(role.metadata.resourceVersion);
  });

  it("repairs the Role, leaves a stranger's alone, and takes it away with the last token", async () => {
    await using concern = await open();
    await using readers = await open();
    const [namespace, foreign] = [
      await aNamespace({ test: readers.label }),
      await aNamespace({ test: readers.label }),
    ];
    await client.create({ ...refTo(Role, "crt-token-reader", foreign), rules: [] } as Role);
    await concern.run(tokens());
    await readers.run(registrationTokenReaders);
    const token = await concern.create(aTokenIn(namespace));
    await concern.create(aTokenIn(foreign));
    const find = (where: string) => client.find(Role, "crt-token-reader", { namespace: where });
    const role = await until(() => find(namespace));
    const isWhole = async () => (await find(namespace))?.rules?.[0]?.resourceNames?.length === 1;

    await client.patch(role, { merge: { rules: [] } });
    await until(isWhole);
    await client.patch(role, { merge: { metadata: { labels: null, annotations: null } } });
    await until(async () => (await find(namespace))?.metadata.labels !== undefined);
    await client.delete(refTo(Role, "crt-token-reader", namespace));
    await until(isWhole);
    await client.delete(refTo(ClusterRegistrationToken, token.metadata.name, namespace));

    await until(async () => (await find(namespace)) === undefined);
    expect((await find(foreign))?.rules ?? []).to.deep.equal([]);
  });

  it("gives every cluster a token once it has a namespace, and again after its deletion", async () => {
    await using concern = await open();
    await concern.run(defaultRegistrationTokens);
    const cluster = await concern.create(aCluster());
    const { name } = cluster.metadata;
    const find = () => client.find(ClusterRegistrationToken, "default-token", { namespace: name });

    await quiet(concern);
    const early = writes(concern);
    await client.create(refTo(Namespace, name) as Namespace);
    const token = await until(find);
    await client.patch(token, { merge: { spec: { ttl: 90 } } });
    await client.delete(refTo(ClusterRegistrationToken, "default-token", name));
    const again = await until(find);
    await client.patch(again, { merge: { spec: { ttl: 90 } } });
    await quiet(concern);

    expect(early).to.deep.equal([]);
    expect(token.spec).to.deep.equal({ clusterName: name });
    expect((await find())?.spec).to.deep.equal({ clusterName: name, ttl: 90 });
    await client.delete(refTo(Cluster, name));
  });
});

const runsOf = (controller: string) =>
  `controller_runtime_reconcile_total{controller="${controller}",result="requeue_after"}`;
const ends = (controller: string) =>
  `controller_runtime_reconcile_total{controller="${controller}",result="success"}`;

/** The suite shares a slow machine. */
function until<T>(check: () => T | Promise<T>): ReturnType<typeof eventually<T>> {
  return eventually(check, { within: 15_000 });
}
