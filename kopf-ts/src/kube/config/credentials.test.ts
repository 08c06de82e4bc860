import { expect } from "chai";
import { type Logger, silentLogger } from "../../base/index.ts";
import { ManualClock, rejection } from "../loopback.test.support.ts";
import { authorization, CredentialKeeper, type Credentials, same, sameTls } from "./credentials.ts";

/** A source that gives tokens 1, 2, 3 ... and remembers how it was asked. */
function counting(more: (count: number) => Partial<Credentials> = () => ({})) {
  const asked: boolean[] = [];
  const source = async ({ force }: { force: boolean }): Promise<Credentials> => {
    asked.push(force);
    return { token: String(asked.length), ...more(asked.length) };
  };
  return { asked, source };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("CredentialKeeper", () => {
  it("reads once for many and then answers without a promise", async () => {
    const { asked, source } = counting();
    const keeper = new CredentialKeeper(source, new ManualClock(), silentLogger);

    const first = await Promise.all([keeper.get(), keeper.get(), keeper.get()]);

    expect(asked).to.deep.equal([false]);
    expect(first.every((each) => each === keeper.get())).to.equal(true);
  });

  it("reads again after a minute, without anybody waiting for it", async () => {
    const clock = new ManualClock();
    const { asked, source } = counting();
    const keeper = new CredentialKeeper(source, clock, silentLogger);
    await keeper.get();

    clock.advance(59_999);
    await keeper.get();
    expect(asked).to.have.length(1);
    clock.advance(1);
    expect(keeper.get()).to.deep.equal({ token: "1" });
    await turn();

    expect(keeper.get()).to.deep.equal({ token: "2" });
    expect(asked).to.deep.equal([false, false]);
  });

  it("reads nothing while nobody asks", async () => {
    const clock = new ManualClock();
    const { asked, source } = counting();
    await new CredentialKeeper(source, clock, silentLogger).get();

    clock.advance(3_600_000);

    expect(clock.waiting()).to.deep.equal([]);
    expect(asked).to.have.length(1);
  });

  it("renews before they expire, and waits when they have", async () => {
    const clock = new ManualClock();
    const { source } = counting((count) => ({ expiresAt: clock.now() + 40_000 * count }));
    const keeper = new CredentialKeeper(source, clock, silentLogger);
    await keeper.get();

    clock.advance(10_001);
    await keeper.get();
    await turn();
    expect(keeper.get()).to.include({ token: "2" });
    clock.advance(80_000);
    const waited = keeper.get();

    expect(waited).to.be.instanceOf(Promise);
    expect(await waited).to.include({ token: "3" });
  });

  it("keeps the old ones while they cannot be read, and says so", async () => {
    const clock = new ManualClock();
    const lines: unknown[] = [];
    const logger: Logger = { ...silentLogger, warn: (_text, fields) => lines.push(fields) };
    let broken = false;
    const source = async (): Promise<Credentials> => {
      if (broken) throw new Error("gone");
      return { token: "1" };
    };
    const keeper = new CredentialKeeper(source, clock, logger);
    await keeper.get();

    broken = true;
    clock.advance(60_000);
    await keeper.get();
    await turn();

    expect(keeper.get()).to.deep.equal({ token: "1" });
    expect(lines).to.deep.equal([{ error: "gone" }]);
  });

  it("passes on that the first reading failed, and reads again a second later", async () => {
    const clock = new ManualClock();
    let count = 0;
    const source = async (): Promise<Credentials> => {
      if (count++ === 0) throw new Error("not yet");
      return { token: "1" };
    };
    const keeper = new CredentialKeeper(source, clock, silentLogger);

    for (let request = 0; request < 10; request++) {
      expect(await rejection(Promise.resolve(keeper.get()))).to.match(/not yet/);
    }
    expect(count).to.equal(1);
    clock.advance(1_000);

    expect(await keeper.get()).to.deep.equal({ token: "1" });
  });

  for (const [name, left] of [
    ["end soon", 20_000],
    ["have ended by our clock, which may be ahead,", -60_000],
  ] as const) {
    it(`asks for credentials that ${name} every 5 s, not for every request`, async () => {
      const clock = new ManualClock();
      const { asked, source } = counting(() => ({ expiresAt: clock.now() + left }));
      const keeper = new CredentialKeeper(source, clock, silentLogger);

      for (let request = 0; request < 300; request++) {
        await keeper.get();
        await turn();
        clock.advance(50);
      }

      expect(asked.length).to.be.within(3, 4);
    });
  }

  it("asks a source that fails once a second when its credentials have ended", async () => {
    const clock = new ManualClock();
    let count = 0;
    const source = async (): Promise<Credentials> => {
      if (count++ > 0) throw new Error("gone");
      return { token: "1", expiresAt: clock.now() + 10_000 };
    };
    const keeper = new CredentialKeeper(source, clock, silentLogger);
    await keeper.get();

    clock.advance(10_000);
    for (let request = 0; request < 40; request++) {
      await rejection(Promise.resolve(keeper.get()));
      clock.advance(50);
    }

    expect(count).to.be.within(2, 4);
  });

  describe("asked to renew", () => {
    it("reads with force, once for all that were refused together", async () => {
      const { asked, source } = counting();
      const keeper = new CredentialKeeper(source, new ManualClock(), silentLogger);
      const refused = await keeper.get();

      const renewed = await Promise.all([keeper.renew(refused), keeper.renew(refused)]);

      expect(asked).to.deep.equal([false, true]);
      expect(renewed).to.deep.equal([{ token: "2" }, { token: "2" }]);
      expect(await keeper.renew(refused), "already renewed").to.deep.equal({ token: "2" });
      expect(asked).to.have.length(2);
    });

    it("reads anew though a reading runs, since that one began before they were refused", async () => {
      const clock = new ManualClock();
      const asked: boolean[] = [];
      const slow = Promise.withResolvers<void>();
      const source = async ({ force }: { force: boolean }): Promise<Credentials> => {
        asked.push(force);
        if (asked.length === 2) await slow.promise;
        return { token: force ? "new" : "old" };
      };
      const keeper = new CredentialKeeper(source, clock, silentLogger);
      const refused = await keeper.get();
      clock.advance(60_000);
      await keeper.get();

      const renewing = keeper.renew(refused);
      slow.resolve();

      expect(await renewing).to.deep.equal({ token: "new" });
      expect(asked).to.deep.equal([false, false, true]);
    });

    it("knows none when the source gives the refused ones again", async () => {
      const source = async (): Promise<Credentials> => ({ token: "1" });
      const keeper = new CredentialKeeper(source, new ManualClock(), silentLogger);
      const refused = await keeper.get();

      expect(await keeper.renew(refused)).to.equal(undefined);
    });

    it("does not run a plug-in for every request that is refused", async () => {
      const clock = new ManualClock();
      let count = 0;
      const source = async (): Promise<Credentials> => {
        count++;
        return { token: "1" };
      };
      const keeper = new CredentialKeeper(source, clock, silentLogger);
      const refused = await keeper.get();

      for (let request = 0; request < 100; request++) {
        await keeper.renew(refused);
        clock.advance(20);
      }

      expect(count).to.be.within(2, 4);
    });
  });
});

describe("authorization", () => {
  for (const [name, credentials, expected] of [
    ["a token", { token: "t" }, "Bearer t"],
    ["a token rather than a password", { token: "t", username: "u", password: "p" }, "Bearer t"],
    ["name and password", { username: "ü", password: "p" }, `Basic ${btoa("Ã¼:p")}`],
    ["nothing", {}, undefined],
    ["an empty token", { token: "" }, undefined],
  ] as const) {
    it(`of ${name}`, () => expect(authorization(credentials)).to.equal(expected));
  }
});

describe("comparing credentials", () => {
  it("tells TLS material from identity", () => {
    expect(sameTls({ ca: "a", token: "1" }, { ca: "a", token: "2" })).to.equal(true);
    expect(sameTls({ cert: "a" }, { cert: "b" })).to.equal(false);
    expect(same({ ca: "a", token: "1" }, { ca: "a", token: "2" })).to.equal(false);
    expect(same({ key: "a" }, { key: "a", expiresAt: 7 })).to.equal(true);
  });
});
