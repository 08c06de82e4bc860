import { Token, type User } from "@drover/crds";
import { aToken, aUser } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { createExtToken } from "@drover/platform";
import { expect } from "chai";
import {
  alarms,
  type Client,
  type Clock,
  intercept,
  isAlreadyExists,
  refTo,
  systemClock,
} from "kopf-ts";
import { Namespace, Secret } from "kopf-ts/kinds";
import { eventually, fakeClock } from "kopf-ts/testing";
import { cluster, RunningConcern } from "../../testing/concern.ts";
import { extTokenOwner, tokenOwner } from "./index.ts";

const minute = 60_000;
const namespace = "cattle-tokens";
const label = "authn.management.cattle.io/token-userId";

const requests = ({ sent }: RunningConcern, verb: string) =>
  sent.filter((each) => each.verb === verb && each.resource !== "events.events.k8s.io");

async function runs(concern: RunningConcern, count: number): Promise<boolean> {
  const series = 'controller_runtime_reconcile_total{controller="token-owner"';
  const again = await concern.metric(`${series},result="requeue_after"}`);
  return again + (await concern.metric(`${series},result="success"}`)) >= count;
}

/** All that is created now has been there for long. */
const later = (): Clock => {
  const ahead = { ...systemClock, now: () => Date.now() + 60 * minute };
  return { ...ahead, at: alarms(ahead) };
};

describe("token-owner on an API server", function () {
  this.timeout(60_000);

  before(async () => {
    await cluster();
    await using concern = await RunningConcern.open();
    await concern.client.create(refTo(Namespace, namespace)).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  });

  it("asks for nothing where the user exists", async () => {
    await using concern = await RunningConcern.open();
    const user = await concern.create(aUser());
    await concern.run(tokenOwner());

    const token = await concern.create(aToken({ userId: user.metadata.name }));
    await eventually(() => runs(concern, 1));
    await concern.client.patch(token, { merge: { description: "touched" } });
    await eventually(() => runs(concern, 2));

    expect(concern.sent.filter(({ verb }) => verb === "patch" || verb === "get")).to.deep.equal([]);
  });

  it("deletes the tokens of a user that goes, and no others", async () => {
    await using concern = await RunningConcern.open({ clock: later() });
    const [user, other] = [await concern.create(aUser()), await concern.create(aUser())];
    const of = ({ metadata: { name } }: User): Token =>
      aToken({ userId: name, metadata: { labels: { [label]: name } } });
    const tokens = [await concern.create(of(user)), await concern.create(of(user))];
    const kept = await concern.create(of(other));
    await concern.run(tokenOwner());
    await eventually(() => runs(concern, 3));

    await concern.client.delete(user);

    for (const token of tokens) {
      await eventually(async () => (await concern.find(Token, token)) === undefined);
    }
    expect(await concern.find(Token, kept)).to.not.equal(undefined);
    await eventually(() => requests(concern, "delete").length === 2);
  });

  it("deletes a token whose user went while nobody looked", async () => {
    await using concern = await RunningConcern.open({ clock: later() });
    const token = await concern.create(aToken({ userId: uniqueName("gone") }));

    await concern.run(tokenOwner());

    await eventually(async () => (await concern.find(Token, token)) === undefined);
    const line = await eventually(() =>
      concern.lines.find((each) => each.includes("user is no more")),
    );
    expect(JSON.parse(line)).to.include({ level: "info", name: token.metadata.name });
  });

  it("gives a token five minutes for its user to come", async () => {
    const clock = fakeClock(Date.now());
    await using concern = await RunningConcern.open({ clock });
    await concern.run(tokenOwner());
    const [early, orphan] = [aUser(), uniqueName("gone")];
    const token = await concern.create(aToken({ userId: early.metadata.name }));
    const lost = await concern.create(aToken({ userId: orphan }));
    await eventually(() => runs(concern, 2));

    await clock.advance(4 * minute);
    await concern.create(early);
    const before = requests(concern, "delete").length;
    await clock.advance(2 * minute);

    await eventually(async () => {
      await clock.advance(100); // its turn, which comes after that of the other
      return (await concern.find(Token, lost)) === undefined;
    });
    expect(before).to.equal(0);
    expect(await concern.find(Token, token)).to.not.equal(undefined);
  });

  it("keeps a token whose user is there, whatever the cache shows", async () => {
    const user = aUser();
    let looks = 0;
    const made: { client?: Client } = {};
    const through = (own: Client): Client => {
      const client = intercept(own, {});
      const find: Client["find"] = async (kind, name, options) => {
        const isHers = name === user.metadata.name;
        if (isHers && looks === 0) await made.client?.create(user); // the cache cannot know yet
        if (isHers) looks += 1;
        return client.find(kind, name, options);
      };
      return { ...client, find };
    };
    await using concern = await RunningConcern.open({ clock: later(), through });
    made.client = concern.client;
    await concern.run(tokenOwner());

    const token = await concern.create(aToken({ userId: user.metadata.name }));
    const lost = await concern.create(aToken({ userId: uniqueName("gone") }));
    await eventually(async () => (await concern.find(Token, lost)) === undefined);
    await eventually(() => looks > 0);

    expect(await concern.find(Token, token)).to.not.equal(undefined);
    await eventually(() => requests(concern, "delete").length === 1);
  });

  it("leaves a token alone that names no user", async () => {
    await using concern = await RunningConcern.open({ clock: later() });
    await concern.run(tokenOwner());
    const { userId: _, ...nobodys } = aToken();

    const token = await concern.create(nobodys);
    await eventually(() => runs(concern, 1));

    expect(await concern.find(Token, token)).to.not.equal(undefined);
    expect(requests(concern, "get")).to.deep.equal([]);
    expect(requests(concern, "patch")).to.deep.equal([]);
  });
});

describe("ext-token-owner on an API server", function () {
  this.timeout(60_000);

  it("deletes the ext tokens of a user that goes, and no others", async () => {
    await using concern = await RunningConcern.open({ clock: later() });
    const { client, label: test } = concern;
    const [user, other] = [await concern.create(aUser()), await concern.create(aUser())];
    const settings = { milliseconds: () => 600 * minute };
    const make = async ({ metadata: { name: userId } }: User): Promise<Secret> => {
      const principal = { metadata: { name: `local://${userId}` } };
      const request = { userId, principal, kind: "session", provider: "local" };
      const metadata = { labels: { test } };
      const deps = { client, settings, now: Date.now() };
      const { token } = await createExtToken({ ...request, metadata }, deps);
      return client.get(Secret, token.name, { namespace });
    };
    const [token, kept] = [await make(user), await make(other)];
    await concern.run(extTokenOwner());

    await client.delete(user);

    await eventually(async () => (await concern.find(Secret, token)) === undefined);
    expect(await concern.find(Secret, kept)).to.not.equal(undefined);
    await eventually(() => requests(concern, "delete").length === 1);
  });
});
