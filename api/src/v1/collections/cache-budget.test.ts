import { expect } from "chai";
import { Metrics, silentLogger } from "kopf-ts";
import { fakeClock } from "kopf-ts/testing";
import { CacheBudget, type Spendable } from "./cache-budget.ts";

/** Caches of a cluster by name, each of 10 bytes, with the seconds since their last use; those in use have none. */
class Caches {
  readonly gone: string[] = [];
  readonly #caches: Map<string, number | undefined>;

  constructor(caches: Readonly<Record<string, number | undefined>>) {
    this.#caches = new Map(Object.entries(caches));
  }

  list(): readonly Spendable[] {
    return [...this.#caches].map(([name, seconds]) => {
      const go = (): void => {
        this.gone.push(name);
        this.#caches.delete(name);
      };
      const idle = (seconds ?? 0) * 1000;
      return { isUsed: seconds === undefined, idle, objects: 10, rest: 0, drop: go, end: go };
    });
  }
}

describe("CacheBudget", () => {
  const budgetOf = (limit: number, metrics?: Metrics): CacheBudget =>
    new CacheBudget({ clock: fakeClock(), log: silentLogger, metrics }, limit);

  it("takes back what was not used for longest, of all clusters together", () => {
    const budget = budgetOf(40);
    const own = new Caches({ pods: 30, secrets: 200, nodes: undefined });
    const member = new Caches({ pods: 100, events: 10, nodes: 300 });
    using _own = budget.count(() => own.list());
    using _member = budget.count(() => member.list());

    budget.fit();

    expect({ own: own.gone, member: member.gone }).to.deep.equal({
      own: ["secrets"],
      member: ["nodes"],
    });
  });

  it("counts a cluster no longer that has gone", () => {
    const budget = budgetOf(10);
    const [own, member] = [new Caches({ pods: 30 }), new Caches({ pods: 10 })];
    using _own = budget.count(() => own.list());
    budget.count(() => member.list())[Symbol.dispose]();

    budget.fit();

    expect([...own.gone, ...member.gone]).to.deep.equal([]);
  });

  it("tells its limit", async () => {
    const metrics = new Metrics({ process: false });
    budgetOf(40, metrics);

    expect(await metrics.text()).to.contain("drover_api_cache_limit_bytes 40\n");
  });
});
