/**
 * How far a watch has come, as resourceVersions, and what that means for its next request (client-go: tools/cache/reflector.go,
 * relistResourceVersion and rewatchResourceVersion). A list never asks for less than what was seen already, so the
 * consumer does not go back in time, unless the server no longer knows that version.
 */
export class Position {
  #resourceVersion: string;
  #resumable = false;
  #expired = false;

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

  /** What a streamed list must be at least as new as; empty for the newest. */
  get streamFrom(): string {
    return this.#expired ? "" : this.#resourceVersion;
  }

  /** The same for a list in pages, where the first may come from the server's cache, however old ("0"). */
  get listFrom(): string {
    if (this.#expired) return "";
    return this.#resourceVersion === "" ? "0" : this.#resourceVersion;
  }

  /** A list is complete. */
  listed(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
    this.#resumable = true;
    this.#expired = false;
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

  /** Changes may have been missed: the next request is a list. */
  doubt(): void {
    this.#resumable = false;
  }
}
