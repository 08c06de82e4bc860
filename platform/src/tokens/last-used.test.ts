import { Token } from "@drover/crds";
import { aToken } from "@drover/crds/testing";
import { expect } from "chai";
import {
  type Client,
  type Clock,
  intercept,
  type Logger,
  silentLogger,
  systemClock,
} from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { eventually, type FakeClock, fakeClock } from "kopf-ts/testing";
import { createExtToken } from "./create.ts";
import { extText } from "./ext-secret.ts";
import { LastUsed, type LastUsedOptions } from "./last-used.ts";
import { readExtToken, readToken, type StoredToken } from "./stored.ts";
import { connected } from "./testing/cluster.ts";

const second = 1_000;
const minute = 60 * second;
const start = Date.parse("2030-01-01T00:00:00.900Z");

/** A LastUsed that runs against the API server, with what it wrote. */
class Bookkeeping implements AsyncDisposable {
  /** Names of the tokens written, in order. */
  readonly written: string[] = [];
  readonly warnings: string[] = [];
  readonly lastUsed: LastUsed;
  /** Stands for caches: what they show. */
  readonly shown = new Map<string, StoredToken>();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(client: Client, clock: Clock, options: BookkeepingOptions = {}) {
    const { fail = () => undefined, ...limits } = options;
    const through = intercept(client, {
      beforeWrite: (_, ref) => {
        this.written.push(ref?.metadata.name ?? "");
        return fail();
      },
    });
    const log: Logger = {
      ...silentLogger,
      warn: (message, fields) => void this.warnings.push(JSON.stringify({ message, fields })),
    };
    const find = ({ name }: { readonly name: string }) => this.shown.get(name);
    this.lastUsed = new LastUsed({ client: through, clock, log, find }, limits);
    this.#running = this.lastUsed.start(this.#stop.signal);
  }

