import { type Clock, TemporaryError } from "../base/index.ts";

/** Thrown, and the reason of the leadership's signal, when the lease is or may be somebody else's. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/** The right to act as the one leader, for as long as the lease is renewed. */
export interface Leadership {
  /** Aborts with LeaseLost when the lease is lost, and with an AbortError once it was released. */
  readonly signal: AbortSignal;
  /** Fencing number: higher for every later leader of the same lease (leaseTransitions). */
  readonly token: number;
  /**
   * Returns while the lease is surely held. To be called before each write: it looks at the clock itself, so it also catches a process that
   * was stopped or whose event loop was stuck beyond the lease. Throws LeaseLost; or TemporaryError after a jump of the wall clock (a suspended
   * machine), until the next renewal shows who leads.
   */
  check(): void;
}

/** Options of HeldLeadership. */
export interface LeadershipOptions {
  readonly clock: Clock;
  readonly token: number;
  /** Milliseconds after the start of the last successful renewal at which the lease counts as lost. */
  readonly renewDeadline: number;
  /** Called when only a renewal can tell who leads. */
  readonly onDoubt: () => void;
}

/** The elector's side of a leadership. */
export class HeldLeadership implements Leadership {
  readonly token: number;
  readonly #clock: Clock;
  readonly #renewDeadline: number;
  readonly #onDoubt: () => void;
  readonly #controller = new AbortController();
  #renewed: { readonly monotonic: number; readonly wall: number };

  constructor({ clock, token, renewDeadline, onDoubt }: LeadershipOptions) {
    this.token = token;
    this.#clock = clock;
    this.#renewDeadline = renewDeadline;
    this.#onDoubt = onDoubt;
    this.#renewed = instantOf(clock);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  check(): void {
    this.#controller.signal.throwIfAborted();
    if (this.timeLeft() <= 0) {
      this.lose(new LeaseLost(`the lease was not renewed for ${this.#renewDeadline} ms`));
      this.#controller.signal.throwIfAborted();
    }
    if (this.#clock.now() - this.#renewed.wall < this.#renewDeadline) return;
    this.#onDoubt();
    throw new TemporaryError("the clock jumped; who leads is unknown until the next renewal");
  }

  /** Milliseconds until the lease counts as lost. */
  timeLeft(): number {
    return this.#renewed.monotonic + this.#renewDeadline - this.#clock.monotonic();
  }

  /** The lease was renewed by a request that started at `at`: nobody can have seen the renewal earlier. */
  renewed(at: { readonly monotonic: number; readonly wall: number }): void {
    this.#renewed = at;
  }

  lose(reason: Error): void {
    this.#controller.abort(reason);
  }
}

/** Both clocks at once. */
export function instantOf(clock: Clock): { readonly monotonic: number; readonly wall: number } {
  return { monotonic: clock.monotonic(), wall: clock.now() };
}
