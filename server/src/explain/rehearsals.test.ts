import { installCrds, kinds, User } from "@drover/crds";
import { aUser } from "@drover/crds/testing";
import { testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import {
  type AnyController,
  type Client,
  type Controller,
  connect,
  done,
  loadConfig,
  silentLogger,
} from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { clusterAt, forget, nowhere, SilentServer } from "../away.test.support.ts";
import { rehearseAll } from "./rehearsals.ts";

const idle: Controller<User> = {
  name: "idle",
  watches: User,
  hub: true,
  reconcile: async () => done,
};
const other: Controller<User> = { ...idle, name: "other" };
const inCluster = (controller: Controller<User>) => ({
  controller: controller as AnyController,
  isDownstream: true,
});
const progress = (): void => undefined;

describe("rehearseAll", function () {
  this.timeout(60_000);

  let hub: Client;

  before(async () => {
    const plane = await testEnv();
    hub = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }), { kinds });
    await installCrds(hub, { log: silentLogger, signal: AbortSignal.timeout(60_000) });
  });
  after(() => hub?.[Symbol.asyncDispose]());

  it("asks eight clusters at once, those that are away last, and tells of each why it cannot", async () => {
    await using silent = await SilentServer.open();
    const names = await Promise.all(Array.from({ length: 12 }, () => clusterAt(silent.url, hub)));
    const assignments = names.map((cluster, at) => ({
      ...{ cluster, isAway: at < 4 },
      concerns: [inCluster(idle), inCluster(other)],
    }));
    const abort = new AbortController();
    const told: number[] = [];

    const parts = rehearseAll(aUser({ metadata: { name: "u-x" } }), assignments, {
      ...{ hub, signal: abort.signal },
      progress: (answered) => told.push(answered),
    });
    await eventually(() => silent.sockets.length >= 8, { within: 8000 });
    const most = silent.sockets.length;
    abort.abort(new Error("time is up"));

    const reason = (at: number) => `${at < 4 ? "not asked: " : ""}time is up`;
    expect(await parts).to.deep.equal(
      names.flatMap((cluster, at) =>
        [idle, other].map(({ name }) => ({ concern: name, cluster, obstacle: reason(at) })),
      ),
    );
    expect(most).to.equal(8);
    expect(told).to.deep.equal(Array.from({ length: 13 }, (_, at) => at));
    await Promise.all(names.map((name) => forget(name, hub)));
  });

  it("tells of the others where one cluster is away", async () => {
    const user = await hub.create(aUser({ metadata: { name: uniqueName("u") } }));
    const away = await clusterAt(nowhere, hub);
    const concerns = [inCluster(idle)];
    const assignments = [
      { cluster: away, concerns, isAway: false },
      { cluster: "local", concerns, isAway: false },
    ];
    const { signal } = new AbortController();

    const [first, second] = await rehearseAll(user, assignments, { hub, signal, progress });

    expect(first).to.include({ concern: "idle", cluster: away });
    expect(first?.obstacle).to.match(/127\.0\.0\.1:1 cannot be reached/);
    expect(second).to.deep.include({ concern: "idle", cluster: "local" });
    expect(second?.rehearsal).to.deep.include({ writes: [], owned: [] });
    await forget(away, hub);
  });

  it("tells of the other concerns where one cannot be told", async () => {
    const user = await hub.create(aUser({ metadata: { name: uniqueName("u") } }));
    const wrong = inCluster({ ...idle, name: "wrong\n" }); // no field manager can have that name
    const assignments = [{ cluster: "local", concerns: [wrong, inCluster(idle)], isAway: false }];
    const { signal } = new AbortController();

    const [first, second] = await rehearseAll(user, assignments, { hub, signal, progress });

    expect(first?.obstacle).to.match(/its field manager/);
    expect(second?.rehearsal).not.to.equal(undefined);
  });
});
