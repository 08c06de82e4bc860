/** Keeps secrets out of log lines: by the name of a field, and by what a text looks like. */

/** Stands where a secret was. */
export const redacted = "[redacted]";

/** A field is secret when its name ends in one of these words; `secretName` and `tokenTtl` are not. */
const secretWords = new Set([
  "authorization",
  "bearer",
  "cookie",
  "cookies",
  "credential",
  "credentials",
  "jwt",
  "kubeconfig",
  "passphrase",
  "passwd",
  "password",
  "passwords",
  "secret",
  "secrets",
  "token",
  "tokens",
]);

/** A field whose name ends in `key` is secret only behind one of these: `privateKey`, not `key` (an object's key). */
const keyKinds = new Set(["access", "api", "client", "encryption", "private", "secret", "signing"]);

const wordBorder = /(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+/;

/** Whether values under this name must not be shown; words may be split by case, `-`, `_` or `.`. */
export function isSecretName(name: string): boolean {
  const words = name.toLowerCase() === name ? name.split(/[^a-z0-9]+/) : name.split(wordBorder);
  const last = words.at(-1)?.toLowerCase() ?? "";
  if (secretWords.has(last)) return true;
  return last === "key" && keyKinds.has(words.at(-2)?.toLowerCase() ?? "");
}

/**
 * What secrets look like inside a text: authorization headers, JSON web tokens, passwords in URLs, PEM private keys. Servers decide what
 * comes here, so each shape takes time in proportion to the text: wherever an attempt may begin, it ends before the next one can, and
 * inside of an attempt no two repetitions share a character. A JSON web token begins at the first `eyJ` of a word that is not behind a letter
 * or digit: any later one in the same word is followed by less.
 */
const shapes: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=:-]{8,}/gi, `$1 ${redacted}`],
  [
    /(?<![\w-])((?:(?!(?<![A-Za-z0-9])eyJ)[\w-])*)(?<![A-Za-z0-9])eyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g,
    `$1${redacted}`,
  ],
  [/(:\/\/[^\s/:@]*):[^\s/@]+@/g, `$1:${redacted}@`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, redacted],
];

/** The text without anything in it that looks like a secret. `extra` are shapes that only the caller knows. */
export function maskText(text: string, extra: readonly RegExp[] = []): string {
  let masked = text;
  for (const [shape, replacement] of shapes) masked = masked.replace(shape, replacement);
  for (const shape of extra) masked = masked.replace(shape, redacted);
  return masked;
}

/** So much behind the cut is searched as well: a secret on the border is known by how it goes on. */
const overlap = 4096;

/** The masked text, cut to `longest` characters. What it costs does not grow with texts beyond that. */
export function shownText(text: string, longest: number, extra?: readonly RegExp[]): string {
  const seen = text.slice(0, endOfWord(text, longest));
  const masked = maskText(seen, extra);
  if (masked.length <= longest && seen.length === text.length) return masked;
  return `${masked.slice(0, longest)}[cut]`;
}

/** Where to stop looking: behind a whole word, since half a secret may not be known as one and masking may move it before the cut. */
function endOfWord(text: string, longest: number): number {
  const most = longest + overlap;
  if (text.length <= most) return text.length;
  for (let end = most; end > longest; end -= 1) if (/\s/.test(text.charAt(end - 1))) return end;
  return most;
}
