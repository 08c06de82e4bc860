/** Texts of JSON, put together from parts. */

/** What most names and URLs consist of: nothing to escape. */
const plain = /^[\w .:/@%?&=+,;()[\]{}|~!$'*#^`-]*$/;

/** A text as it stands between the quotes of JSON. */
export function escaped(text: string): string {
  return plain.test(text) ? text : JSON.stringify(text).slice(1, -1);
}

/** A text in quotes. */
export function quoted(text: string): string {
  return `"${escaped(text)}"`;
}
