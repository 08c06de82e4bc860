import type { HealthChecks } from "../observe/index.ts";

/** What a start still waits for; each thing is a check of /readyz for as long as it is missing. Disposing it takes all of them back. */
export class Waiting implements Disposable {
  readonly #health: HealthChecks;
  readonly #checks = new Map<string, { reason: string; readonly check: Disposable }>();

  constructor(health: HealthChecks) {
    this.#health = health;
  }

  /** `name` is missing because of `reason`; undefined: it is there. */
  tell(name: string, reason: string | undefined): void {
    const known = this.#checks.get(name);
    if (reason === undefined) {
      known?.check[Symbol.dispose]();
      this.#checks.delete(name);
    } else if (known !== undefined) {
      known.reason = reason;
    } else {
      const check = this.#health.ready(name, () => {
        throw new Error(this.#checks.get(name)?.reason);
      });
      this.#checks.set(name, { reason, check });
    }
  }

  /** Of the things whose names begin with `prefix`, exactly these are missing; the keys come without the prefix. */
  replace(prefix: string, missing: ReadonlyMap<string, string>): void {
    for (const name of [...this.#checks.keys()]) {
      if (name.startsWith(prefix) && !missing.has(name.slice(prefix.length))) {
        this.tell(name, undefined);
      }
    }
    for (const [name, reason] of missing) this.tell(prefix + name, reason);
  }

  [Symbol.dispose](): void {
    for (const { check } of this.#checks.values()) check[Symbol.dispose]();
    this.#checks.clear();
  }
}
