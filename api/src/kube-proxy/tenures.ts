/** Connections that outlive their request, and the logins that they began with. */

import type { Clock, Timer } from "kopf-ts";
import type { Login, LoginStanding } from "../caller.ts";

/** What is looked at, and when. */
export interface TenureParts {
  readonly clock: Pick<Clock, "after">;
  /** What became of a login. */
  readonly standingOf: (login: Login) => LoginStanding;
}

/** From one look at all logins to the next, as for subscriptions; milliseconds. */
const interval = 2_000;

interface Tenure {
  readonly login: Login;
  readonly end: () => void;
}

/** Ends what goes on after its login has ended, or stands for a caller with other groups: an API server that was told of that caller asks for no token again. */
export class Tenures {
  readonly #parts: TenureParts;
  readonly #held = new Set<Tenure>();
  #timer: Timer | undefined;

  constructor(parts: TenureParts) {
    this.#parts = parts;
  }

  /** Calls `end`, once at most, when the login counts no more; until disposed. */
  hold(login: Login, end: () => void): Disposable {
    const tenure = { login, end };
    this.#held.add(tenure);
    this.#timer ??= this.#arm();
    return { [Symbol.dispose]: () => this.#release(tenure) };
  }

  /** One timer for all. */
  #arm(): Timer {
    return this.#parts.clock.after(interval, () => {
      this.#timer = this.#arm();
      for (const tenure of [...this.#held]) this.#look(tenure);
    });
  }

  #look(tenure: Tenure): void {
    if (this.#parts.standingOf(tenure.login) === "counts") return;
    this.#release(tenure);
    tenure.end();
  }

  #release(tenure: Tenure): void {
    this.#held.delete(tenure);
    if (this.#held.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
