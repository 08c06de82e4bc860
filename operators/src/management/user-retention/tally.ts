import type { Action } from "./desired.ts";

/** What became of the users of one round. */
export interface Outcome {
  readonly users: number;
  readonly disabled: number;
  readonly deleted: number;
  readonly failed: number;
}

const nothing: Outcome = { users: 0, disabled: 0, deleted: 0, failed: 0 };

/** Counts over the turns of a round. */
export class Tally {
  #outcome = nothing;

  /** One more user. */
  add(result: Action | "failed" | undefined): void {
    const { users, disabled, deleted, failed } = this.#outcome;
    this.#outcome = {
      users: users + 1,
      disabled: disabled + Number(result === "disable"),
      deleted: deleted + Number(result === "delete"),
      failed: failed + Number(result === "failed"),
    };
  }

  /** What was counted; counting begins anew. */
  take(): Outcome {
    const outcome = this.#outcome;
    this.#outcome = nothing;
    return outcome;
  }
}
