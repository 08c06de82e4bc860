import { expect } from "chai";
import { type FaultRates, type Random, seededRandom } from "../testing/index.ts";
import { eventually, startWatchTest, type WatchTest } from "./testing/harness.ts";

const seeds = Number(process.env.FAULT_SEEDS ?? 10);
const first = Number(process.env.FAULT_SEED ?? 1);
const objects = 100;
const steps = 300;

/** About one fault in twenty events; requests fail more often, since there are fewer. */
const rates: FaultRates = {
  ...{
    cut: 0.01,
    stall: 0.003,
    halfLine: 0.01,
    end: 0.01,
    gone: 0.008,
    slow: 0.01,
    duplicate: 0.01,
  },
  ...{ withholdEnd: 0.002, status410: 0.05, status429: 0.01, status5xx: 0.05, refuse: 0.05 },
};

/** Faults that must be survived quickly, so that many of them fit into a test. */
const timing = {
  ...{ answer: 400, listSilence: 150, listTotal: 2_000, stallWithBookmarks: 250, stallMargin: 50 },
  ...{ serverTimeoutMin: 1_000, serverTimeoutMax: 3_000 },
} as const;

/** One random change on the API server, past the proxy. */
async function change(test: WatchTest, random: Random): Promise<void> {
  const name = `o-${random.below(objects)}`;
  const ref = test.configMap(name);
  const what = random.below(4);
  if (what === 0) await test.direct.delete(ref);
  else if (what === 1) await test.direct.create(ref).catch(() => undefined);
  else
    await test.direct
      .patch(ref, { merge: { data: { v: String(random.next()) } } })
      .catch(() => undefined);
}

describe("Watch under random faults", function () {
  this.timeout(60_000);

  before(async () => {
    await using _ = await startWatchTest();
  });

  for (let seed = first; seed < first + seeds; seed++) {
    it(`ends up with what the server has (FAULT_SEED=${seed})`, async () => {
      await using test = await startWatchTest({ seed });
      const random = seededRandom(seed);
      await Promise.all(Array.from({ length: objects / 2 }, (_, i) => test.create(`o-${i}`)));
      const { sink, done } = test.watch({ timing, pageSize: 20 });
      const broken = done.then(
        () => undefined,
        (cause: unknown) => cause,
      );
      await test.live(sink);

      test.proxy.setRates(rates);
      for (let i = 0; i < steps; i++) await change(test, random);
      test.proxy.setRates({});
      const failure = await Promise.race([broken, test.agrees(sink, { within: 20_000 })]);
      await eventually(() => sink.phase === "live", {
        within: 20_000,
        what: `live: ${sink.told.slice(-5)}`,
      });

      expect(failure).to.equal(undefined);
      const faults = Object.values(test.proxy.counts).reduce((sum, count) => sum + count, 0);
      expect(faults, JSON.stringify(test.proxy.counts)).to.be.greaterThan(0);
    });
  }
});
