/** Compares keys of tokens, and remembers what was costly. */

import { createHash } from "node:crypto";
import { hashVersion, type StoredToken, type TokenValue, verifyKey } from "@drover/platform";
import type { Clock } from "kopf-ts";
import { LRUCache } from "lru-cache";
import { Gate } from "../gate.ts";

/** How costly comparisons are bounded. Times are milliseconds. */
export interface KeyLimits {
  /** Comparisons at once; 2 unless told. */
  readonly atOnce?: number;
  /** Comparisons that wait; 64 unless told. */
  readonly waiting?: number;
  /** How long an outcome is remembered; 5 minutes unless told. */
  readonly remember?: number;
}

interface Outcome {
  readonly fits: boolean;
  readonly until: number;
}

/** Outcomes that are remembered. */
const most = 10_000;

/**
 * Tells whether the key in a value is that of a token. All hashes but the first version's (scrypt: 32 MiB and 100 ms, which tokens of old have) take
 * microseconds, and are simply computed. Those of the first version are bounded at each moment, and their outcomes remembered for a while under a hash of
 * value and stored proof together: a token that changes its key is compared anew.
 */
export class Keys {
  readonly #clock: Clock;
  readonly #remember: number;
  readonly #gate: Gate;
  readonly #outcomes = new LRUCache<string, Outcome>({ max: most });

  constructor(clock: Clock, { atOnce = 2, waiting = 64, remember = 300_000 }: KeyLimits = {}) {
    this.#clock = clock;
    this.#remember = remember;
    this.#gate = new Gate({ atOnce, waiting });
  }

  /** Rejects with a BusyError where too many costly comparisons wait. */
  async fits(token: StoredToken, { key }: TokenValue): Promise<boolean> {
    const proof = token.proof.reveal();
    const compare = (): Promise<boolean> => verifyKey(key.reveal(), proof, token.hashed);
    if (!token.hashed || hashVersion(proof) !== 1) return compare();

    const id = createHash("sha256")
      .update(`${token.uid}\n${proof}\n${key.reveal()}`)
      .digest("base64");
    const known = this.#outcomes.get(id);
    if (known !== undefined && known.until > this.#clock.monotonic()) return known.fits;
    const fits = await this.#gate.run(compare);
    this.#outcomes.set(id, { fits, until: this.#clock.monotonic() + this.#remember });
    return fits;
  }
}
