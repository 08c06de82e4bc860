import { BusyError } from "../gate.ts";
import { networkOf } from "./attempts.ts";

/** Logins of one address at once: less than half of those for which there is room. */
const most = 16;

/** Keeps one address from taking the places of all others, whatever user names it tries. */
export class Shares {
  readonly #working = new Map<string, number>();

  /** The work's outcome; rejects with a BusyError where too much of the address is at work. */
  async run<T>(address: string, work: () => Promise<T>): Promise<T> {
    const network = networkOf(address);
    const working = this.#working.get(network) ?? 0;
    if (working >= most) throw new BusyError("too much of one address is at work");
    this.#working.set(network, working + 1);
    try {
      return await work();
    } finally {
      this.#left(network);
    }
  }

  #left(network: string): void {
    const working = this.#working.get(network) ?? 0;
    if (working > 1) this.#working.set(network, working - 1);
    else this.#working.delete(network);
  }
}
