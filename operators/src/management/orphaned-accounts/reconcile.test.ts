import { Cluster, User } from "@drover/crds";
import { aCluster, aProject, aUser } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Client, intercept, refTo } from "kopf-ts";
import { eventually, type FakeClock, fakeClock } from "kopf-ts/testing";
import { cluster, RunningConcern } from "../../testing/concern.ts";
import { orphanedAccounts } from "./index.ts";

const hour = 3_600_000;
const patient = { within: 10_000 };

describe("orphaned-accounts on an API server", function () {
  this.timeout(60_000);

  let clock: FakeClock;

  before(() => cluster());

  beforeEach(() => {
    clock = fakeClock(Date.now() + 2 * hour); // all that is created now is old
  });

  it("deletes an account whose cluster is no more, also one that went before the start", async () => {
    await using concern = await RunningConcern.open({ clock });
    const { metadata } = await concern.client.create(aCluster());
    const before = await anAccount(concern, `Cluster ${uniqueName("never")}`);
    const account = await anAccount(concern, `Cluster ${metadata.name}`);
    await concern.run(orphanedAccounts());

    await gone(concern, before);
    const meanwhile = await concern.client.find(User, account);
    await concern.client.delete(refTo(Cluster, metadata.name));
    await gone(concern, account);

    expect(meanwhile).not.to.equal(undefined);
  });

  it("deletes an account whose project is no more, whatever cluster it was in", async () => {
    await using concern = await RunningConcern.open({ clock });
    const namespace = uniqueName("cluster");
    await concern.client.create({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace },
    });
    const spec = { clusterName: namespace, displayName: "x" };
    const project = await concern.client.create(aProject({ metadata: { namespace }, spec }));
    const account = await anAccount(concern, `Project ${project.metadata.name}`);
    const other = await anAccount(concern, `Project ${uniqueName("p")}`);
    await concern.run(orphanedAccounts());

    await gone(concern, other);
    const meanwhile = await concern.client.find(User, account);
    await concern.client.delete(project);
    await gone(concern, account);

    expect(meanwhile).not.to.equal(undefined);
  });

  it("leaves people and accounts of something else", async () => {
    await using concern = await RunningConcern.open({ clock });
    const orphan = await anAccount(concern, `Cluster ${uniqueName("never")}`);
    const other = await concern.create(
      aUser({ displayName: "System account", principalIds: ["system://x"] }),
    );
    const person = await concern.create(
      aUser({ displayName: `System account for Cluster ${uniqueName("never")}` }),
    );
    await concern.run(orphanedAccounts());

    await gone(concern, orphan);

    for (const { metadata } of [other, person]) {
      expect(await concern.client.find(User, metadata.name)).not.to.equal(undefined);
    }
  });

  it("waits an hour for the cluster of a new account", async () => {
    const now = fakeClock(Date.now());
    await using concern = await RunningConcern.open({ clock: now });
    await concern.run(orphanedAccounts());
    const account = await anAccount(concern, `Cluster ${uniqueName("late")}`);
    const series =
      'controller_runtime_reconcile_total{controller="orphaned-accounts",result="requeue_after"}';
    await eventually(async () => (await concern.metric(series)) >= 1, patient);

    await now.advance(0.9 * hour);
    const early = await concern.client.find(User, account);
    await now.advance(0.2 * hour);
    await eventually(async () => {
      await now.advance(1_000); // a run that was in work is out of time by now, and tried again
      return (await concern.client.find(User, account)) === undefined;
    }, patient);

    expect(early).not.to.equal(undefined);
  });

  it("asks the server before it deletes: the cache may not know the cluster yet", async () => {
    const test: { client?: Client } = {};
    const name = uniqueName("new");
    let asked = 0;
    const late = (client: Client): Client => ({
      ...intercept(client, {}),
      find: async (kind, wanted, options) => {
        asked += 1;
        await test.client?.create(aCluster({ metadata: { name } }));
        return client.find(kind, wanted, options);
      },
    });
    await using concern = await RunningConcern.open({ clock, through: late });
    test.client = concern.client;
    const account = await anAccount(concern, `Cluster ${name}`);
    await concern.run(orphanedAccounts());

    const series =
      'controller_runtime_reconcile_total{controller="orphaned-accounts",result="success"}';
    await eventually(async () => (await concern.metric(series)) >= 1, patient);

    expect(asked).to.equal(1);
    expect(await concern.client.find(User, account)).not.to.equal(undefined);
    expect(concern.sent.filter(({ verb }) => verb === "delete")).to.deep.equal([]);
  });
});

async function anAccount(concern: RunningConcern, of: string): Promise<string> {
  const fields = {
    displayName: `System account for ${of}`,
    principalIds: [`system://${uniqueName("x")}`],
  };
  return (await concern.create(aUser(fields))).metadata.name;
}

async function gone({ client }: RunningConcern, user: string): Promise<void> {
  await eventually(async () => (await client.find(User, user)) === undefined, patient);
}
