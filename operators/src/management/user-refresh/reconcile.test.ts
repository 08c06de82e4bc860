import { type Principal, Setting, Token, User, UserAttribute } from "@drover/crds";
import { aSetting, aToken, aUser, aUserAttribute } from "@drover/crds/testing";
import { type ControlPlane, startControlPlane, uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Client, intercept, PermanentError, refTo } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { eventually, fakeClock } from "kopf-ts/testing";
import { install, RunningConcern } from "../../testing/concern.ts";
import { eventsAbout } from "../../testing/events.ts";
import { userRefresh, userResync } from "./index.ts";
import { type GroupProvider, localProvider, NoAccess } from "./provider.ts";

const second = 1_000;
const errorKey = "authn.management.cattle.io/refresh-error";
const patient = { within: 10_000 };

/** A provider whose answers a test gives, one after the other; the last one stays. */
function answering(...answers: readonly (readonly Principal[] | Error)[]): GroupProvider & {
  readonly asked: readonly string[];
} {
  const asked: string[] = [];
  const groups = async (principal: string): Promise<readonly Principal[]> => {
    asked.push(principal);
    const answer = answers[Math.min(asked.length, answers.length) - 1] ?? [];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { name: "github", scheme: "github_user://", groups, asked };
}

/** Refuses everybody, so that only other providers matter. */
const closedLocal: GroupProvider = {
  ...localProvider,
  groups: () => Promise.reject(new NoAccess("nobody")),
};
const org: Principal = { metadata: { name: "github_org://1" }, principalType: "group" };

describe("user-refresh on an API server", function () {
  this.timeout(90_000);

  // A control plane of its own: the setting of user-resync has one name, and every user there is concerned.
  let controlPlane: ControlPlane;

  before(async () => {
    controlPlane = await startControlPlane({ name: "refresh", controllerManager: false });
    await install(controlPlane);
    await using concern = await RunningConcern.open({ controlPlane });
    await concern.client.create({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "cattle-tokens" },
    });
  });

  afterEach(async () => {
    await using concern = await RunningConcern.open({ controlPlane });
    for (const kind of [User, UserAttribute, Setting]) await concern.client.deleteCollection(kind);
  });

  after(() => controlPlane[Symbol.asyncDispose]());

  it("reads the groups of who asks for it, and of nobody else", async () => {
    await using concern = await RunningConcern.open({ controlPlane });
    const github = answering([org]);
    await concern.run(userRefresh({ providers: [localProvider, github] }));
    const calm = await aPerson(concern, { NeedsRefresh: false });

    const before = Date.now();
    const name = await aPerson(concern, { NeedsRefresh: true });
    const attribute = await refreshed(concern, name);

    expect(github.asked).to.deep.equal([`github_user://${name}`]);
    expect(attribute.GroupPrincipals).to.deep.equal({
      local: {},
      github: { Items: [org] },
    });
    expect(Date.parse(attribute.LastRefresh ?? "")).to.be.within(before - second, Date.now());
    expect((await concern.client.get(UserAttribute, calm)).LastRefresh).to.equal(undefined);
  });

  it("does the bookkeeping of local users, whose tokens stay, also of a user that names no principal yet", async () => {
    await using concern = await RunningConcern.open({ controlPlane });
    await concern.run(userRefresh());

    const name = await aPerson(concern, { NeedsRefresh: true }, []);
    const tokens = await tokensFor(concern, name, "local");
    await refreshed(concern, name);

    expect(await states(concern, tokens)).to.deep.equal(["on", "on", "on", "on"]);
  });

  it("deletes login tokens and disables derived ones when nobody lets the user in", async () => {
    await using concern = await RunningConcern.open({ controlPlane });
    const name = uniqueName("user");
    const tokens = await tokensFor(concern, name, "github");
    const others = await tokensFor(concern, uniqueName("other"), "github");
    const github = answering(new NoAccess("dismissed"));
    await concern.run(userRefresh({ providers: [closedLocal, github] }));

    await aPerson(concern, { NeedsRefresh: true, metadata: { name } });
    await refreshed(concern, name);
    await concern.flush();

    expect(await states(concern, tokens)).to.deep.equal(["gone", "off", "gone", "off"]);
    expect(await states(concern, others)).to.deep.equal(["on", "on", "on", "on"]);
    expect(await eventsAbout(concern.client, name)).to.deep.equal([
      "AccessLost: deleted 2 login tokens and disabled 2 derived ones: the user may not log in any more",
    ]);
  });

  it("keeps derived tokens while another provider lets the user in", async () => {
    await using concern = await RunningConcern.open({ controlPlane });
    const name = uniqueName("user");
    const tokens = await tokensFor(concern, name, "github");
    const github = answering(new NoAccess("dismissed"));
    await concern.run(userRefresh({ providers: [localProvider, github] }));

    await aPerson(concern, { NeedsRefresh: true, metadata: { name } });
    await refreshed(concern, name);

    expect(await states(concern, tokens)).to.deep.equal(["gone", "on", "gone", "on"]);
  });

  it("tries again when a provider is away, and ends nothing meanwhile", async () => {
    await using concern = await RunningConcern.open({ controlPlane });
    const github = answering(new Error("away"), new Error("still away"), [org]);
    await concern.run(userRefresh({ providers: [closedLocal, github] }));
    const name = uniqueName("user");
    const tokens = await tokensFor(concern, name, "github");

    await aPerson(concern, { NeedsRefresh: true, metadata: { name } });
    const attribute = await refreshed(concern, name);

    expect(github.asked).to.have.length(3);
    expect(attribute.GroupPrincipals?.github).to.deep.equal({ Items: [org] });
    expect(await states(concern, tokens)).to.deep.equal(["on", "on", "on", "on"]);
  });

  it("notes an error for good, keeps the groups, and does not ask again by itself", async () => {
    await using concern = await RunningConcern.open({ controlPlane });
    const github = answering(new PermanentError("invalid_grant"), [org]);
    await concern.run(userRefresh({ providers: [localProvider, github] }));

    const name = await aPerson(concern, {
      NeedsRefresh: true,
      GroupPrincipals: { github: { Items: [org] } },
    });
    const failed = await refreshed(concern, name);
    const asked = github.asked.length;
    await concern.client.patch(refTo(UserAttribute, name), { merge: { NeedsRefresh: true } });
    const healed = await refreshed(concern, name);
    await concern.flush();

    expect(asked).to.equal(1);
    expect(failed.metadata.annotations).to.include({ [errorKey]: "github: invalid_grant" });
    expect(failed.GroupPrincipals?.github).to.deep.equal({ Items: [org] });
    expect(healed.metadata.annotations ?? {}).not.to.have.property(errorKey);
    expect(await eventsAbout(concern.client, name)).to.deep.equal([
      "RefreshFailed: groups cannot be read until the user logs in: github: invalid_grant",
    ]);
  });

  it("overwrites no login that comes meanwhile", async () => {
    const test: { client?: Client } = {};
    let logins = 0;
    const meddling = (client: Client): Client =>
      intercept(client, {
        beforeWrite: async (verb, ref) => {
          if (verb !== "patch" || ref?.kind !== "UserAttribute" || logins > 0) return;
          logins += 1;
          await test.client?.patch(refTo(UserAttribute, ref.metadata.name), {
            merge: { lastLogin: "2026-01-01T00:00:00Z", NeedsRefresh: false },
          });
        },
      });
    await using concern = await RunningConcern.open({ controlPlane, through: meddling });
    test.client = concern.client;
    await concern.run(userRefresh({ providers: [answering([org])] }));

    const name = await aPerson(concern, { NeedsRefresh: true });
    await refreshed(concern, name);

    const { lastLogin, LastRefresh } = await concern.client.get(UserAttribute, name);
    expect(lastLogin).to.equal("2026-01-01T00:00:00Z");
    expect(LastRefresh).to.equal(undefined); // the login did it
  });

  it("user-resync asks for everybody's groups at the time of the cron, a few at a time", async () => {
    const clock = fakeClock(Date.parse("2026-06-01T23:59:50Z"));
    await using concern = await RunningConcern.open({ controlPlane, clock });
    const people = [];
    for (let i = 0; i < 5; i += 1) people.push(await aPerson(concern, {}));
    const system = await aPerson(concern, {}, ["system://local"]);
    await concern.client.create(aUserAttribute({ metadata: { name: uniqueName("orphan") } }));
    await concern.create(
      aSetting({ metadata: { name: "auth-user-info-resync-cron" }, value: "0 0 * * *" }),
    );
    await concern.run(userResync({ env: {}, pace: { perSecond: 3 } }));
    const series =
      'controller_runtime_reconcile_total{controller="user-resync",result="requeue_after"}';
    await eventually(async () => (await concern.metric(series)) === 1, patient);

    const early = await asking(concern);
    await clock.advance(11 * second);
    await eventually(async () => (await concern.metric(series)) === 2, patient);
    const first = await asking(concern);
    await eventually(async () => {
      await clock.advance(second);
      return (await asking(concern)).length === 5;
    }, patient);

    expect(early).to.deep.equal([]);
    expect(first.length).to.be.within(1, 3);
    expect((await asking(concern)).toSorted()).to.deep.equal(people.toSorted());
    expect((await concern.client.get(UserAttribute, system)).NeedsRefresh).to.equal(false);
  });
});

