import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { freshNamespace, testEnv } from "@drover/env";
import { expect } from "chai";
import { systemClock } from "../base/index.ts";
import {
  type Client,
  type ClusterConfig,
  connect,
  type Dial,
  intercept,
  loadConfig,
} from "../kube/index.ts";
import { createLogger, Metrics } from "../observe/index.ts";
import { eventually, startFaultProxy } from "../testing/index.ts";
import { type ElectionCallbacks, LeaderElection } from "./election.ts";
import { type Leadership, LeaseLost } from "./leadership.ts";
import { Lease, type LeaseObject } from "./lease.ts";
import type { ElectionOptions } from "./options.ts";

/** Generous, for machines that are busy. */
const slow = { within: 10_000 };
/** Not so short that a busy machine loses it. */
const quick = { leaseDuration: 4000, renewDeadline: 3000, retryPeriod: 200 };

/** A network that can be cut. */
class Network {
  #cut = false;
  readonly #sockets = new Set<Socket>();
  readonly dial: Dial = async ({ host, port }) => {
    if (this.#cut) throw Object.assign(new Error("cut"), { code: "ECONNREFUSED" });
    const socket = connectTcp(port, host);
    await once(socket, "connect");
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    return socket;
  };

  cut(): void {
    this.#cut = true;
    for (const socket of this.#sockets) socket.destroy();
  }
}

describe("LeaderElection", function () {
  this.timeout(60_000);

  let config: ClusterConfig;
  let client: Client;
  let namespace = "";
  let count = 0;
  before(async () => {
    const controlPlane = await testEnv();
    config = await loadConfig({ kubeconfig: controlPlane.kubeconfigPath });
    client = connect(config);
    namespace = await freshNamespace(controlPlane);
  });
  after(() => client[Symbol.asyncDispose]());

  const aName = (): string => `lease-${++count}`;
  const read = (name: string): Promise<LeaseObject> => client.get(Lease, name, { namespace });

  /** Somebody who stands for election, and what happened to them. */
  class Stander implements AsyncDisposable {
    readonly seen: string[] = [];
    readonly stop = new AbortController();
    readonly election: LeaderElection;
    readonly ended: Promise<unknown>;
    leader: Leadership | undefined;

    constructor(
      name: string,
      identity: string,
      options: Partial<ElectionOptions> & { client?: Client } = {},
      work?: () => Promise<void>,
    ) {
      this.election = new LeaderElection(options.client ?? client, {
        namespace,
        name,
        identity,
        ...quick,
        ...options,
      });
      const callbacks: ElectionCallbacks = {
        onStarted: (leader) => {
          this.leader = leader;
          this.seen.push("started");
          return work?.();
        },
        onStopped: () => void this.seen.push("stopped"),
        onNewLeader: (who) => void this.seen.push(`leader ${who}`),
      };
      this.ended = this.election.run(this.stop.signal, callbacks).then(
        () => "stopped",
        (error: unknown) => error,
      );
    }

    async leads(): Promise<Leadership> {
      return eventually(() => this.leader, slow);
    }

    async [Symbol.asyncDispose](): Promise<void> {
      this.stop.abort();
      await this.ended;
    }
  }

  it("takes a lease that nobody has, in client-go's form", async () => {
    const name = aName();
    await using one = new Stander(name, "one");

    const leader = await one.leads();

    const { spec } = await read(name);
    expect(spec).to.include({
      holderIdentity: "one",
      leaseDurationSeconds: 4,
      leaseTransitions: 0,
    });
    expect(spec?.acquireTime).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(leader.token).to.equal(0);
    expect(one.seen).to.deep.equal(["leader one", "started"]);
  });

  it("renews for as long as it leads", async () => {
    const name = aName();
    await using one = new Stander(name, "one");
    const leader = await one.leads();
    const first = (await read(name)).spec?.renewTime;

    await eventually(async () => (await read(name)).spec?.renewTime !== first, slow);
    await systemClock.sleep(quick.leaseDuration);

    expect(() => leader.check()).to.not.throw();
    expect((await read(name)).spec).to.include({ holderIdentity: "one", leaseTransitions: 0 });
  });

  it("releases on a clean stop, and the next one leads at once with a higher token", async () => {
    const name = aName();
    await using one = new Stander(name, "one", {
      leaseDuration: 60_000,
      renewDeadline: 40_000,
      retryPeriod: 10_000,
    });
    await one.leads();
    await using two = new Stander(name, "two", {
      leaseDuration: 60_000,
      renewDeadline: 40_000,
      retryPeriod: 10_000,
    });
    await eventually(() => two.seen.includes("leader one"), slow);

    const asked = performance.now();
    one.stop.abort();
    const leader = await two.leads();

    expect(performance.now() - asked).to.be.lessThan(5000); // with a retry period of 10 s: it was told, it did not ask
    expect(leader.token).to.equal(1);
    expect(await one.ended).to.equal("stopped");
    expect(one.seen).to.deep.equal(["leader one", "started", "stopped"]);
    expect(one.leader?.signal.reason).to.include({ name: "AbortError" });
  });

  it("gives the release no longer than releaseTimeout, also behind a renewal that is never answered", async () => {
    await using proxy = await startFaultProxy(config);
    await using through = connect(proxy.config);
    const timing = { leaseDuration: 15_000, renewDeadline: 10_000, releaseTimeout: 300 };
    await using one = new Stander(aName(), "one", { ...timing, client: through });
    await one.leads();
    using _silence = proxy.always({ kind: "silence" }, ({ method }) => method === "PUT");
    await eventually(() => proxy.count("silence") > 0, slow);

    const asked = performance.now();
    one.stop.abort();

    expect(await one.ended).to.equal("stopped");
    expect(performance.now() - asked).to.be.lessThan(5000); // less than the renewal's deadline
  });

  it("releases at once, and leads nobody, when it is told to stop while it wins the lease", async () => {
    const name = aName();
    const beforeSend = (): void => one.stop.abort();
    await using one: Stander = new Stander(name, "one", {
      client: intercept(client, { beforeSend }),
    });

    expect(await one.ended).to.equal("stopped");
    expect(one.seen).to.deep.equal(["leader one"]);
    expect((await read(name)).spec?.holderIdentity).to.equal("");
  });

  it("leaves an empty holder and a second behind", async () => {
    const name = aName();
    const one = new Stander(name, "one");
    await one.leads();
    one.stop.abort();
    await one.ended;

    expect((await read(name)).spec).to.include({
      holderIdentity: "",
      leaseDurationSeconds: 1,
      leaseTransitions: 0,
    });
  });

  it("keeps the lease renewed while the leader's work drains, and releases it after", async () => {
    const name = aName();
    const { promise: work, resolve: finish } = Promise.withResolvers<void>();
    const one = new Stander(name, "one", {}, () => work);
    const leader = await one.leads();

    one.stop.abort();
    await systemClock.sleep(2 * quick.leaseDuration);
    expect(() => leader.check()).to.not.throw();
    expect((await read(name)).spec?.holderIdentity).to.equal("one");

    finish();
    expect(await one.ended).to.equal("stopped");
    expect((await read(name)).spec?.holderIdentity).to.equal("");
  });

  it("releases the lease and rejects when the leader's work fails", async () => {
    const name = aName();
    const failure = new Error("work failed");
    const one = new Stander(name, "one", {}, () =>
      systemClock.sleep(50).then(() => Promise.reject(failure)),
    );

    expect(await one.ended).to.equal(failure);
    expect((await read(name)).spec?.holderIdentity).to.equal("");
    expect(one.seen.at(-1)).to.equal("stopped");
  });

  it("stops as a candidate without touching the lease", async () => {
    const name = aName();
    await using one = new Stander(name, "one");
    await one.leads();
    const two = new Stander(name, "two");
    await eventually(() => two.seen.includes("leader one"), slow);

    two.stop.abort();

    expect(await two.ended).to.equal("stopped");
    expect(two.seen).to.deep.equal(["leader one"]);
    expect((await read(name)).spec?.holderIdentity).to.equal("one");
  });

  it("loses the lease when the server is away for the renew deadline, by its own clock", async () => {
    const network = new Network();
    await using cut = connect(config, { dial: network.dial });
    await using one = new Stander(aName(), "one", { client: cut });
    const leader = await one.leads();

    const from = performance.now();
    network.cut();
    const error = await one.ended;

    expect(error).to.be.instanceOf(LeaseLost);
    expect(leader.signal.reason).to.equal(error);
    expect(() => leader.check()).to.throw(LeaseLost);
    expect(performance.now() - from).to.be.lessThan(2 * quick.renewDeadline - 500);
    expect(one.seen.at(-1)).to.equal("stopped");
  });

  it("loses a lease that somebody else took, without writing over it", async () => {
    const name = aName();
    await using one = new Stander(name, "one", {
      leaseDuration: 60_000,
      renewDeadline: 40_000,
      retryPeriod: 10_000,
    });
    await one.leads();

    const stored = await read(name);
    const stolen = { ...stored.spec, holderIdentity: "thief", leaseTransitions: 7 };
    await client.update({ ...stored, spec: stolen });

    const error = await one.ended;
    expect(error)
      .to.be.instanceOf(LeaseLost)
      .with.property("message", "the lease was taken by thief");
    expect((await read(name)).spec).to.include({ holderIdentity: "thief", leaseTransitions: 7 });
  });

  it("survives other people's labels on its lease", async () => {
    const name = aName();
    const metrics = new Metrics({ process: false });
    await using one = new Stander(name, "one", { metrics: metrics.election("x") });
    const leader = await one.leads();

    for (let round = 0; round < 5; round++) {
      const { apiVersion, kind } = await read(name);
      await client.patch(
        { apiVersion, kind, metadata: { name, namespace } },
        { merge: { metadata: { labels: { round: String(round) } } } },
      );
      await systemClock.sleep(quick.retryPeriod);
    }
    await systemClock.sleep(quick.leaseDuration);

    expect(() => leader.check()).to.not.throw();
    const { metadata, spec } = await read(name);
    expect(metadata.labels).to.deep.equal({ round: "4" });
    expect(spec).to.include({ holderIdentity: "one", leaseTransitions: 0 });
    expect(await metrics.text()).to.match(/leader_election_slowpath_total\{name="x"\} [1-9]/);
  });

  it("makes a lease anew that was deleted under it, and candidates wait meanwhile", async () => {
    const name = aName();
    await using one = new Stander(name, "one");
    const leader = await one.leads();
    // Only now: a create of a candidate that is still on its way would find the name free.
    await using two = new Stander(name, "two");
    await eventually(() => two.election.leader === "one", slow);

    await client.delete({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name, namespace },
    });
    await systemClock.sleep(2 * quick.leaseDuration);

    expect(() => leader.check()).to.not.throw();
    expect(two.leader).to.equal(undefined);
    expect((await read(name)).spec?.holderIdentity).to.equal("one");
  });

  it("does not lead by a lease that it could make only because another one's was deleted, until that one's time is over", async () => {
    const name = aName();
    const asked = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const beforeWrite = (): Promise<void> => {
      asked.resolve();
      return gate.promise;
    };
    const lines: string[] = [];
    const logger = createLogger({ output: { write: (line) => void lines.push(line) } });
    const late = intercept(client, { beforeWrite });
    await using two = new Stander(name, "two", { client: late, logger });
    await asked.promise;
    await using one = new Stander(name, "one", { retryPeriod: 2400 }); // does not make it anew first
    const first = await one.leads();
    await eventually(() => two.election.leader === "one", slow);

    await client.delete({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name, namespace },
    });
    gate.resolve();

    expect(await one.ended).to.be.instanceOf(LeaseLost);
    expect(two.leader).to.equal(undefined);
    expect(lines.filter((line) => line.includes("was deleted, waiting"))).to.have.length(1);
    expect((await two.leads()).token).to.be.greaterThan(first.token);
  });

  it("keeps two processes of one identity apart", async () => {
    const name = aName();
    await using one = new Stander(name, "same");
    const first = await one.leads();
    await using two = new Stander(name, "same");

    await systemClock.sleep(2 * quick.leaseDuration);
    expect(two.leader).to.equal(undefined);

    one.stop.abort();
    expect((await two.leads()).token).to.be.greaterThan(first.token);
  });

  it("takes the lease of a Go process that died, after the time that one wrote", async () => {
    const name = aName();
    const seconds = 2;
    await client.create({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name, namespace },
      spec: {
        holderIdentity: "go",
        leaseDurationSeconds: seconds,
        acquireTime: "2001-01-01T00:00:00.000000Z",
        renewTime: "2001-01-01T00:00:00.000000Z",
        leaseTransitions: 41,
      },
    } as LeaseObject);

    const from = performance.now();
    await using one = new Stander(name, "one", { ...quick, leaseDuration: 8000 });
    const leader = await one.leads();

    const waited = performance.now() - from;
    expect(waited).to.be.within(seconds * 1000 - 50, seconds * 1000 + 3000); // a busy machine
    expect(leader.token).to.equal(42);
  });