  used(...tokens: readonly StoredToken[]): void {
    for (const token of tokens) {
      this.shown.set(token.name, token);
      this.lastUsed.used(token);
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

interface BookkeepingOptions extends LastUsedOptions {
  /** Called before each write; what it throws fails it, and while it waits there is no answer. */
  readonly fail?: () => void | Promise<void>;
}

describe("LastUsed on an API server", function () {
  this.timeout(30_000);
  let client: Client;
  let clock: FakeClock;

  before(async () => {
    client = await connected();
  });

  beforeEach(() => {
    clock = fakeClock(start);
  });

  after(async () => {
    await client[Symbol.asyncDispose]();
  });

  const make = async (): Promise<StoredToken> => {
    const stored = readToken(await client.create(aToken()));
    if (stored === undefined) throw new Error("cannot be read");
    return stored;
  };
  const usedAt = async ({ name }: StoredToken): Promise<string | undefined> =>
    (await client.get(Token, name)).lastUsedAt;

  it("writes the first use at once, in whole seconds", async () => {
    await using book = new Bookkeeping(client, clock);
    const token = await make();

    book.used(token);

    await eventually(async () => (await usedAt(token)) === "2030-01-01T00:00:00Z");
    expect(book.written).to.deep.equal([token.name]);
  });

  it("writes later uses together, once per interval, and the last one counts", async () => {
    await using book = new Bookkeeping(client, clock, { interval: minute });
    const token = await make();
    book.used(token);
    await eventually(async () => (await usedAt(token)) !== undefined);

    for (let count = 0; count < 50; count += 1) {
      await clock.advance(second);
      book.used(token);
    }
    const within = book.written.length;
    await clock.advance(10 * second);

    await eventually(async () => (await usedAt(token)) === "2030-01-01T00:00:50Z");
    expect(within).to.equal(1);
    expect(book.written).to.have.length(2);
  });

  it("writes nothing for a use in a second that is stored already", async () => {
    await using book = new Bookkeeping(client, clock);
    const token = { ...(await make()), lastUsedAt: Date.parse("2030-01-01T00:00:00Z") };

    book.used(token);
    await clock.advance(second);

    expect(book.written).to.deep.equal([]);
    expect(book.lastUsed.size).to.equal(0);
  });

  it("does not put back what another replica wrote meanwhile", async () => {
    await using book = new Bookkeeping(client, clock);
    const token = await make();
    book.used(token);
    await eventually(async () => (await usedAt(token)) !== undefined);
    await clock.advance(second);
    book.used(token);

    const newer = await client.patch(
      { apiVersion: "management.cattle.io/v3", kind: "Token", metadata: { name: token.name } },
      { merge: { lastUsedAt: "2030-01-01T00:00:30Z" } },
    );
    const shown = readToken(newer as Token);
    if (shown) book.shown.set(token.name, shown);
    await clock.advance(2 * minute);

    expect(await usedAt(token)).to.equal("2030-01-01T00:00:30Z");
    expect(book.written).to.have.length(1);
  });

  it("forgets tokens that are used no more, and leaves no timer behind", async () => {
    await using book = new Bookkeeping(client, clock);
    const tokens = await Promise.all([make(), make(), make()]);
    book.used(...tokens);
    await clock.advance(second);
    await eventually(() => book.written.length === 3);

    await clock.advance(2 * minute);

    await eventually(() => book.lastUsed.size === 0);
    await book.stop();
    expect(clock.pending).to.equal(0);
  });

  it("keeps to its rate over all tokens, and every token gets its turn", async () => {
    await using book = new Bookkeeping(client, clock, { perSecond: 2 });
    const tokens = await Promise.all(Array.from({ length: 6 }, make));

    book.used(...tokens);
    const counts: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      await eventually(() => book.written.length === Math.min(6, 2 * turn + 1));
      counts.push(book.written.length);
      await clock.advance(second / 2);
      await eventually(() => book.written.length === 2 * turn + 2);
      await clock.advance(second / 2);
    }

    expect(counts).to.deep.equal([1, 3, 5]);
    expect(new Set(book.written).size).to.equal(6);
  });

  it("writes what is left when it stops", async () => {
    const book = new Bookkeeping(client, clock, { perSecond: 1 });
    const tokens = await Promise.all(Array.from({ length: 20 }, make));
    book.used(...tokens);
    await eventually(() => book.written.length === 1);
    await clock.advance(300);
    book.used(...tokens); // the first one again, in another second

    await book.stop();

    const times = await Promise.all(tokens.map(usedAt));
    expect(new Set(times)).to.deep.equal(new Set(["2030-01-01T00:00:01Z"]));
    expect(book.written).to.have.length(21);
  });

  it("stops in time when the server does not answer", async () => {
    const fail = (): Promise<void> => new Promise(() => undefined);
    const book = new Bookkeeping(client, systemClock, { flushWithin: 200, fail });
    book.used(await make(), await make());

    const begun = performance.now();
    await book.stop();

    expect(performance.now() - begun).to.be.below(1_500);
  });

  it("tries a failed write again an interval later, and says so without a secret", async () => {
    let failures = 1;
    const fail = (): void => {
      if (failures === 0) return;
      failures -= 1;
      throw new Error("no answer");
    };
    await using book = new Bookkeeping(client, clock, { fail });
    const token = await make();

    book.used(token);
    await eventually(() => book.warnings.length === 1);
    await clock.advance(minute);

    await eventually(async () => (await usedAt(token)) === "2030-01-01T00:00:00Z");
    expect(book.written).to.have.length(2);
    expect(book.warnings[0]).to.contain(token.name);
    expect(book.warnings[0]).to.contain("no answer");
  });

  it("gives nothing to a token that was made anew under the same name", async () => {
    await using book = new Bookkeeping(client, clock);
    const old = await make();
    book.shown.set(old.name, old); // the cache has not seen it yet
    const { name } = old;
    await client.delete({ ...tokenRef(name) });
    await client.create({ ...aToken(), metadata: { name } });

    book.lastUsed.used(old);
    await eventually(() => book.written.length === 1);
    await clock.advance(2 * minute);
    await eventually(() => book.lastUsed.size === 0);

    expect(book.warnings).to.deep.equal([]);
    expect(await usedAt(old)).to.equal(undefined);
    expect(book.written).to.have.length(1);
    expect(book.warnings).to.deep.equal([]);
  });

  it("forgets a token that is gone", async () => {
    await using book = new Bookkeeping(client, clock);
    const token = await make();
    await client.delete(tokenRef(token.name));

    book.used(token);
    await eventually(() => book.written.length === 1);
    await clock.advance(2 * minute);

    await eventually(() => book.lastUsed.size === 0);
    expect(book.warnings).to.deep.equal([]);
  });

  it("writes use and activity of ext tokens into their Secrets, together", async () => {
    await using book = new Bookkeeping(client, clock);
    const { token } = await createExtToken(
      {
        userId: "ada",
        kind: "session",
        principal: { metadata: { name: "local://ada" } },
        provider: "local",
      },
      { client, settings: { milliseconds: () => minute }, now: start },
    );

    book.shown.set(token.name, token);
    book.lastUsed.seen(token, start - 10 * second);
    book.lastUsed.used(token);
    await eventually(() => book.written.length === 1);
    await book.stop();

    const secret = await client.get(Secret, token.name, { namespace: "cattle-tokens" });
    expect(extText(secret, "last-used-at")).to.equal("2030-01-01T00:00:00Z");
    expect(extText(secret, "last-activity-seen")).to.equal("2029-12-31T23:59:50Z");
    expect(readExtToken(secret)?.proof.reveal()).to.equal(token.proof.reveal());
    expect(book.written).to.have.length(1);
  });

  it("writes activity of v3 sessions, which only goes forward", async () => {
    await using book = new Bookkeeping(client, clock);
    const token = await make();
    book.shown.set(token.name, token);

    book.lastUsed.seen(token, start);
    await eventually(() => book.written.length === 1);
    book.lastUsed.seen(token, start - minute);
    await book.stop();

    const { activityLastSeenAt } = await client.get(Token, token.name);
    expect(activityLastSeenAt).to.equal("2030-01-01T00:00:00Z");
    expect(book.written).to.have.length(1);
  });
});

const tokenRef = (name: string) => ({
  apiVersion: "management.cattle.io/v3",
  kind: "Token",
  metadata: { name },
});
