import { Setting, User, UserAttribute } from "@drover/crds";
import { aSetting, aUser, aUserAttribute } from "@drover/crds/testing";
import { type ControlPlane, startControlPlane, uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Client, intercept, refTo } from "kopf-ts";
import { eventually, type FakeClock, fakeClock } from "kopf-ts/testing";
import { install, RunningConcern } from "../../testing/concern.ts";
import { eventsAbout } from "../../testing/events.ts";
import { userRetention } from "./index.ts";

const second = 1_000;
const hour = 3_600 * second;
const beforeMidnight = Date.parse("2026-06-01T23:59:50Z");
const login = (hoursAgo: number): string =>
  new Date(beforeMidnight - hoursAgo * hour).toISOString().replace(".000", "");
const env = {
  CATTLE_DISABLE_INACTIVE_USER_AFTER: "240h",
  CATTLE_DELETE_INACTIVE_USER_AFTER: "400h",
};
const patient = { within: 10_000 };

describe("user-retention on an API server", function () {
  this.timeout(90_000);

  // A control plane of its own: the setting has one name, and every user there is concerned.
  let controlPlane: ControlPlane;
  let clock: FakeClock;

  before(async () => {
    controlPlane = await startControlPlane({ name: "retention", controllerManager: false });
    await install(controlPlane);
  });

  beforeEach(() => {
    clock = fakeClock(beforeMidnight);
  });

  afterEach(async () => {
    await using concern = await RunningConcern.open({ controlPlane });
    for (const kind of [User, UserAttribute, Setting]) await concern.client.deleteCollection(kind);
  });

  after(() => controlPlane[Symbol.asyncDispose]());

  it("case 90: disables and deletes by age at the time of the cron, and spares admin, system and unknown users", async () => {
    await using concern = await RunningConcern.open({ controlPlane, clock });
    const active = await aKnownUser(concern, login(1));
    const idle = await aKnownUser(concern, login(241));
    const gone = await aKnownUser(concern, login(401));
    const admin = await aKnownUser(concern, login(9_999), { username: "admin" });
    const system = await aKnownUser(concern, login(9_999), { principalIds: ["system://local"] });
    const unknown = (await concern.create(aUser())).metadata.name;
    const neverIn = await aKnownUser(concern, undefined);
    await begin(concern, { env, metrics: concern.metrics });

    const early = await concern.client.get(User, gone);
    await clock.advance(15 * second);
    await finished(concern);
    await concern.flush();

    expect(early.metadata.name).to.equal(gone);
    expect(await concern.client.find(User, gone)).to.equal(undefined);
    expect((await concern.client.get(User, idle)).enabled).to.equal(false);
    for (const name of [active, admin, system, unknown, neverIn]) {
      expect((await concern.client.get(User, name)).enabled, name).to.equal(true);
    }
    expect(await concern.metric('drover_inactive_users_total{action="deleted"}')).to.equal(1);
    expect(await concern.metric('drover_inactive_users_total{action="disabled"}')).to.equal(1);
    expect(await eventsAbout(concern.client, idle)).to.deep.equal([
      `InactiveUserDisabled: disabled the user, whose last login was at ${login(241)}`,
    ]);
    expect(await eventsAbout(concern.client, gone)).to.deep.equal([
      `InactiveUserDeleted: deleted the user, whose last login was at ${login(401)}`,
    ]);
  });

  it("case 90: changes nothing in a dry run, and says what it would do", async () => {
    await using concern = await RunningConcern.open({ controlPlane, clock });
    const [idle, gone] = [
      await aKnownUser(concern, login(241)),
      await aKnownUser(concern, login(401)),
    ];
    const dry = { ...env, CATTLE_USER_RETENTION_DRY_RUN: "true" };
    await begin(concern, { env: dry, metrics: concern.metrics });

    await clock.advance(15 * second);
    await finished(concern);
    await concern.flush();

    expect(writes(concern)).to.deep.equal([]);
    expect((await concern.client.get(User, idle)).enabled).to.equal(true);
    const told = concern.lines.filter((line) => line.includes("dry run: would retire"));
    expect(
      told.map((line) => JSON.parse(line)).map(({ user, action }) => ({ user, action })),
    ).to.have.deep.members([
      { user: idle, action: "disable" },
      { user: gone, action: "delete" },
    ]);
    expect(await concern.metric('drover_inactive_users_total{action="deleted"}')).to.equal(0);
    expect(await eventsAbout(concern.client, idle)).to.deep.equal([]);
  });

  it("case 90: counts from the default where no login is known, and skips such users without it", async () => {
    await using concern = await RunningConcern.open({ controlPlane, clock });
    const neverIn = await aKnownUser(concern, undefined);
    await begin(concern, { env: { ...env, CATTLE_USER_LAST_LOGIN_DEFAULT: login(241) } });

    await clock.advance(15 * second);
    await finished(concern);

    expect((await concern.client.get(User, neverIn)).enabled).to.equal(false);
  });

  it("follows the settings as they are when it looks", async () => {
    await using concern = await RunningConcern.open({ controlPlane, clock });
    const idle = await aKnownUser(concern, login(241));
    const after = await concern.create(
      aSetting({ metadata: { name: "disable-inactive-user-after" }, value: "" }),
    );
    const cron = await begin(concern, { env: {} }, "");

    await clock.advance(15 * second);
    const early = (await concern.client.get(User, idle)).enabled;
    await concern.client.patch(after, { merge: { value: "240h" } });
    await concern.client.patch(cron, { merge: { value: "*/5 * * * *" } });
    await eventually(async () => {
      await clock.advance(60 * second);
      return (await concern.client.get(User, idle)).enabled === false;
    }, patient);

    expect(early).to.equal(true);
  });

  it("spares who logs in at the last moment, when no cache knows yet", async () => {
    const test: { client?: Client } = {};
    let read = 0;
    const late = (client: Client): Client => ({
      ...intercept(client, {}),
      find: async (kind, name, options) => {
        read += 1;
        await test.client?.patch(refTo(UserAttribute, name), { merge: { lastLogin: login(0) } });
        return client.find(kind, name, options);
      },
    });
    await using concern = await RunningConcern.open({ controlPlane, clock, through: late });
    test.client = concern.client;
    const name = await aKnownUser(concern, login(9_999));
    await begin(concern, { env });

    await clock.advance(15 * second);
    await finished(concern);

    expect(read).to.equal(1);
    expect(await concern.client.find(User, name)).not.to.equal(undefined);
    expect(writes(concern)).to.deep.equal([]);
  });

  it("leaves a user that changes at the last moment, and goes on with the others", async () => {
    const test: { client?: Client } = {};
    const names: string[] = [];
    let meddled: string | undefined;
    const meddling = (client: Client): Client =>
      intercept(client, {
        beforeWrite: async (verb, ref) => {
          if (verb !== "delete" || meddled !== undefined || ref === undefined) return;
          meddled = ref.metadata.name;
          await test.client?.patch(refTo(User, meddled), { merge: { description: "I am here" } });
        },
      });
    await using concern = await RunningConcern.open({ controlPlane, clock, through: meddling });
    test.client = concern.client;
    for (let i = 0; i < 3; i += 1) names.push(await aKnownUser(concern, login(401)));
    await begin(concern, { env });

    await clock.advance(15 * second);
    await finished(concern);

    const left = await concern.client.list(User);
    expect(left.items.map(({ metadata }) => metadata.name)).to.deep.equal([meddled]);
  });

  it("takes its time for many, and asks nothing between its rounds", async () => {
    await using concern = await RunningConcern.open({ controlPlane, clock });
    for (let i = 0; i < 7; i += 1) await aKnownUser(concern, login(401));
    await begin(concern, { env, pace: { perSecond: 3 } });

    await eventually(async () => {
      await clock.advance(second);
      return writes(concern).length > 0;
    }, patient);
    await eventually(() => writes(concern).length === 3, patient);
    const first = writes(concern).length;
    await eventually(async () => {
      await clock.advance(second);
      return concern.lines.some((line) => line.includes('"looked for inactive users"'));
    }, patient);
    await concern.flush();
    const all = writes(concern).length;
    const asked = concern.sent.length;
    await clock.advance(12 * hour);

    expect([first, all]).to.deep.equal([3, 7]);
    expect(concern.sent.length).to.equal(asked);
  });
});

