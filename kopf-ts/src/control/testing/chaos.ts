/** Faults of network and server, one after the other, as a seed chooses them. */

import type { ControlPlane } from "@drover/env";
import { systemClock } from "../../base/index.ts";
import type { Fault, FaultProxy, Match, Random, StreamFault } from "../../testing/index.ts";

const isWatch: Match = ({ form }) => form === "watch" || form === "watchList";
const isList: Match = ({ form }) => form === "watchList";

/** Longest pause between two faults, in milliseconds. */
const pause = 200;
/** While a list of thousands is under way: with less it would hardly ever come through. */
const longPause = 1000;

/** Befall the watch that is open, at its next event, as often as they stand here; it can go on where it was. */
const sudden = [
  ...(["cut", "cut", "cut", "stall", "halfLine", "halfLine", "halfLine"] as const),
  ...(["end", "end", "slow", "duplicate", "duplicate"] as const),
] as const satisfies readonly StreamFault["kind"][];

/** Await the next request; it can be made again. */
const lurking = ["refuse", "silence", "429", "5xx"] as const;

/** The same for what leads to a new list, which also hides what the watch may have lost. */
const suddenRelists = [...sudden, "gone", "gone"] as const;
const lurkingRelists = [...lurking, "410", "withholdEnd", "cutList"] as const;

/** Brings faults between a client and its server. */
export class Chaos {
  readonly #proxy: FaultProxy;
  readonly #random: Random;
  readonly #relists: boolean;
  /** One fault at a time awaits a request, else nothing would ever get through. */
  #lurks = false;

  /** Without `relists`, no fault is such that the client has to list anew once it has a list. */
  constructor(proxy: FaultProxy, random: Random, { relists }: { readonly relists: boolean }) {
    this.#proxy = proxy;
    this.#random = random;
    this.#relists = relists;
  }

  /** One fault after the other until the signal aborts; the proxy is up afterwards. */
  async rage(isSynced: () => boolean, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#strike();
      const longest = isSynced() ? pause : longPause;
      await systemClock.sleep(this.#random.below(longest), signal).catch(() => undefined);
    }
  }

  async #strike(): Promise<void> {
    const dice = this.#random.next();
    if (dice < 0.05) await this.#vanish();
    else if (dice < 0.3) this.#lurk(oneOf(this.#random, this.#relists ? lurkingRelists : lurking));
    else this.#befall(oneOf(this.#random, this.#relists ? suddenRelists : sudden));
  }

  #befall(kind: (typeof suddenRelists)[number]): void {
    this.#proxy.now({ kind }, isWatch);
  }

  #lurk(name: (typeof lurkingRelists)[number]): void {
    const random = this.#random;
    const lists = name === "withholdEnd" || name === "cutList";
    const faults: Readonly<Record<typeof name, Fault>> = {
      refuse: { kind: "refuse" },
      silence: { kind: "silence" },
      "429": { kind: "status", code: 429, retryAfter: 1 },
      "5xx": { kind: "status", code: random.pick([500, 502, 503, 504]) },
      "410": { kind: "status", code: 410, reason: "Expired" },
      withholdEnd: { kind: "withholdEnd" },
      cutList: { kind: "cut", after: random.below(2000) },
    };
    const anywhere = name === "refuse" || name === "429" || name === "5xx";
    this.#next(faults[name], lists ? isList : anywhere ? () => true : isWatch);
  }

  #next(fault: Fault, match: Match): void {
    if (this.#lurks) return;
    this.#lurks = true;
    this.#proxy.next(fault, (request) => {
      const hit = match(request);
      if (hit) this.#lurks = false;
      return hit;
    });
  }

  async #vanish(): Promise<void> {
    await this.#proxy.down();
    await systemClock.sleep(this.#random.below(200));
    await this.#proxy.up();
  }
}

/** Ends the API server in the middle of everything, in order or not; resolves when it serves again. */
export async function restart(plane: ControlPlane, random: Random): Promise<void> {
  await systemClock.sleep(random.below(1000));
  await plane.restartApiServer(random.pick(["SIGKILL", "SIGTERM"]));
}

function oneOf<T>(random: Random, [first, ...rest]: readonly [T, ...T[]]): T {
  return random.pick([first, ...rest]);
}
