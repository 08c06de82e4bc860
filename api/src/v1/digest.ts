import { hash } from "node:crypto";

/** What may be kept as it is, in characters. */
const short = 512;

/** Two or more texts without line breaks. */
export type Lines = readonly [string, string, ...string[]];

/** Several lines as one text, another one for others; where they are long, a digest, which has one line. */
export function keyOf(...lines: Lines): string {
  const text = lines.join("\n");
  return text.length <= short ? text : digestOf(text);
}

/** A short text in place of one of any length, another one for another: what is kept by what clients write is not to grow with how much they write. */
export function digestOf(text: string): string {
  return hash("sha256", text, "base64url");
}