function cronSetting(value: string): Setting {
  return aSetting({ metadata: { name: "user-retention-cron" }, value, default: "" });
}

/** Starts the concern once it has a cron to follow. */
async function begin(
  concern: RunningConcern,
  options: Parameters<typeof userRetention>[0],
  cron = "0 0 * * *",
): Promise<Setting> {
  const setting = await concern.create(cronSetting(cron));
  await concern.run(userRetention(options));
  const runs = async (): Promise<number> =>
    (await concern.metric(
      'controller_runtime_reconcile_total{controller="user-retention",result="success"}',
    )) +
    (await concern.metric(
      'controller_runtime_reconcile_total{controller="user-retention",result="requeue_after"}',
    ));
  await eventually(async () => (await runs()) > 0, patient);
  return setting;
}

async function finished(concern: RunningConcern): Promise<void> {
  await eventually(
    () => concern.lines.some((line) => line.includes('"looked for inactive users"')),
    patient,
  );
}

async function aKnownUser(
  { client }: RunningConcern,
  lastLogin: string | undefined,
  fields: Partial<User> = {},
): Promise<string> {
  const name = uniqueName("user");
  await client.create(
    aUserAttribute({ metadata: { name }, ...(lastLogin === undefined ? {} : { lastLogin }) }),
  );
  await client.create(aUser({ ...fields, metadata: { name } }));
  return name;
}

function writes({ sent }: RunningConcern): readonly string[] {
  return sent
    .filter(({ verb, resource }) => !/get|list|watch/.test(verb) && !resource.includes("events"))
    .map(({ verb, resource }) => `${verb} ${resource}`);
}
