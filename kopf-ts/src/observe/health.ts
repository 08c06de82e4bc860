/** Named checks behind /healthz, /livez and /readyz, answered as the kube-apiserver answers them (apiserver: pkg/server/healthz). */

import { type Clock, messageOf, systemClock } from "../base/index.ts";
import { escapeControls } from "./controls.ts";
import { shownText } from "./secrets.ts";

/**
 * Resolves when all is well; throws or rejects with the reason when not. A text that it returns or resolves with is told by `?verbose`, behind
 * the `ok` that programs look for.
 */
export type HealthCheck = (signal: AbortSignal) => unknown;

/** Options of a check. */
export interface CheckOptions {
  /** Milliseconds after which a check has failed; 2,000 unless told. */
  readonly timeout?: number;
}

/** An answer of the health endpoints. */
export interface HealthAnswer {
  readonly status: number;
  readonly body: string;
}

/** A reason is a line for a person; what a server writes may be longer. */
const longestReason = 1024;

interface NamedCheck {
  readonly name: string;
  readonly check: HealthCheck;
  readonly timeout: number;
}

/** How one check went; `failure` is its reason, `note` what it tells when all is well. */
interface Outcome {
  readonly name: string;
  readonly failure?: string;
  readonly note?: string;
}

/** Which checks a path runs. */
type Group = "live" | "ready";

const groups: Readonly<Record<string, Group>> = {
  healthz: "live",
  livez: "live",
  readyz: "ready",
};

const served = new RegExp(`^/(?:${Object.keys(groups).join("|")})(?:/|$)`);

/**
 * The checks of one process. `/healthz` and `/livez` run the live ones (a failure means: restart me), `/readyz` the ready ones (a failure
 * means: not now). All checks of a request run at once; one that hangs fails at its time-out and delays no other answer beyond that.
 */
export class HealthChecks {
  readonly #checks: Record<Group, readonly NamedCheck[]> = { live: [], ready: [] };
  readonly #clock: Clock;

  constructor({ clock = systemClock }: { readonly clock?: Clock } = {}) {
    this.#clock = clock;
    this.live("ping", () => undefined);
    this.ready("ping", () => undefined);
  }

  /** Adds a check of liveness until the result is disposed; a second one of the same name replaces the first. */
  live(name: string, check: HealthCheck, options?: CheckOptions): Disposable {
    return this.#add("live", name, check, options);
  }

  /** As live, for readiness. */
  ready(name: string, check: HealthCheck, options?: CheckOptions): Disposable {
    return this.#add("ready", name, check, options);
  }

  /**
   * Answers `/healthz`, `/livez`, `/readyz` and `/<one of them>/<check>`; undefined for any other path. `?verbose` lists the checks (a
   * failure always does), `?exclude=<name>` leaves one out.
   */
  respond(path: string, query: URLSearchParams): Promise<HealthAnswer> | undefined {
    if (!served.test(path)) return undefined; // as most are
    const [, endpoint = "", ...rest] = path.replace(/\/$/, "").split("/");
    const group = groups[endpoint];
    if (group === undefined) return undefined;
    return rest.length === 0
      ? this.#all(endpoint, group, query)
      : this.#one(group, decode(rest.join("/")));
  }

  /** The ready checks that fail now, as `name: reason`. */
  async unready(): Promise<readonly string[]> {
    const outcomes = await this.#run(this.#checks.ready);
    return outcomes
      .filter(({ failure }) => failure !== undefined)
      .map(({ name, failure }) => `${name}: ${failure}`);
  }

  #add(group: Group, name: string, check: HealthCheck, options: CheckOptions = {}): Disposable {
    const entry: NamedCheck = { name, check, timeout: options.timeout ?? 2000 };
    const kept = this.#checks[group].filter((each) => each.name !== name);
    this.#checks[group] = [...kept, entry];
    return {
      [Symbol.dispose]: () => {
        this.#checks[group] = this.#checks[group].filter((each) => each !== entry);
      },
    };
  }

  async #all(endpoint: string, group: Group, query: URLSearchParams): Promise<HealthAnswer> {
    const excluded = new Set(query.getAll("exclude"));
    const outcomes = await this.#run(this.#checks[group], excluded);
    const failed = outcomes.some(({ failure }) => failure !== undefined);
    if (!failed && !query.has("verbose")) return { status: 200, body: "ok" };
    const lines = outcomes.map((outcome) => lineOf(outcome, excluded.has(outcome.name)));
    const verdict = `${endpoint} check ${failed ? "failed" : "passed"}`;
    return { status: failed ? 500 : 200, body: [...lines, verdict, ""].join("\n") };
  }

  async #one(group: Group, name: string): Promise<HealthAnswer> {
    const named = this.#checks[group].find((each) => each.name === name);
    if (named === undefined) return { status: 404, body: `there is no check ${name}\n` };
    const { failure } = await this.#runOne(named);
    if (failure === undefined) return { status: 200, body: "ok" };
    return { status: 500, body: `${name} failed: ${failure}\n` };
  }

  #run(
    checks: readonly NamedCheck[],
    excluded: ReadonlySet<string> = new Set(),
  ): Promise<Outcome[]> {
    return Promise.all(
      checks.map((each) => (excluded.has(each.name) ? { name: each.name } : this.#runOne(each))),
    );
  }

  async #runOne({ name, check, timeout }: NamedCheck): Promise<Outcome> {
    const late = new AbortController();
    try {
      const said = await Promise.race([
        (async () => check(late.signal))(),
        this.#clock.sleep(timeout, late.signal).then(() => {
          throw new Error(`no answer within ${timeout} ms`);
        }),
      ]);
      return typeof said === "string" ? { name, note: reasonOf(said) } : { name };
    } catch (thrown) {
      return { name, failure: reasonOf(thrown) };
    } finally {
      late.abort(new Error("the check is over"));
    }
  }
}

function lineOf({ name, failure, note }: Outcome, excluded: boolean): string {
  if (excluded) return `[+]${name} excluded: ok`;
  if (failure !== undefined) return `[-]${name} failed: ${failure}`;
  return note === undefined ? `[+]${name} ok` : `[+]${name} ok: ${note}`;
}

/** In one line and without secrets: nobody has to say who they are to read it, and a part of it is what a server wrote. */
export function reasonOf(thrown: unknown): string {
  const lines = shownText(messageOf(thrown), longestReason).split(/[\r\n]+/);
  return escapeControls(lines.map((line) => line.trim()).join("; "));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
