/** Texts that are kept by the thousands. */

/**
 * Parts one behind the other, in one piece of memory. V8 keeps a text that was added up (`+`, templates) as its parts, and 32 bytes for each time, until somebody
 * reads a letter of it.
 */
export function flatText(...parts: readonly string[]): string {
  return parts.join("");
}
