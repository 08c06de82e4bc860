/** Cuts a stream of bytes into lines. */

const newline = 0x0a;

/** Tells each line, without its end, once it is whole. */
export class Lines {
  readonly #told: (line: Buffer) => void;
  #begun: Buffer[] = [];

  constructor(told: (line: Buffer) => void) {
    this.#told = told;
  }

  push(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      this.#told(Buffer.concat([...this.#begun, rest.subarray(0, end)]));
      this.#begun = [];
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) this.#begun.push(rest);
  }
}
