/**
 * Whether a server is known to send bookmarks about every minute, so that silence for longer means a dead connection. The one at the
 * end of a streamed list lets us expect more; if the next thing is silence, only a bookmark seen later convinces again.
 */
export class Bookmarks {
  #expected = false;
  #periodic = false;
  #disappointed = false;

  get expected(): boolean {
    return this.#expected;
  }

  sawEndOfList(): void {
    this.#expected ||= !this.#disappointed;
  }

  sawPeriodic(): void {
    this.#expected = this.#periodic = true;
  }

  /** The connection went silent for longer than bookmarks allow. */
  stalled(): void {
    if (this.#periodic) return;
    this.#expected = false;
    this.#disappointed = true;
  }
}
