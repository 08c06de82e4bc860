import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { connect, defineKind, type Kind, loadConfig } from "../kube/index.ts";
import { fakeClock } from "../testing/index.ts";
import { eventually, forms, startWatchTest, type WatchTest } from "./testing/harness.ts";

/** The CRD of a kind that nobody else has. */
function aCrd(): {
  readonly kind: Kind;
  readonly manifest: Record<string, unknown>;
  readonly path: string;
} {
  const group = `${uniqueName("watch").replaceAll("_", "-")}.example.com`;
  const kind = defineKind({
    group,
    version: "v1",
    plural: "things",
    kind: "Thing",
    scope: "Namespaced",
  });
  const schema = {
    openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  };
  const names = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" };
  const manifest = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `things.${group}` },
    spec: {
      group,
      names,
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
  return { kind, manifest, path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions" };
}

async function post(test: WatchTest, path: string, body: unknown): Promise<void> {
  const { status, body: answer } = await test.controlPlane.request("POST", path, { body });
  expect(status, JSON.stringify(answer)).to.equal(201);
}

/** Lets somebody list and watch the ConfigMaps of the test. */
async function grant(test: WatchTest, subject: Record<string, string>): Promise<void> {
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${test.namespace}`;
  const metadata = { name: "reader" };
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list", "watch"] }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" };
  await post(test, `${rbac}/roles`, { metadata, rules });
  await post(test, `${rbac}/rolebindings`, { metadata, roleRef, subjects: [subject] });
}

/** The times of production, for a clock that a test moves. */
const slow = {
  ...{ answer: 30_000, shortWatch: 1_000, slowRetry: 60_000, eager: 10_000 },
  ...{ backoffMin: 1_000, backoffMax: 30_000 },
} as const;

describe("Watch, while it is degraded", function () {
  this.timeout(60_000);

  before(async () => {
    await using _ = await startWatchTest();
  });

  it("says what is forbidden, and heals when the right is granted", async () => {
    await using test = await startWatchTest();
    await test.create("a");
    const user = uniqueName("reader");
    const { path } = await test.controlPlane.kubeconfigFor({ name: user });
    await using client = connect(await loadConfig({ kubeconfig: path }));
    const { sink } = test.watch({ client });
    await eventually(() => sink.phase === "degraded");

    await grant(test, { kind: "User", name: user });
    await test.agrees(sink);
    await test.live(sink);

    const [forbidden] = sink.states.filter(({ phase }) => phase === "degraded");
    expect(forbidden).to.have.property("reason", "Forbidden");
    expect(forbidden)
      .to.have.property("message")
      .that.contains(`"${user}" cannot watch resource "configmaps"`);
    expect(sink.states.map(({ phase }) => phase)).to.deep.equal([
      "listing",
      "degraded",
      "listing",
      "live",
    ]);
  });

  it("heals when the CRD it waits for is installed", async () => {
    await using test = await startWatchTest();
    const { kind, manifest, path } = aCrd();
    const { sink } = test.watch({ kind });
    await eventually(() => sink.reasons.includes("NotFound"));

    await post(test, path, manifest);
    await test.live(sink);

    expect(sink.reasons).to.deep.equal(["NotFound"]);
  });

  it("tries at once when told to", async () => {
    await using test = await startWatchTest();
    using forbidden = test.proxy.always({ kind: "status", code: 403 });
    const { sink, watch } = test.watch({ timing: { slowRetry: 60_000 } });
    await eventually(() => sink.phase === "degraded");
    forbidden[Symbol.dispose]();

    watch.retry();
    await test.live(sink);
    watch.retry(); // nothing waits, nothing happens

    expect(forms(test)).to.deep.equal(["watchList", "watchList"]);
  });

  it("tries soon again for a while after it was told to, should the server be behind", async () => {
    await using test = await startWatchTest();
    using _ = test.proxy.always({ kind: "status", code: 404 });
    const clock = fakeClock();
    const timing = { ...slow, backoffReset: 1_000_000 };
    const { sink, watch } = test.watch({ clock, timing });
    const waitsAfter = (requests: number): Promise<true> =>
      eventually(() => test.proxy.requests.length === requests && clock.pending === 1);
    for (let refusals = 1; refusals <= 4; refusals++) {
      await waitsAfter(refusals);
      await clock.advance(60_000);
    }
    await waitsAfter(5);

    watch.retry();
    await waitsAfter(6);
    await clock.advance(2_000); // the shortest back-off, whatever failed before
    await waitsAfter(7);
    await clock.advance(10_000);
    await waitsAfter(8);

    await clock.advance(29_999);
    expect(clock.pending, "the slow wait goes on").to.equal(1);
    await clock.advance(30_001);
    await waitsAfter(9);
    expect(sink.reasons).to.deep.equal(["NotFound"]);
  });

  it("waits as long as the server asked, whoever tells it to try", async () => {
    await using test = await startWatchTest();
    const clock = fakeClock();
    const { sink, watch } = await test.liveWatch({ clock, timing: slow });
    await eventually(() => test.proxy.open() === 1);
    test.proxy.now({ kind: "error", code: 429, retryAfter: 5 });
    await eventually(() => sink.reasons.includes("TooManyRequests"));

    watch.retry();
    await clock.advance(4_999);
    expect(clock.pending).to.equal(1);
    await clock.advance(1);
    await test.create("a");
    await test.agrees(sink);

    expect(forms(test)).to.deep.equal(["watchList", "watch"]);
  });

  it("keeps what it knows when the resource goes away, and lists when it comes back", async () => {
    await using test = await startWatchTest();
    await test.create("a");
    const { sink } = await test.liveWatch();
    await eventually(() => test.proxy.open() === 1);
    const missing = test.proxy.always({ kind: "status", code: 404 });

    test.proxy.now({ kind: "cut" });
    await eventually(() => sink.phase === "degraded");
    expect(sink.objects.has(`${test.namespace}/a`)).to.equal(true);
    await test.remove("a");
    missing[Symbol.dispose]();
    await eventually(() => sink.lists === 2);
    await test.agrees(sink);

    expect(sink.reasons).to.deep.equal(["NotFound"]);
  });

  for (const { code, reason } of [
    { code: 401, reason: "Unauthorized" },
    { code: 403, reason: "Forbidden" },
  ]) {
    it(`goes on where it was after ${code}`, async () => {
      await using test = await startWatchTest();
      const { sink } = await test.liveWatch();
      await eventually(() => test.proxy.open() === 1);
      const refused = test.proxy.always({ kind: "status", code });

      test.proxy.now({ kind: "cut" });
      await eventually(() => sink.phase === "degraded");
      await test.create("a");
      refused[Symbol.dispose]();
      await test.agrees(sink);
      await test.live(sink);

      expect(sink.reasons).to.deep.equal([reason]);
      expect(sink.lists).to.equal(1);
    });
  }

  it("renews credentials that ran out, without anybody noticing", async () => {
    await using test = await startWatchTest();
    const user = uniqueName("robot");
    await grant(test, { kind: "ServiceAccount", name: user, namespace: test.namespace });
    await post(test, `/api/v1/namespaces/${test.namespace}/serviceaccounts`, {
      metadata: { name: user },
    });
    const token = await test.controlPlane.serviceAccountToken(test.namespace, user);
    const { ca, url: server } = test.controlPlane;
    const asked: boolean[] = [];
    await using client = connect({
      server,
      credentials: async ({ force }) => {
        asked.push(force);
        return { ca, token: force ? token : "ran-out" };
      },
    });

    const { sink } = await test.liveWatch({ client });

    expect(sink.reasons).to.deep.equal([]);
    expect(asked).to.deep.equal([false, true]);
  });

  it("tells a reason once however often it is refused, and each further reason", async () => {
    await using test = await startWatchTest();
    const forbidden = test.proxy.always({ kind: "status", code: 403 });
    const { sink } = test.watch({ timing: { slowRetry: 10 } });
    await eventually(() => test.proxy.requests.length > 5);

    forbidden[Symbol.dispose]();
    using _ = test.proxy.always({ kind: "status", code: 405 });
    await eventually(() => sink.reasons.length > 1);

    expect(sink.reasons).to.deep.equal(["Forbidden", "MethodNotAllowed"]);
  });

  it("asks slowly for what only a person can change", async () => {
    await using test = await startWatchTest();
    using _ = test.proxy.always({ kind: "status", code: 403 });
    const { sink } = test.watch({ timing: { slowRetry: 400 } });
    await eventually(() => sink.phase === "degraded");
    const started = performance.now();

    await eventually(() => test.proxy.requests.length === 4);

    expect(performance.now() - started).to.be.greaterThan(3 * 200 - 20);
  });

  it("survives a server that is overloaded for longer than the client tries", async () => {
    await using test = await startWatchTest();
    const overloaded = test.proxy.always({ kind: "status", code: 503, message: "etcd is away" });
    const { sink } = test.watch();
    await eventually(() => sink.phase === "degraded", { within: 20_000 });

    overloaded[Symbol.dispose]();
    await test.live(sink);

    expect(sink.states.find(({ phase }) => phase === "degraded")).to.deep.include({
      reason: "ServiceUnavailable",
    });
  });

  it("waits as long as 429 asks, and is not degraded by one", async () => {
    await using test = await startWatchTest();
    test.proxy.next({ kind: "status", code: 429, retryAfter: 1 });
    const started = performance.now();

    const { sink } = test.watch({ timing: { listSilence: 5_000 } });
    await test.live(sink);

    expect(performance.now() - started).to.be.greaterThan(990);
    expect(sink.reasons).to.deep.equal([]);
  });

  it("names the server that cannot be reached", async () => {
    await using test = await startWatchTest();
    await test.proxy.down();
    const { sink } = test.watch();
    await eventually(() => sink.phase === "degraded", { within: 20_000 });

    await test.proxy.up();
    await test.live(sink);

    expect(sink.states[1]).to.have.property("reason", "Unreachable");
    expect(sink.states[1]).to.have.property("message").that.contains(test.proxy.url);
  });
});
