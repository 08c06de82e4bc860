import type { Logger } from "../../base/index.ts";
import type { Headers } from "./answer.ts";

/** Texts remembered, so that a server that says the same with every answer is logged once. */
const REMEMBERED = 256;

/** Logs what the API server warns of: deprecated versions, unknown fields, what admission objects to (client-go: rest/warnings.go). */
export class Warnings {
  readonly #logger: Logger;
  readonly #said = new Set<string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Looks at an answer's headers; costs nothing where there is no warning. Writes one line: the first text that is new, and how many more there are. */
  read(headers: Headers, path: string): void {
    const { warning } = headers;
    if (warning === undefined) return;
    const all = warningsIn(typeof warning === "string" ? [warning] : warning);
    const texts = new Set(all.map(({ text }) => text));
    const [first, ...others] = [...texts].filter((text) => !this.#said.has(text));
    if (first === undefined) return;
    for (const text of [first, ...others]) this.#remember(text);
    const more = others.length > 0 && { more: others.length };
    this.#logger.warn("the API server warns", { warning: first, ...more, path });
  }

  #remember(text: string): void {
    if (this.#said.size >= REMEMBERED) this.#said.clear();
    this.#said.add(text);
  }
}

/** One warning, its text without quotes. */
export interface Warning {
  readonly code: string;
  readonly agent: string;
  readonly text: string;
}

/** The warnings in Warning headers (RFC 7234, 5.5): `299 - "text"`. What has another form is left out. */
export function warningsIn(values: readonly string[]): readonly Warning[] {
  return values.flatMap((value) =>
    [...value.matchAll(/(\d{3}) (\S+) "((?:[^"\\]|\\.)*)"/g)].map(
      ([, code = "", agent = "", text = ""]) => ({
        ...{ code, agent },
        text: text.replaceAll(/\\(.)/g, "$1"),
      }),
    ),
  );
}
