const shown = "[confidential]";

/**
 * A text that must reach no log, Event or error: a key, or its hash. However it is shown (util.inspect, JSON, a template), only `reveal` gives
 * it, so that every place that reads it can be found. Deep equality cannot see it either: compare what `reveal` gives.
 */
export class Confidential {
  /** Private to the language: util.inspect does not show it. */
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return shown;
  }

  toJSON(): string {
    return shown;
  }
}