/** A user of GitHub, or of other principals, and what is known of it; the concern sees the attributes. */
async function aPerson(
  concern: RunningConcern,
  fields: Parameters<typeof aUserAttribute>[0],
  principalIds?: readonly string[],
): Promise<string> {
  const name = fields?.metadata?.name ?? uniqueName("user");
  const ids = principalIds ?? [`local://${name}`, `github_user://${name}`];
  await concern.client.create(aUser({ metadata: { name }, principalIds: ids }));
  await concern.create(aUserAttribute({ ...fields, metadata: { name } }));
  return name;
}

async function refreshed({ client }: RunningConcern, name: string): Promise<UserAttribute> {
  return eventually(async () => {
    const attribute = await client.get(UserAttribute, name);
    return attribute.NeedsRefresh === false ? attribute : undefined;
  }, patient);
}

/** A login token and a derived one of each store. */
async function tokensFor(
  { client }: RunningConcern,
  userId: string,
  provider: string,
): Promise<readonly (Token | Secret)[]> {
  const v3 = (isDerived: boolean) => aToken({ userId, authProvider: provider, isDerived });
  return [
    await client.create(v3(false)),
    await client.create(v3(true)),
    await client.create(anExtToken(userId, provider, "session")),
    await client.create(anExtToken(userId, provider, "kubeconfig")),
  ];
}

