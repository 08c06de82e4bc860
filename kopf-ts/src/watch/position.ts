import { compareResourceVersions, type ScannedObject } from "./scan.ts";

/** The object with the highest resourceVersion of those told. */
export interface LastTold {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** It was told as DELETED. */
  readonly deleted: boolean;
}

/**
 * How far a watch has come, as resourceVersions, and what that means for its next request (client-go: tools/cache/reflector.go,
 * relistResourceVersion and rewatchResourceVersion). A list never asks for less than what was seen already, so the
 * consumer does not go back in time, unless the server no longer knows that version.
 */
export class Position {
  #resourceVersion: string;
  #resumable = false;
  #expired = false;
  #unproven = false;
  #failedProofs = 0;
  #last: LastTold | undefined;

  /** `resourceVersion` is what the consumer has seen of an earlier watch; empty for nothing. */
  constructor(resourceVersion = "") {
    this.#resourceVersion = resourceVersion;
  }

  /** The version of what was told last; empty before the first list. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  /** Whether changes can be watched from here, without a list. */
  get resumable(): boolean {
    return this.#resumable;
  }

  /** The connection broke since the server stood behind this position: it may have been restored from a backup meanwhile. */
  get unproven(): boolean {
    return this.#unproven;
  }

  /** By which a restored server is known; undefined where nothing was told since the list began. */
  get last(): LastTold | undefined {
    return this.#last;
  }

  /** What a streamed list must be at least as new as; empty for the newest. */
  get streamFrom(): string {
    return this.#expired ? "" : this.#resourceVersion;
  }

  /** The same for a list in pages, where the first may come from the server's cache, however old ("0"). */
  get listFrom(): string {
    if (this.#expired) return "";
    return this.#resourceVersion === "" ? "0" : this.#resourceVersion;
  }

  /** A list begins. */
  begin(): void {
    this.#last = undefined;
  }

  /**
   * An object was told, of the list or of a change. Returns its resourceVersion; empty when a text of it is broken, which is the consumer's to
   * complain about, and no reason to end the stream.
   */
  told(object: ScannedObject, deleted: boolean): string {
    try {
      const { resourceVersion } = object;
      this.#note(object, resourceVersion, deleted);
      return resourceVersion;
    } catch {
      return "";
    }
  }

  /** A list is complete. */
  listed(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
    this.#resumable = true;
    this.#expired = false;
    this.proven();
  }

  /** A change or bookmark was told. */
  advance(resourceVersion: string): void {
    if (resourceVersion !== "") this.#resourceVersion = resourceVersion;
  }

  /** The server does not know this version any more (410), or not yet (it was restored from a backup). */
  expire(): void {
    this.#resumable = false;
    this.#expired = true;
  }

  /** A connection broke. */
  question(): void {
    this.#unproven = true;
  }

  /** The server still stands behind this position. */
  proven(): void {
    this.#unproven = false;
    this.#failedProofs = 0;
  }

  /** The server failed to say whether it does: how often in a row. */
  proofFailed(): number {
    return ++this.#failedProofs;
  }

  /** Changes may have been missed: the next request is a list. */
  doubt(): void {
    this.#resumable = false;
  }

  #note(object: ScannedObject, resourceVersion: string, deleted: boolean): void {
    const newest = this.#last?.resourceVersion ?? "";
    if (compareResourceVersions(resourceVersion, newest) < 0) return;
    const { name, namespace, uid } = object;
    this.#last = { name, namespace, uid, resourceVersion, deleted };
  }
}
