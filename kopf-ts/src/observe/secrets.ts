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

/** What secrets look like inside a text: authorization headers, JSON web tokens, passwords in URLs, PEM private keys. */
const shapes: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=:-]{8,}/gi, `$1 ${redacted}`],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g, redacted],
  [/(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*):[^\s/@]+@/gi, `$1:${redacted}@`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, redacted],
];

/** The text without anything in it that looks like a secret. `extra` are shapes that only the caller knows. */
export function maskText(text: string, extra: readonly RegExp[] = []): string {
  let masked = text;
  for (const [shape, replacement] of shapes) masked = masked.replace(shape, replacement);
  for (const shape of extra) masked = masked.replace(shape, redacted);
  return masked;
}
