/**
 * Whether a server is thought to send bookmarks about every minute. The one at the end of a streamed list lets us expect more, and so does one that
 * came; where none came for as long, only the next one convinces again. A server sends none for a kind of which it has seen no change since it
 * started (apiserver: pkg/storage/cacher), so silence alone proves nothing: only bookmarks of the same connection do (`Session`).
 */
export class Bookmarks {
  #expected = false;
  #disappointed = false;

  get expected(): boolean {
    return this.#expected;
  }

  sawEndOfList(): void {
    this.#expected ||= !this.#disappointed;
  }

  sawPeriodic(): void {
    this.#expected = true;
  }

  /** A connection brought none in time. */
  missed(): void {
    this.#expected = false;
    this.#disappointed = true;
  }
}
