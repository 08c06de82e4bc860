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

  /** Looks at an answer's headers; costs nothing where there is no warning. */
  read(headers: Headers, path: string): void {
    const { warning } = headers;
    if (warning === undefined) return;
    for (const text of warningTexts(typeof warning === "string" ? [warning] : warning)) {
      if (this.#said.has(text)) continue;
      if (this.#said.size >= REMEMBERED) this.#said.clear();
      this.#said.add(text);
      this.#logger.warn("the API server warns", { warning: text, path });
    }
  }
}

/** The texts in Warning headers (RFC 7234, 5.5): `299 - "text"`. */
export function warningTexts(values: readonly string[]): readonly string[] {
  return values.flatMap((value) =>
    [...value.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) =>
      text.replaceAll(/\\(.)/g, "$1"),
    ),
  );
}