function anExtToken(userId: string, provider: string, kind: string): Secret {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: uniqueName("token"),
      namespace: "cattle-tokens",
      labels: { "cattle.io/kind": "token", "cattle.io/user-id": userId },
    },
    stringData: {
      kind,
      "user-id": userId,
      "kube-uid": "uid",
      hash: "$3:1:abc:def",
      enabled: "true",
      ttl: "3600000",
      "last-update-time": "2026-01-01T00:00:00Z",
      principal: JSON.stringify({ name: `${provider}_user://1`, provider }),
    },
  };
}

/** Whether each token is on, off or gone. */
async function states(
  { client }: RunningConcern,
  tokens: readonly (Token | Secret)[],
): Promise<readonly string[]> {
  return Promise.all(
    tokens.map(async ({ kind, metadata: { name, namespace } }) => {
      if (kind === "Token") {
        const token = await client.find(Token, name);
        if (token === undefined) return "gone";
        return token.enabled === false ? "off" : "on";
      }
      const secret = await client.find(Secret, name, { namespace });
      if (secret === undefined) return "gone";
      const enabled = Buffer.from(secret.data?.enabled ?? "", "base64").toString();
      return enabled === "true" ? "on" : "off";
    }),
  );
}

/** Names of users whose refresh is asked for. */
async function asking({ client }: RunningConcern): Promise<readonly string[]> {
  const { items } = await client.list(UserAttribute);
  return items.filter(({ NeedsRefresh }) => NeedsRefresh).map(({ metadata }) => metadata.name);
}
