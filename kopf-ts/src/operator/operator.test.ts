import { once } from "node:events";
import { createServer } from "node:net";
import { type ControlPlane, freshNamespace, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { keptLog } from "../admission/testing/lines.ts";
import { aborted, systemClock } from "../base/index.ts";
import { Informers } from "../cache/index.ts";
import { type Controller, done, type Result } from "../control/index.ts";
import { Lease, LeaseLost } from "../election/index.ts";
import {
  apiVersionOf,
  type Client,
  connect,
  defineKind,
  type KubeObject,
  loadConfig,
  resourceName,
} from "../kube/index.ts";
import { HealthChecks, Metrics } from "../observe/index.ts";
import { eventually, startFaultProxy } from "../testing/index.ts";
import type { ExitCode } from "./exit-code.ts";
import { Operator } from "./operator.ts";
import type { OperatorOptions } from "./options.ts";
import type { Task } from "./task.ts";
import { aGadget, install } from "./testing/gadgets.ts";

interface Settings extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const ConfigMap = defineKind<Settings>({
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  scope: "Namespaced",
});

/** Nobody loses such a lease by chance, however slow the machine is. */
const quick = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 200 };

describe("Operator", function () {
  this.timeout(60_000);

  let controlPlane: ControlPlane;
  let client: Client;
  let namespace = "";
  before(async () => {
    controlPlane = await testEnv();
    client = connect(await loadConfig({ kubeconfig: controlPlane.kubeconfigPath }));
  });
  beforeEach(async () => {
    namespace = await freshNamespace(controlPlane);
  });
  after(() => client[Symbol.asyncDispose]());

  /** A started operator; disposing it stops it. */
  class Started implements AsyncDisposable {
    readonly operator: Operator;
    readonly health = new HealthChecks();
    readonly log = keptLog();
    readonly stop = new AbortController();
    readonly ended: Promise<ExitCode>;

    constructor(options: Partial<OperatorOptions> = {}) {
      this.operator = new Operator({
        name: "test-operator",
        client,
        health: this.health,
        logger: this.log.logger,
        metrics: new Metrics({ process: false }),
        ...options,
      });
      this.ended = this.operator.start(this.stop.signal);
    }

    async [Symbol.asyncDispose](): Promise<void> {
      this.stop.abort();
      await this.ended;
    }
  }

  const election = (name: string) => ({ namespace, name, ...quick });
  const holder = async (name: string): Promise<unknown> =>
    (await client.find(Lease, name, { namespace }))?.spec?.holderIdentity;
  const configMap = (name: string): Settings => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace },
  });

  /** Notes the names of what it reconciles. */
  function noting(seen: string[], more: Partial<Controller<Settings>> = {}): Controller<Settings> {
    return {
      name: "noting",
      watches: ConfigMap,
      select: { namespace, labelSelector: "noted" },
      reconcile: async ({ metadata }) => {
        seen.push(metadata.name);
        return done;
      },
      ...more,
    };
  }

  const noted = (name: string): Settings => ({
    ...configMap(name),
    metadata: { name, namespace, labels: { noted: "" } },
  });

  it("starts and stops in order", async () => {
    const started = new Started({
      controllers: [noting([])],
      election: election("order"),
      metricsAddr: "127.0.0.1:0",
    });
    await eventually(() => started.log.messages("controllers are running").length > 0, {
      within: 5000,
    });

    started.stop.abort();

    expect(await started.ended).to.equal(0);
    expect(
      started.log.messages(
        "serving metrics and health",
        "caches are synced",
        "waiting for the lease",
        "became leader",
        "controllers are running",
        "stopping the controllers",
        "released the lease",
        "stopped",
      ),
    ).to.deep.equal([
      "serving metrics and health",
      "caches are synced",
      "waiting for the lease",
      "became leader",
      "controllers are running",
      "stopping the controllers",
      "released the lease",
      "stopped",
    ]);
  });

  it("drains before it releases the lease, and answers health to the end", async () => {
    await client.create(noted("slow"));
    const begun = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const reconcile = async (): Promise<Result> => {
      begun.resolve();
      await finish.promise;
      return done;
    };
    const started = new Started({
      controllers: [noting([], { reconcile })],
      election: election("drain"),
      metricsAddr: "127.0.0.1:0",
    });
    await begun.promise;
    const url = started.log.lines.find(({ msg }) => msg === "serving metrics and health")?.url;

    started.stop.abort();
    await systemClock.sleep(2 * quick.retryPeriod);
    expect(await holder("drain")).to.equal(started.operator.identity);
    expect((await fetch(`${url}/healthz`)).status).to.equal(200);

    finish.resolve();
    expect(await started.ended).to.equal(0);
    expect(await holder("drain")).to.equal("");
    expect(await fetch(`${url}/healthz`).catch(() => "gone")).to.equal("gone");
  });

  for (const on of ["leader", "everywhere"] as const) {
    it(`waits for tasks (${on}) before it releases the lease`, async () => {
      const name = `task-${on}`;
      const asked = Promise.withResolvers<void>();
      const finish = Promise.withResolvers<void>();
      const run: Task["run"] = async ({ signal }) => {
        await aborted(signal);
        asked.resolve();
        await finish.promise;
      };
      const started = new Started({ election: election(name), tasks: [{ name, on, run }] });
      await eventually(() => started.operator.leadership, { within: 5000 });
      await eventually(() => started.log.messages("controllers are running").length > 0, {
        within: 5000,
      });

      started.stop.abort();
      await asked.promise;
      await systemClock.sleep(2 * quick.retryPeriod);
      expect(await holder(name)).to.equal(started.operator.identity);
      finish.resolve();

      expect(await started.ended).to.equal(0);
      expect(await holder(name)).to.equal("");
    });
  }

  it("aborts what does not drain in time", async () => {
    await client.create(noted("stuck"));
    const begun = Promise.withResolvers<AbortSignal>();
    const reconcile: Controller<Settings>["reconcile"] = async (_object, { signal }) => {
      begun.resolve(signal);
      await systemClock.sleep(60_000, signal);
      return done;
    };
    const started = new Started({ controllers: [noting([], { reconcile })], stopTimeout: 200 });
    const signal = await begun.promise;

    started.stop.abort();

    expect(await started.ended).to.equal(0);
    expect(signal.aborted).to.equal(true);
    expect(
      started.log.lines
        .filter(({ msg }) => msg === "aborting what did not end in time")
        .map(({ unfinished }) => unfinished),
    ).to.deep.equal([["noting"]]);
  });

  for (const leads of [true, false]) {
    it(`stops within stopTimeout when the server never answers (${leads ? "leader" : "candidate"})`, async () => {
      await using proxy = await startFaultProxy(
        await loadConfig({ kubeconfig: controlPlane.kubeconfigPath }),
      );
      await using through = connect(proxy.config);
      await client.create(noted("stuck"));
      const begun = Promise.withResolvers<void>();
      const silent = Promise.withResolvers<void>();
      const reconcile: Controller<Settings>["reconcile"] = async (_object, { events }) => {
        begun.resolve();
        await silent.promise;
        events.normal("Begun", "is told when it is too late");
        return new Promise(() => undefined); // and ignores its signal
      };
      const stuck = [noting([], { reconcile })];
      await using _other = new Started(leads ? {} : { election: election("silence") });
      if (!leads) await eventually(() => _other.operator.leadership, { within: 5000 });
      const started = new Started({
        client: through,
        ...(leads ? { controllers: stuck } : { everywhere: stuck }),
        election: { namespace, name: "silence" },
        stopTimeout: 2500,
      });
      await begun.promise;
      using _silence = proxy.always({ kind: "silence" });
      silent.resolve();

      const asked = performance.now();
      started.stop.abort();

      expect(await started.ended).to.equal(0);
      expect(performance.now() - asked).to.be.lessThan(2500 + 500); // a busy machine
    });
  }

  it("has warm caches and a full queue on standby, and takes over without a list", async () => {
    for (const name of ["a", "b", "c"]) await client.create(noted(name));
    const first = new Started({ controllers: [noting([])], election: election("standby") });
    await eventually(() => first.operator.leadership, { within: 5000 });
    await using proxy = await startFaultProxy(
      await loadConfig({ kubeconfig: controlPlane.kubeconfigPath }),
    );
    await using through = connect(proxy.config);
    const seen: string[] = [];
    await using second = new Started({
      client: through,
      controllers: [noting(seen)],
      election: election("standby"),
    });
    await eventually(() => second.log.messages("another process leads").length > 0, {
      within: 5000,
    });
    const watches = (): number =>
      proxy.requests.filter(({ path }) => path.includes("/configmaps")).length;
    const before = watches();
    expect([seen, second.operator.informers.report().map(({ synced }) => synced)]).to.deep.equal([
      [],
      [true],
    ]);
    expect(await second.health.unready()).to.deep.equal([]);

    first.stop.abort();
    await first.ended;
    await eventually(() => seen.length === 3, { within: 5000 });

    expect([...seen].sort()).to.deep.equal(["a", "b", "c"]);
    expect(watches()).to.equal(before);
  });

  it("runs some controllers and tasks on every replica, others on the leader", async () => {
    await client.create(noted("x"));
    const told: string[] = [];
    const tell = (what: string) => async (): Promise<Result> => {
      told.push(what);
      return done;
    };
    const replica = (name: string): Started =>
      new Started({
        election: election("everywhere"),
        controllers: [
          noting([], {
            name: "for-the-leader",
            reconcile: tell(`${name}: leader`),
          }),
        ],
        everywhere: [noting([], { name: "for-all", reconcile: tell(`${name}: every`) })],
        tasks: [
          { name: "once", run: async () => void told.push(`${name}: leader's task`) },
          { name: "all", on: "everywhere", run: async () => void told.push(`${name}: every task`) },
        ],
      });
    await using first = replica("first");
    await eventually(() => told.includes("first: leader"), { within: 5000 });
    await using second = replica("second");
    await eventually(() => told.includes("second: every") && told.includes("second: every task"), {
      within: 5000,
    });

    expect([...told].sort()).to.deep.equal([
      "first: every",
      "first: every task",
      "first: leader",
      "first: leader's task",
      "second: every",
      "second: every task",
    ]);
    expect([
      first.operator.leadership === undefined,
      second.operator.leadership === undefined,
    ]).to.deep.equal([false, true]);
  });

  it("ends at once with code 75 when it loses the lease, and refuses writes from then on", async () => {
    await client.create(noted("x"));
    const attempts: unknown[] = [];
    const begun = Promise.withResolvers<void>();
    const reconcile: Controller<Settings>["reconcile"] = async (object, context) => {
      begun.resolve();
      await systemClock.sleep(60_000, context.signal).catch(() => undefined);
      await context.client
        .patch(object, { merge: { data: { late: "yes" } } }, {})
        .catch((error: unknown) => attempts.push(error));
      return done;
    };
    const leaderTask = {
      name: "writes-late",
      run: async ({ client: fenced, signal }: { client: Client; signal: AbortSignal }) => {
        await systemClock.sleep(60_000, signal).catch(() => undefined);
        await fenced.create(configMap("late")).catch((error: unknown) => attempts.push(error));
      },
    };
    const started = new Started({
      controllers: [noting([], { reconcile })],
      election: election("lost"),
      tasks: [leaderTask],
    });
    await begun.promise;

    const stored = await client.get(Lease, "lost", { namespace });
    const stolen = { ...stored.spec, holderIdentity: "thief" };
    await eventually(
      async () => {
        const latest = await client.get(Lease, "lost", { namespace });
        return client.update({ ...latest, spec: stolen }).then(() => true);
      },
      { within: 5000 },
    );

    expect(await started.ended).to.equal(75);
    await eventually(() => attempts.length === 2);
    expect(attempts.some((error) => error instanceof LeaseLost)).to.equal(true);
    expect(await client.find(ConfigMap, "late", { namespace })).to.equal(undefined);
    expect((await client.get(ConfigMap, "x", { namespace })).data).to.equal(undefined);
    expect(await holder("lost")).to.equal("thief");
  });

  it("ends with code 1 and a clear message when its address is in use", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };

    const started = new Started({ metricsAddr: `127.0.0.1:${port}` });

    expect(await started.ended).to.equal(1);
    const failed = started.log.lines.find(({ msg }) => msg === "the operator failed");
    expect(failed)
      .to.have.nested.property("error.message")
      .that.contains(
        `cannot serve metrics and health on 127.0.0.1:${port}: another process listens there`,
      );
    taken.close();
  });

  it("stops while it still waits, with code 0", async () => {
    await using nowhere = connect({ server: "https://127.0.0.1:1" });
    const started = new Started({
      client: nowhere,
      controllers: [noting([])],
      election: election("x"),
    });
    await eventually(() => started.log.messages("waiting for the API server").length > 0, {
      within: 5000,
    });

    started.stop.abort();

    expect(await started.ended).to.equal(0);
  });

  it("starts only once", async () => {
    await using started = new Started();

    const second = await started.operator
      .start(started.stop.signal)
      .catch((error: Error) => error.message);

    expect(second).to.equal("an operator starts only once");
  });

  it("leaves no socket and no timer", async () => {
    await using own = connect(await loadConfig({ kubeconfig: controlPlane.kubeconfigPath }));
    const before = resources();
    const started = new Started({
      client: own,
      controllers: [noting([])],
      election: election("clean"),
      metricsAddr: "127.0.0.1:0",
    });
    await eventually(() => started.operator.leadership, { within: 5000 });

    started.stop.abort();
    await started.ended;
    await own[Symbol.asyncDispose]();

    await eventually(() => resources() <= before, { within: 5000 });
  });

  it("leaves nothing when it could not start", async () => {
    const index = (name: string, indexes: Controller<Settings>["indexes"]): Controller<Settings> =>
      noting([], { name, ...(indexes === undefined ? {} : { indexes }) });
    const waiting: Controller = { name: "waits", watches: aGadget(), reconcile: async () => done };
    await using own = connect(await loadConfig({ kubeconfig: controlPlane.kubeconfigPath }));
    await own.request({ method: "GET", path: "/version" });
    const before = resources();
    const informers = new Informers(own); // of others as well: the operator gives its shares back
    const started = new Started({
      client: own,
      informers,
      controllers: [
        waiting,
        index("a", { same: ({ metadata }) => [metadata.name] }),
        index("b", { same: () => ["another"] }),
      ],
      everywhere: [{ ...waiting, name: "waits-everywhere" }],
      tasks: [{ name: "never begun", on: "everywhere", run: () => Promise.reject(new Error()) }],
    });

    expect(await started.ended).to.equal(1);

    expect(await started.health.unready()).to.deep.equal([]);
    expect(informers.report()).to.deep.equal([]);
    await own[Symbol.asyncDispose]();
    await eventually(() => resources() < before, { within: 5000 });
  });

  describe("what /readyz knows after the start", () => {
    const verbose = async ({ health }: Started): Promise<string> =>
      (await health.respond("/readyz", new URLSearchParams("verbose")))?.body ?? "";

    it("is how long caches have been behind: at first a remark, then a failure, until they follow again", async () => {
      await using proxy = await startFaultProxy(
        await loadConfig({ kubeconfig: controlPlane.kubeconfigPath }),
      );
      await using through = connect(proxy.config);
      await using started = new Started({
        client: through,
        controllers: [noting([])],
        staleAfter: 6000,
      });
      await eventually(async () => (await verbose(started)).includes("1 follow the server"), {
        within: 5000,
      });

      await proxy.down();
      await eventually(
        async () => (await verbose(started)).includes("[+]caches ok: configmaps behind for"),
        { within: 15_000 },
      );
      const [failure] = await eventually(
        async () => {
          const unready = await started.health.unready();
          return unready.length > 0 && unready;
        },
        { within: 15_000 },
      );
      expect(failure).to.match(/^caches: configmaps behind for \d+ s: Unreachable: /);
      expect(
        (await started.health.respond("/readyz", new URLSearchParams("exclude=caches")))?.status,
      ).to.equal(200);
      expect((await started.health.respond("/healthz", new URLSearchParams()))?.status).to.equal(
        200,
      );

      await proxy.up();
      await eventually(async () => (await started.health.unready()).length === 0, {
        within: 20_000,
      });
    });

    it("is who leads; a standby is ready", async () => {
      await using first = new Started({ election: election("who") });
      await eventually(() => first.operator.leadership, { within: 5000 });
      await using second = new Started({ election: election("who") });

      expect(await verbose(first)).to.contain("[+]leadership ok: this process leads (term 0)\n");
      const told = `[+]leadership ok: ${first.operator.identity} leads\nreadyz check passed`;
      await eventually(async () => (await verbose(second)).includes(told), { within: 5000 });
    });

    it("is forgotten with the operator", async () => {
      const started = new Started({ controllers: [noting([])], election: election("gone") });
      await eventually(() => started.operator.leadership, { within: 5000 });

      started.stop.abort();
      await started.ended;

      expect(await verbose(started)).to.equal("[+]ping ok\nreadyz check passed\n");
    });
  });

  describe("what it waits for", () => {
    it("is the API server: said once, and told by /readyz", async () => {
      await using proxy = await startFaultProxy(
        await loadConfig({ kubeconfig: controlPlane.kubeconfigPath }),
      );
      await proxy.down();
      await using away = connect(proxy.config);
      await using started = new Started({ client: away, controllers: [noting([])] });
      await eventually(() => started.log.messages("waiting for the API server").length > 0, {
        within: 5000,
      });

      const unready = await started.health.unready();
      expect(unready).to.have.length(2);
      expect(unready[0]).to.equal("start: the caches are not synced yet");
      expect(unready[1]).to.match(/^api-server: .*127\.0\.0\.1/);

      await proxy.up();
      await eventually(async () => (await started.health.unready()).length === 0, {
        within: 20_000,
      });
      expect(
        started.log.messages("waiting for the API server", "the API server answers"),
      ).to.deep.equal(["waiting for the API server", "the API server answers"]);
    });

    it("is a kind that is not served: named by /readyz, and there once the CRD is", async () => {
      const Gadget = aGadget();
      const seen: string[] = [];
      const gadgets: Controller = {
        name: "gadgets",
        watches: Gadget,
        reconcile: async ({ metadata }) => {
          seen.push(metadata.name);
          return done;
        },
      };
      await using started = new Started({ controllers: [gadgets], election: election("crd") });
      const name = `cache/${resourceName(Gadget)}`;
      const reason = await eventually(
        async () =>
          (await started.health.unready()).find((each) => each.startsWith(`${name}: NotFound`)),
        { within: 5000 },
      );
      expect(reason).to.contain("NotFound");
      expect(await client.find(Lease, "crd", { namespace })).to.equal(undefined);

      await install(client, Gadget);
      await eventually(async () => (await started.health.unready()).length === 0, {
        within: 5000, // by itself the watch would look after 15 to 30 s
      });

      await client.create({
        apiVersion: apiVersionOf(Gadget),
        kind: "Gadget",
        metadata: { name: "one" },
      });
      await eventually(() => seen.includes("one"), { within: 5000 });
    });

    it("is a right that is missing: named by /readyz", async () => {
      const { path } = await controlPlane.kubeconfigFor({ name: uniqueName("nobody") });
      await using nobody = connect(await loadConfig({ kubeconfig: path }));
      await using started = new Started({ client: nobody, controllers: [noting([])] });

      const reason = await eventually(
        async () => (await started.health.unready()).find((each) => each.includes("Forbidden")),
        { within: 5000 },
      );

      expect(reason).to.match(/^cache\/configmaps: Forbidden: .*configmaps is forbidden/);
    });

    it("is a credential that the server refuses: told by /readyz", async () => {
      const config = await loadConfig({ kubeconfig: controlPlane.kubeconfigPath });
      await using stranger = connect({
        ...config,
        credentials: async () => ({ ca: await caOf(config), token: "wrong" }),
      });
      await using started = new Started({ client: stranger, controllers: [noting([])] });

      const reason = await eventually(
        async () => (await started.health.unready()).find((each) => each.startsWith("api-server")),
        { within: 5000 },
      );

      expect(reason).to.contain("Unauthorized");
    });
  });
});

/** Sockets, servers and timers of this process. */
function resources(): number {
  return process.getActiveResourcesInfo().filter((name) => /TCP|TLS|Timeout/.test(name)).length;
}

async function caOf({
  credentials,
}: Awaited<ReturnType<typeof loadConfig>>): Promise<string | undefined> {
  if (typeof credentials === "function") return (await credentials({ force: false })).ca;
  return credentials?.ca;
}
