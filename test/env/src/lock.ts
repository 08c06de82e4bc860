// A lock between processes: a file that names its holders.
import {
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { identify, isAlive, type ProcessId } from "./process.ts";
import { heartbeat, until } from "./wait.ts";

/** What a lock file says. */
export interface Holders {
  readonly id: string;
  readonly host: string;
  readonly processes: readonly ProcessId[];
}

/** How to wait for a lock that is held; milliseconds. */
export interface LockOptions {
  /** Gives up after this long; without it, waits until the lock is free. */
  readonly timeout?: number;
  /** How often it looks whether the lock is free; default 100. */
  readonly every?: number;
  readonly signal?: AbortSignal | undefined;
  /** Called once, when the lock turns out to be held; what it throws ends the waiting. */
  readonly onWait?: (holders: Holders) => void;
}

/** A holder on another machine (a shared home) is dead when it has not touched the file for so long. */
const SILENCE = 60_000;

let locks = 0;

/**
 * Takes the lock at `path` or waits for it.
 *
 * Guarantees: one holder at a time; a lock whose holders have all ended is taken over, also when they were
 * killed and the process id was given to another process since.
 */
export async function acquire(path: string, options: LockOptions = {}): Promise<Lock> {
  const mine: Holders = {
    id: `${process.pid}-${++locks}-${Date.now()}`,
    host: hostname(),
    processes: [identify(process.pid)],
  };
  let waited = false;
  const attempt = (): Lock | Error | undefined => {
    if (create(path, mine)) return new Lock(path, mine);
    const holders = read(path);
    if (holders === undefined) return undefined; // freed since; the next attempt creates it
    if (!isHeld(path, holders)) {
      if (takeOver(path, holders, mine)) return new Lock(path, mine);
    } else if (!waited) {
      waited = true;
      return tell(options, holders);
    }
    return undefined;
  };
  const { timeout = Number.POSITIVE_INFINITY, every = 100, signal } = options;
  const taken = await until(`waiting for ${path}`, attempt, { timeout, signal, every });
  if (taken instanceof Error) throw taken;
  return taken;
}

function tell({ onWait }: LockOptions, holders: Holders): Error | undefined {
  try {
    onWait?.(holders);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** A lock that is held until `release` or the end of all its processes. */
export class Lock {
  readonly #path: string;
  readonly #stopBeat: () => void;
  #holders: Holders;

  constructor(path: string, holders: Holders) {
    this.#path = path;
    this.#holders = holders;
    this.#stopBeat = heartbeat(SILENCE / 10, () => this.#touch());
  }

  /** Lets the lock also live as long as `pid` does. */
  share(pid: number): void {
    const { processes } = this.#holders;
    this.#holders = { ...this.#holders, processes: [...processes, identify(pid)] };
    const draft = write(this.#path, this.#holders);
    renameSync(draft, this.#path);
  }

  /** Frees the lock; does nothing if another has taken it over. */
  release(): void {
    this.#stopBeat();
    if (read(this.#path)?.id === this.#holders.id) rmSync(this.#path, { force: true });
  }

  #touch(): void {
    try {
      utimesSync(this.#path, new Date(), new Date());
    } catch {
      // somebody removed the folder; release notices
    }
  }
}

/** Hard links appear whole or not at all, so nobody ever reads half a lock. */
function create(path: string, holders: Holders): boolean {
  const draft = write(path, holders);
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Replaces a dead holder. Two that find the same dead holder must not both win, hence a claim to its succession: a file named after the
 * holder's id, which never comes again, so that nobody can take an old claim for a new one. Only who holds the claim may replace, and only
 * while the lock still says what was found dead.
 */
function takeOver(path: string, dead: Holders, mine: Holders): boolean {
  const claims = claim(path, dead, mine);
  if (claims === undefined) return false;
  const isFirst = read(path)?.id === dead.id;
  if (isFirst) renameSync(write(path, mine), path);
  // Claims of others go only once the lock has moved on: whoever makes one of them again finds that it is too late.
  for (const each of isFirst ? claims : claims.slice(-1)) rmSync(each, { force: true });
  return isFirst;
}

/** The claims to succeed `dead`, mine last; those before are of processes that died with them. `undefined` if a live one has it. */
function claim(path: string, dead: Holders, mine: Holders): string[] | undefined {
  const claims: string[] = [];
  for (let gone = dead; ; ) {
    const file = `${path}.takeover.${encodeURIComponent(gone.id)}`;
    claims.push(file);
    if (create(file, mine)) return claims;
    const other = read(file);
    if (other === undefined || isHeld(file, other)) return undefined;
    if (other.id === gone.id)
      rmSync(file, { force: true }); // no claim: somebody wrote over it
    else gone = other;
  }
}

function write(path: string, holders: Holders): string {
  const draft = `${path}.${holders.id}`;
  writeFileSync(draft, JSON.stringify(holders), { mode: 0o600 });
  return draft;
}

/** `undefined` if there is no file; one that is no lock counts as held by nobody. */
function read(path: string): Holders | undefined {
  try {
    const { id, host, processes } = JSON.parse(readFileSync(path, "utf8"));
    if (typeof id === "string" && Array.isArray(processes)) return { id, host, processes };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  }
  return { id: "", host: hostname(), processes: [] };
}

function isHeld(path: string, { host, processes }: Holders): boolean {
  if (host === hostname()) return processes.some(isAlive);
  const touched = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Date.now() - touched < SILENCE;
}
