import { expect } from "chai";
import { type FaultProxy, type FaultRates, type Random, seededRandom } from "../testing/index.ts";
import { eventually, startWatchTest, type WatchTest } from "./testing/harness.ts";

const seeds = Number(process.env.FAULT_SEEDS ?? (process.env.DROVER_SOAK === undefined ? 10 : 100));
const first = Number(process.env.FAULT_SEED ?? 1);
const objects = 100;
/** Changes and faults of a seed: at least these many, and no more changes than `longest`. */
const steps = 300;
const faults = 20;
const longest = 3_000;
/** Faults per seed, on average of all seeds, below which this tests too little; seeds 1 to 40 meet 25. */
const enough = 12;

/** About one fault in six events; requests fail more often, since there are fewer. */
const rates: FaultRates = {
  ...{ cut: 0.025, halfLine: 0.025, end: 0.025, gone: 0.02, slow: 0.025, duplicate: 0.025 },
  ...{ stall: 0.01, withholdEnd: 0.01 },
  ...{ status410: 0.1, status429: 0.06, status5xx: 0.1, refuse: 0.1 },
};

/** Faults that must be survived quickly, so that many of them fit into a test. */
const timing = {
  ...{ answer: 400, listSilence: 150, listTotal: 2_000, stallWithBookmarks: 250, stallMargin: 50 },
  ...{ serverTimeoutMin: 1_000, serverTimeoutMax: 3_000, backoffMin: 2, backoffMax: 20 },
} as const;

/** Faults of all seeds together, by their names in `rates`. */
const met = new Map<string, number>();

function note({ counts, codes }: FaultProxy): void {
  const statuses = Object.entries(codes).map(([code, times]) => [statusName(code), times] as const);
  const others = Object.entries(counts).filter(([kind]) => kind !== "status");
  for (const [kind, times] of [...others, ...statuses]) met.set(kind, (met.get(kind) ?? 0) + times);
}

function faultsOf({ counts }: FaultProxy): number {
  return Object.values(counts).reduce((sum, times) => sum + times, 0);
}

function statusName(code: string): string {
  return code.startsWith("5") ? "status5xx" : `status${code}`;
}

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

describe("Watch under random faults @soak", function () {
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
      const goesOn = (step: number): boolean => step < steps || faultsOf(test.proxy) < faults;
      for (let i = 0; i < longest && goesOn(i); i++) await change(test, random);
      test.proxy.setRates({});
      const failure = await Promise.race([broken, test.agrees(sink, { within: 20_000 })]);
      await eventually(() => sink.phase === "live", {
        within: 20_000,
        what: `live: ${sink.told.slice(-5)}`,
      });

      expect(failure).to.equal(undefined);
      note(test.proxy);
    });
  }

  // Who looks into one seed may have got one with few faults.
  if (seeds >= 10) {
    it("have met many faults, and each sort of them", () => {
      const total = [...met.values()].reduce((sum, times) => sum + times, 0);

      expect([...met.keys()]).to.have.members(Object.keys(rates));
      expect(total / seeds, JSON.stringify([...met])).to.be.at.least(enough);
    });
  }
});