  it("tells metrics and the log who leads, and records an Event", async () => {
    const metrics = new Metrics({ process: false });
    const lines: string[] = [];
    const logger = createLogger({ output: { write: (line) => void lines.push(line) } });
    const events: unknown[] = [];
    const recorder = { event: (...told: readonly unknown[]): void => void events.push(told) };
    const name = aName();
    const one = new Stander(name, "one", {
      metrics: metrics.election("x"),
      logger,
      events: recorder,
    });
    await one.leads();

    expect(await metrics.text()).to.contain('leader_election_master_status{name="x"} 1');
    one.stop.abort();
    await one.ended;

    expect(await metrics.text()).to.contain('leader_election_master_status{name="x"} 0');
    expect(lines.map((line) => JSON.parse(line).msg)).to.deep.equal([
      "waiting for the lease",
      "became leader",
      "released the lease",
    ]);
    expect(events).to.deep.equal([
      [
        { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { namespace, name } },
        { type: "Normal", reason: "LeaderElection", message: "one became leader" },
      ],
    ]);
  });

  it("waits for a server that is away, and says so once", async () => {
    const lines: string[] = [];
    const logger = createLogger({ output: { write: (line) => void lines.push(line) } });
    await using nowhere = connect({ server: "https://127.0.0.1:1" });
    const one = new Stander(aName(), "one", { client: nowhere, logger });

    await eventually(() => lines.some((line) => line.includes("cannot read")), { within: 8000 });
    await systemClock.sleep(1000);
    one.stop.abort();

    expect(await one.ended).to.equal("stopped");
    expect(lines.filter((line) => line.includes("cannot read"))).to.have.length(1);
  });

  it("runs once at a time", async () => {
    await using one = new Stander(aName(), "one");

    const second = one.election.run(one.stop.signal, { onStarted: () => undefined });

    expect(await second.catch((error: Error) => error.message)).to.equal(
      "this election runs already",
    );
  });
});
