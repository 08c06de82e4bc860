import { Token } from "@drover/crds";
import { aToken } from "@drover/crds/testing";
import { startControlPlane } from "@drover/env";
import { expect } from "chai";
import { alarms, type Client, type Clock, intercept, refTo, systemClock } from "kopf-ts";
import { eventually, fakeClock } from "kopf-ts/testing";
import { cluster, RunningConcern } from "../../testing/concern.ts";
import { eventsOf } from "../../testing/events.ts";
import { tokenPurge } from "./index.ts";
import { holdToken } from "./testing/hold.ts";
import { serveTokensWithoutSchema } from "./testing/schemaless.ts";

const second = 1_000;
const minute = 60 * second;
const day = 24 * 60 * minute;
const year = 365 * day;
const purgedTotal = 'drover_tokens_purged_total{store="v3"}';

/** Starts at the server's time, for the server dates what it creates. */
const clockOfNow = () => fakeClock(Date.now());

const expiry = ({ metadata, ttl = 0 }: Token): number =>
  Date.parse(metadata.creationTimestamp ?? "") + ttl;

describe("token-purge on an API server", function () {
  this.timeout(60_000);

  before(() => cluster());

  it("deletes a token at its end, not before and within two seconds", async () => {
    await using concern = await RunningConcern.open();
    await concern.run(tokenPurge());

    const token = await concern.create(aToken({ ttl: 3 * second }));
    await eventually(async () => (await concern.find(Token, token)) === undefined, {
      within: 10 * second,
    });

    expect(Date.now() - expiry(token)).to.be.within(0, 2 * second);
  });

  it("fills in expiresAt, once", async () => {
    await using concern = await RunningConcern.open();
    await concern.run(tokenPurge());

    const token = await concern.create(aToken({ ttl: 90 * day + 999 }));
    const filled = await eventually(async () => (await concern.find(Token, token))?.expiresAt);
    await eventually(() => runs(concern, 2)); // the second for what the first filled in
    await concern.client.patch(token, { merge: { description: "touched" } });
    await eventually(() => runs(concern, 3));

    const expected = new Date(expiry(token) - 999).toISOString().replace(".000", "");
    expect(filled).to.equal(expected);
    expect(writes(concern)).to.deep.equal(["patch tokens.management.cattle.io 200"]);
  });

  it("labels a token with its user in the same write", async () => {
    await using concern = await RunningConcern.open();
    await concern.run(tokenPurge());

    const token = await concern.create(aToken({ ttl: day, userId: "u-ada" }));
    const filled = await eventually(async () => {
      const found = await concern.find(Token, token);
      return found?.expiresAt === undefined ? undefined : found;
    });
    await eventually(() => writes(concern).length > 0); // once it has been answered

    const label = "authn.management.cattle.io/token-userId";
    expect(filled.metadata.labels?.[label]).to.equal("u-ada");
    expect(writes(concern)).to.deep.equal(["patch tokens.management.cattle.io 200"]);
  });

  it("leaves an expiresAt that is there, and does not obey it", async () => {
    await using concern = await RunningConcern.open();
    await concern.run(tokenPurge());

    const past = "2020-01-01T00:00:00Z";
    const token = await concern.create(aToken({ ttl: day, expiresAt: past }));
    await eventually(() => runs(concern, 1));

    expect((await concern.find(Token, token))?.expiresAt).to.equal(past);
    expect(writes(concern)).to.deep.equal([]);
  });

  it("shows up as field manager drover-token-purge", async () => {
    await using concern = await RunningConcern.open();
    await concern.run(tokenPurge());

    const token = await concern.create(aToken({ ttl: day }));
    const filled = await eventually(async () => {
      const found = await concern.find(Token, token);
      return found?.expiresAt === undefined ? undefined : found;
    });

    expect(JSON.stringify(filled.metadata.managedFields)).to.contain('"drover-token-purge"');
  });

  for (const ttl of [0, -1, undefined]) {
    it(`never touches a token of ttl ${ttl}`, async () => {
      const clock = clockOfNow();
      await using concern = await RunningConcern.open({ clock });
      await concern.run(tokenPurge());

      const { ttl: _, ...bare } = aToken();
      const token = await concern.create(ttl === undefined ? bare : { ...bare, ttl });
      await eventually(() => runs(concern, 1));
      clock.setNow(clock.now() + 100 * year);
      await clock.advance(minute);

      expect(writes(concern)).to.deep.equal([]);
      expect((await concern.find(Token, token))?.expiresAt).to.equal(undefined);
    });
  }

  it("keeps a disabled token until its end, and no longer", async () => {
    const clock = clockOfNow();
    await using concern = await RunningConcern.open({ clock });
    await concern.run(tokenPurge());
    const token = await concern.create(aToken({ ttl: day, enabled: false }));
    await eventually(async () => (await concern.find(Token, token))?.expiresAt);

    clock.setNow(expiry(token) - 2 * minute);
    await clock.advance(minute);
    const kept = await concern.find(Token, token);
    clock.setNow(expiry(token));

    expect(kept).to.not.equal(undefined);
    await eventually(() => gone(concern, token, clock));
  });

  it("keeps a token whose end is more than 2^31 ms away", async () => {
    const clock = clockOfNow();
    await using concern = await RunningConcern.open({ clock });
    await concern.run(tokenPurge());
    const token = await concern.create(aToken({ ttl: 90 * day }));
    await eventually(async () => (await concern.find(Token, token))?.expiresAt);

    clock.setNow(expiry(token) - 2 ** 31 - minute);
    await clock.advance(5 * minute);
    const kept = await concern.find(Token, token);
    clock.setNow(expiry(token) + 1);

    expect(kept).to.not.equal(undefined);
    await eventually(() => gone(concern, token, clock));
  });

  it("looks at a token when it comes and when it expires, and at no other time", async () => {
    const clock = clockOfNow();
    await using concern = await RunningConcern.open({ clock });
    const expiresAt = "2020-01-01T00:00:00Z"; // there, so that nothing has to be filled in
    const tokens = [10, 20, 30].map((days) => aToken({ ttl: days * day, expiresAt }));
    const created = await Promise.all(tokens.map((token) => concern.create(token)));
    const [first, ...later] = created;
    if (first === undefined) return;
    await concern.run(tokenPurge());
    await eventually(() => runs(concern, 3));

    await clock.advance(expiry(first) - clock.now() - 1);
    const before = await total(concern);
    const kept = await concern.find(Token, first);
    await clock.advance(1);
    // Once more when it expired, and once because it went.
    await eventually(() => runs(concern, 5));
    await clock.advance(9 * day);

    expect(before).to.equal(3);
    expect(kept).to.not.equal(undefined);
    expect(await total(concern)).to.equal(5);
    expect(deletes(concern)).to.have.length(1);
    for (const token of later) expect(await concern.find(Token, token)).to.not.equal(undefined);
  });

  describe("when the clock is set", () => {
    it("notices within a second that it went forward", async () => {
      const clock = clockOfNow();
      await using concern = await RunningConcern.open({ clock });
      await concern.run(tokenPurge());
      const token = await concern.create(aToken({ ttl: day }));
      await eventually(() => runs(concern, 2)); // the second for what the first filled in
      await eventually(() => clock.pending > 0);

      clock.setNow(clock.now() + 2 * day);
      await clock.advance(second);

      await eventually(async () => (await concern.find(Token, token)) === undefined);
    });

    it("deletes nothing before its end when it went back", async () => {
      const clock = clockOfNow();
      await using concern = await RunningConcern.open({ clock });
      await concern.run(tokenPurge());
      const token = await concern.create(aToken({ ttl: 90 * second }));
      await eventually(async () => (await concern.find(Token, token))?.expiresAt);

      clock.setNow(clock.now() - 60 * minute);
      await clock.advance(10 * minute);
      const kept = await concern.find(Token, token);
      await clock.advance(52 * minute);

      expect(kept).to.not.equal(undefined);
      await eventually(() => gone(concern, token, clock));
    });
  });

  it("tells what it purged by an event, a log line and a metric", async () => {
    await using concern = await RunningConcern.open();
    await concern.run(tokenPurge({ metrics: concern.metrics }));

    const token = await concern.create(aToken({ ttl: 1, userId: "user-ada" }));
    await eventually(async () => (await concern.metric(purgedTotal)) === 1);
    await concern.flush();

    const [event, ...others] = await eventsOf(concern.client, token.metadata.name);
    const message = `deleted the token of user user-ada, which expired at ${token.metadata.creationTimestamp}`;
    expect(others).to.deep.equal([]);
    expect(event).to.include({ type: "Normal", reason: "TokenExpired", action: "Purge" });
    expect(event).to.have.property("note", message);
    expect(event?.regarding.uid).to.equal(token.metadata.uid);
    const line = concern.lines.find((each) => each.includes("deleted expired token"));
    expect(JSON.parse(line ?? "{}")).to.include({ level: "info", name: token.metadata.name });
  });

  it("lets no key of a token out", async () => {
    await using concern = await RunningConcern.open();
    const secret = "kzfn8wqvtb2lxj5hs9cdm4rgpkzfn8wqvtb2lxj5hs9cdm4rgpkzfn";
    await concern.run(tokenPurge({ metrics: concern.metrics }));

    const expired = await concern.create(aToken({ ttl: 1, token: secret }));
    const held = aToken({ ttl: 1, token: secret });
    await using _ = await holdToken(concern.client, held.metadata.name);
    await concern.create(held);
    await concern.create(aToken({ ttl: day, token: secret }));
    await eventually(async () => (await concern.metric(purgedTotal)) === 1);
    await eventually(() => concern.lines.some((line) => line.includes("may not be deleted")));
    await concern.flush();

    const told = JSON.stringify([
      ...concern.lines,
      await eventsOf(concern.client, expired.metadata.name),
      await eventsOf(concern.client, held.metadata.name),
      await concern.metrics.text(),
    ]);
    expect(told).to.contain(expired.metadata.name);
    expect(told).to.not.contain(secret.slice(0, 12));
  });

  it("goes on when one token cannot be deleted, and deletes it once it can be", async () => {
    await using concern = await RunningConcern.open();
    const [held, ...free] = Array.from({ length: 20 }, () => aToken({ ttl: 1 }));
    if (held === undefined) return;
    const block = await holdToken(concern.client, held.metadata.name);
    for (const token of [held, ...free]) await concern.create(token);
    await concern.run(tokenPurge({ metrics: concern.metrics }));

    await eventually(async () => (await concern.metric(purgedTotal)) === 19);
    await eventually(() => concern.lines.some((line) => line.includes("may not be deleted")));
    const kept = await concern.find(Token, held);
    await block[Symbol.asyncDispose]();

    expect(kept).to.not.equal(undefined);
    await eventually(async () => (await concern.find(Token, held)) === undefined, {
      within: 35 * second,
    });
  });

  it("asks once for a token that a finalizer holds, and says that it is marked and for what it waits", async () => {
    await using concern = await RunningConcern.open();
    await concern.run(tokenPurge({ metrics: concern.metrics }));
    const metadata = { finalizers: ["test.dev/hold"] };

    const token = await concern.create(aToken({ ttl: 1, metadata }));
    await eventually(async () => (await concern.metric(purgedTotal)) === 1);
    await concern.client.patch(token, { merge: { description: "touched" } });
    await concern.create(aToken({ ttl: 1 }));
    await eventually(async () => (await concern.metric(purgedTotal)) === 2);
    await concern.flush();

    expect(deletes(concern)).to.have.length(2);
    const about = concern.lines.filter((line) => line.includes(token.metadata.name));
    expect(about.filter((line) => line.includes("deleted expired token"))).to.deep.equal([]);
    const [marked, ...more] = about.filter((line) => line.includes("for deletion"));
    expect(JSON.parse(marked ?? "{}").finalizers).to.deep.equal(["test.dev/hold"]);
    expect(more).to.deep.equal([]);
    const notes = (await eventsOf(concern.client, token.metadata.name)).map(({ note }) => note);
    expect(notes).to.have.length(1);
    expect(notes[0]).to.match(
      /^marked the token of user .*, for deletion; it waits for the finalizers \[test\.dev\/hold\]$/,
    );
    await concern.client.patch(token, { merge: { metadata: { finalizers: null } } });
  });

  describe("of a token that is being deleted", () => {
    const legacy = "controller.cattle.io/cat-token-controller";
    const perCluster = "clusterscoped.controller.cattle.io/cat-token-controller_c-abcde";

    it("removes Rancher's legacy finalizer, so that one that expired goes", async () => {
      await using concern = await RunningConcern.open();
      await concern.run(tokenPurge());

      const token = await concern.create(aToken({ ttl: 1, metadata: { finalizers: [legacy] } }));

      await eventually(async () => (await concern.find(Token, token)) === undefined);
      await eventually(() =>
        concern.lines.some((line) => line.includes("removed a legacy finalizer")),
      );
    });

    for (const { name, more } of [
      { name: "that never expires", more: { ttl: 0 } },
      { name: "that expires later", more: { ttl: day, expiresAt: "2020-01-01T00:00:00Z" } },
    ]) {
      it(`removes it from one ${name} and somebody else deletes`, async () => {
        await using concern = await RunningConcern.open();
        await concern.run(tokenPurge());
        const token = await concern.create(aToken({ ...more, metadata: { finalizers: [legacy] } }));

        await concern.client.delete(token);

        await eventually(async () => (await concern.find(Token, token)) === undefined);
        expect(deletes(concern)).to.deep.equal([]);
      });
    }

    it("removes it from one that was being deleted before we came", async () => {
      await using concern = await RunningConcern.open();
      const token = await concern.create(aToken({ ttl: day, metadata: { finalizers: [legacy] } }));
      await concern.client.delete(token);

      await concern.run(tokenPurge());

      await eventually(async () => (await concern.find(Token, token)) === undefined);
    });

    it("leaves the finalizers of others, in their order", async () => {
      await using concern = await RunningConcern.open();
      const finalizers = ["test.dev/first", legacy, perCluster];
      const token = await concern.create(aToken({ ttl: 1, metadata: { finalizers } }));
      await concern.run(tokenPurge());

      const held = await eventually(async () => {
        const found = await concern.find(Token, token);
        return found?.metadata.finalizers?.includes(legacy) ? undefined : found;
      });

      expect(held.metadata.deletionTimestamp).to.not.equal(undefined);
      expect(held.metadata.finalizers).to.deep.equal(["test.dev/first", perCluster]);
      await concern.client.patch(token, { merge: { metadata: { finalizers: null } } });
    });

    it("has nothing to say about one that is not", async () => {
      await using concern = await RunningConcern.open();
      const metadata = { finalizers: [legacy] };
      await concern.run(tokenPurge());

      const token = await concern.create(aToken({ ttl: 0, metadata }));
      await eventually(() => runs(concern, 1));

      expect(writes(concern)).to.deep.equal([]);
      expect((await concern.find(Token, token))?.metadata.finalizers).to.deep.equal([legacy]);
      await concern.client.patch(token, { merge: { metadata: { finalizers: null } } });
    });
  });

  it("spares a token that was prolonged at the last moment", async () => {
    let [prolonged, tried] = [false, 0];
    const concernAt: { client?: Client } = {};
    const through = (client: Client): Client =>
      intercept(client, {
        beforeWrite: async (verb, ref) => {
          if (verb === "delete") tried += 1;
          if (verb !== "delete" || prolonged || ref === undefined) return;
          prolonged = true;
          const { name } = ref.metadata;
          await concernAt.client?.patch(refTo(Token, name), { merge: { ttl: day } });
        },
      });
    await using concern = await RunningConcern.open({ through });
    concernAt.client = concern.client;
    await concern.run(tokenPurge());

    const token = await concern.create(aToken({ ttl: 1 }));
    await eventually(async () => (await concern.find(Token, token))?.expiresAt);

    expect(tried).to.equal(1);
    expect(
      concern.sent.filter(({ verb }) => verb === "delete").map(({ code }) => code),
    ).to.deep.equal([409]);
  });

  it("survives values that got past validation: an event, no crash, and the others go on", async () => {
    await using plane = await startControlPlane({ name: "loose" });
    await serveTokensWithoutSchema(plane.kubeconfigPath);
    await using concern = await RunningConcern.open({ controlPlane: plane });
    const malformed = { ...aToken(), ttl: "s3cr3t-and-no-number" } as unknown as Token;
    await concern.run(tokenPurge({ metrics: concern.metrics }));

    const bad = await concern.create(malformed);
    const odd = { ...aToken({ ttl: 1 }), userId: { id: 7 } } as unknown as Token;
    const good = await concern.create(odd);
    await eventually(async () => (await concern.find(Token, good)) === undefined);
    await concern.flush();
    const [event] = await eventsOf(concern.client, bad.metadata.name);
    const [purged] = await eventsOf(concern.client, good.metadata.name);
    await concern.client.patch(bad, { merge: { ttl: 1 } });

    expect(event).to.include({ type: "Warning", reason: "InvalidToken" });
    expect(event?.note).to.contain("ttl must be whole milliseconds, but is of type string");
    expect(purged?.note).to.match(/^deleted the token of user unknown, /);
    expect(JSON.stringify([event, concern.lines])).to.not.contain("s3cr3t");
    await eventually(async () => (await concern.find(Token, bad)) === undefined);
  });

  it("deletes old tokens at its pace, whatever the rate of the server", async () => {
    const clock = clockOfNow();
    await using concern = await RunningConcern.open({ clock });
    await createMany(concern, 5);
    await clock.advance(60 * minute);
    await concern.run(tokenPurge({ metrics: concern.metrics, pace: { perSecond: 1 } }));

    await eventually(() => runs(concern, 5));
    const counts = [deletes(concern).length];
    for (let turn = 1; turn < 5; turn += 1) {
      await clock.advance(second);
      await eventually(() => deletes(concern).length > turn);
      counts.push(deletes(concern).length);
    }

    expect(counts).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it("deletes 3,000 old tokens at a bounded rate, and a fresh one in time meanwhile", async function () {
    this.timeout(120_000);
    // An hour ahead of the server: all that is created now has expired long ago.
    const ahead = { ...systemClock, now: () => Date.now() + 60 * minute };
    const clock: Clock = { ...ahead, at: alarms(ahead) };
    await using concern = await RunningConcern.open({ clock });
    await createMany(concern, 3_000);
    const perSecond = 400;
    await concern.run(tokenPurge({ metrics: concern.metrics, pace: { perSecond } }));
    await eventually(() => deletes(concern).length > 100, { within: 10 * second });

    const fresh = await concern.create(aToken({ ttl: 60 * minute + 3 * second }));
    await eventually(async () => (await concern.find(Token, fresh)) === undefined, {
      within: 10 * second,
    });
    const late = Date.now() + 60 * minute - expiry(fresh);
    const left = 3_001 - deletes(concern).length;
    await eventually(() => deletes(concern).length === 3_001, { within: 60 * second });

    const times = deletes(concern).map(({ time }) => time);
    expect(left).to.be.above(500);
    expect(late).to.be.within(0, 2 * second);
    expect(busiestSecond(times)).to.be.within(perSecond / 4, perSecond * 1.25);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).to.be.above((3_000 / perSecond) * second - 100);
    expect(await concern.metric(purgedTotal)).to.equal(3_001);
  });
});

async function runs(concern: RunningConcern, count: number): Promise<boolean> {
  return (await total(concern)) >= count;
}

/** Runs that have ended well. */
async function total(concern: RunningConcern): Promise<number> {
  const series = 'controller_runtime_reconcile_total{controller="token-purge"';
  const again = await concern.metric(`${series},result="requeue_after"}`);
  return again + (await concern.metric(`${series},result="success"}`));
}

/** Lets the clock run until the concern has deleted the token. */
async function gone(
  concern: RunningConcern,
  token: Token,
  clock: ReturnType<typeof fakeClock>,
): Promise<boolean> {
  await clock.advance(20 * second);
  return (await concern.find(Token, token)) === undefined;
}

function writes({ sent }: RunningConcern): readonly string[] {
  return sent
    .filter(({ verb, resource }) => resource === "tokens.management.cattle.io" && !isRead(verb))
    .map(({ verb, resource, code }) => `${verb} ${resource} ${code}`);
}

const isRead = (verb: string): boolean => ["get", "list", "watch"].includes(verb);

const deletes = ({ sent }: RunningConcern) => sent.filter(({ verb }) => verb === "delete");

/** Most of these times within any second. */
function busiestSecond(times: readonly number[]): number {
  return Math.max(
    ...times.map((start, at) => times.slice(at).filter((time) => time < start + second).length),
  );
}

async function createMany(concern: RunningConcern, count: number): Promise<void> {
  const left = Array.from({ length: count }, () => aToken({ ttl: 1 }));
  const worker = async (): Promise<void> => {
    for (let token = left.pop(); token !== undefined; token = left.pop())
      await concern.create(token);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}
