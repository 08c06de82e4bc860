/** Whose rights others watch. */

import type { Caller } from "@drover/platform";
import { Background, type BackgroundSteps, type Logger, messageOf } from "kopf-ts";

/** A caller, under one name for all who watch. */
export interface Named {
  readonly caller: Caller;
  readonly name: string;
  /** Of the user and each group. */
  readonly keys: readonly string[];
}

interface Entry extends Named {
  readonly listeners: Set<{ readonly tell: () => void }>;
  fingerprint: string;
}

/**
 * Tells those who watch a caller's rights when they are others than before. Changes that come together are told once; rights are compared in the background, so that
 * a change to a group with a thousand members that watch holds nobody up.
 */
export class Watched {
  readonly #fingerprintOf: (caller: Caller) => string;
  readonly #log: Logger;
  readonly #background: Background;
  readonly #entries = new Map<string, Entry>();
  readonly #byKey = new Map<string, Set<Entry>>();
  readonly #touched = new Set<Entry>();
  #telling = false;

  constructor(fingerprintOf: (caller: Caller) => string, log: Logger) {
    this.#fingerprintOf = fingerprintOf;
    this.#log = log;
    this.#background = new Background(log);
  }

  /** Calls `tell` after changes from now on, until disposed. */
  add(named: Named, tell: () => void): Disposable {
    const entry = this.#entries.get(named.name) ?? this.#enter(named);
    const listener = { tell };
    entry.listeners.add(listener);
    return {
      [Symbol.dispose]: () => {
        entry.listeners.delete(listener);
        if (entry.listeners.size === 0) this.#leave(entry);
      },
    };
  }

  /** Something of a subject may have changed. */
  touch(key: string): void {
    for (const entry of this.#byKey.get(key) ?? []) this.#touched.add(entry);
    if (this.#touched.size === 0 || this.#telling) return;
    this.#telling = true;
    this.#background.run(this.#tellAll());
  }

  /** Tells nobody any more. */
  dispose(): void {
    this.#background.clear();
    this.#entries.clear();
    this.#byKey.clear();
    this.#touched.clear();
  }

  *#tellAll(): BackgroundSteps {
    for (const entry of this.#touched) {
      this.#touched.delete(entry);
      this.#tell(entry);
      yield;
    }
    this.#telling = false;
  }

  #tell(entry: Entry): void {
    const fingerprint = this.#fingerprintOf(entry.caller);
    if (fingerprint === entry.fingerprint) return;
    entry.fingerprint = fingerprint;
    for (const { tell } of [...entry.listeners]) this.#call(tell);
  }

  #call(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#log.error("a listener of access failed", { error: messageOf(error) });
    }
  }

  #enter(named: Named): Entry {
    const fingerprint = this.#fingerprintOf(named.caller);
    const entry: Entry = { ...named, fingerprint, listeners: new Set() };
    this.#entries.set(named.name, entry);
    for (const key of named.keys) {
      this.#byKey.set(key, (this.#byKey.get(key) ?? new Set()).add(entry));
    }
    return entry;
  }

  #leave(entry: Entry): void {
    if (this.#entries.get(entry.name) !== entry) return;
    this.#entries.delete(entry.name);
    this.#touched.delete(entry);
    for (const key of entry.keys) {
      const entries = this.#byKey.get(key);
      entries?.delete(entry);
      if (entries?.size === 0) this.#byKey.delete(key);
    }
  }
}
