import type { Pausable } from "./turns.ts";

/** Lets several hold up one stream, each for a reason of their own: it goes on when none of them does any more. */
export class Pauses {
  readonly #stream: Pausable;
  readonly #held = new Set<Pausable>();

  constructor(stream: Pausable) {
    this.#stream = stream;
  }

  /** For one of them, who may pause or resume as often as they like. */
  holder(): Pausable {
    const holder: Pausable = {
      pause: () => {
        this.#held.add(holder);
        this.#stream.pause();
      },
      resume: () => {
        if (this.#held.delete(holder) && this.#held.size === 0) this.#stream.resume();
      },
    };
    return holder;
  }
}
