/** Connections that outlive their request, and the logins that they began with. */

import { type Clock, type Logger, messageOf, type Timer } from "kopf-ts";
import type { Login, LoginStanding } from "./caller.ts";

/** What is looked at, and when. */
export interface TenureParts {
  readonly clock: Pick<Clock, "after">;
  readonly log: Logger;
  /** What became of a login. */
  readonly standingOf: (login: Login) => LoginStanding;
}

/** What became of a login that counts no more. */
export type Ending = Exclude<LoginStanding, "counts">;

/** From one look at all logins to the next, in milliseconds. */
const interval = 500;

interface Tenure {
  readonly login: Login;
  readonly end: (ending: Ending) => void;
}

/** Ends what goes on after its login has ended, or stands for a caller with other groups: nothing else asks for a token again once a connection is open. */
export class Tenures implements Disposable {
  readonly #parts: TenureParts;
  readonly #held = new Set<Tenure>();
  #timer: Timer | undefined;

  constructor(parts: TenureParts) {
    this.#parts = parts;
  }

  /** Those that are held. */
  get size(): number {
    return this.#held.size;
  }

  /** Lets go of all. */
  [Symbol.dispose](): void {
    for (const tenure of [...this.#held]) this.#release(tenure);
  }

  /** Calls `end`, once at most, when the login counts no more; until disposed. */
  hold(login: Login, end: (ending: Ending) => void): Disposable {
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

  /** What throws harms no other. */
  #look(tenure: Tenure): void {
    if (!this.#held.has(tenure)) return;
    const standing = this.#standingOf(tenure);
    if (standing === "counts") return;
    this.#release(tenure);
    try {
      tenure.end(standing);
    } catch (error) {
      this.#failed("a connection was not ended with its login", error);
    }
  }

  /** A login that cannot be judged would not be let in either. */
  #standingOf({ login }: Tenure): LoginStanding {
    try {
      return this.#parts.standingOf(login);
    } catch (error) {
      this.#failed("a login could not be judged, and its connections end", error);
      return "ended";
    }
  }

  #failed(what: string, error: unknown): void {
    this.#parts.log.error(what, { reason: messageOf(error) });
  }

  #release(tenure: Tenure): void {
    this.#held.delete(tenure);
    if (this.#held.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
