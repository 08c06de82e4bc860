import type { Random } from "../random.ts";
import {
  type Fault,
  type FaultRates,
  isRequestFault,
  type Match,
  type RequestFault,
  type SeenRequest,
  type StreamFault,
} from "./fault.ts";

interface Planned {
  readonly fault: Fault;
  readonly match: Match;
  readonly once: boolean;
}

const isStreamed: Match = ({ form }) => form === "watch" || form === "watchList";

/** Decides which request meets which fault: those that a test ordered, else by chance. */
export class FaultPlan {
  readonly #random: Random;
  #rates: FaultRates;
  #planned: readonly Planned[] = [];

  constructor(random: Random, rates: FaultRates) {
    this.#random = random;
    this.#rates = rates;
  }

  /** The next request that matches meets the fault; without a match any watch, or for a fault in place of an answer any request. */
  next(fault: Fault, match?: Match): void {
    this.#add(fault, match, true);
  }

  /** Every request that matches meets the fault, until the result is disposed of. */
  always(fault: Fault, match?: Match): Disposable {
    const planned = this.#add(fault, match, false);
    return { [Symbol.dispose]: () => this.#remove(planned) };
  }

  setRates(rates: FaultRates): void {
    this.#rates = rates;
  }

  /** The ordered fault for a request. */
  ordered(request: SeenRequest): Fault | undefined {
    const planned = this.#planned.find(({ match }) => match(request));
    if (planned?.once) this.#remove(planned);
    return planned?.fault;
  }

  /** A fault by chance in place of a request's answer. */
  insteadOfAnswer(): RequestFault | undefined {
    const { status410, status429, status5xx, refuse } = this.#rates;
    if (this.#hits(status429)) return { kind: "status", code: 429, retryAfter: 1 };
    if (this.#hits(status410)) return { kind: "status", code: 410, reason: "Expired" };
    if (this.#hits(status5xx))
      return { kind: "status", code: this.#random.pick([500, 502, 503, 504]) };
    return this.#hits(refuse) ? { kind: "refuse" } : undefined;
  }

  /** A fault by chance at an event of a watch. */
  atEvent(): StreamFault | undefined {
    const kinds = [
      "cut",
      "stall",
      "halfLine",
      "end",
      "gone",
      "slow",
      "duplicate",
      "withholdEnd",
    ] as const;
    const kind = kinds.find((each) => this.#hits(this.#rates[each]));
    return kind && { kind };
  }

  /** A fault by chance at a chunk of another answer. */
  atChunk(): StreamFault | undefined {
    const kind = (["cut", "stall", "slow"] as const).find((each) => this.#hits(this.#rates[each]));
    return kind && { kind };
  }

  #hits(rate: number | undefined): boolean {
    return rate !== undefined && rate > 0 && this.#random.chance(rate);
  }

  #add(fault: Fault, match: Match | undefined, once: boolean): Planned {
    const planned = {
      fault,
      once,
      match: match ?? (isRequestFault(fault) ? () => true : isStreamed),
    };
    this.#planned = [...this.#planned, planned];
    return planned;
  }

  #remove(planned: Planned): void {
    this.#planned = this.#planned.filter((each) => each !== planned);
  }
}
