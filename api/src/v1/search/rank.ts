/** How well words fit what is known of an object. Pure; words are in lower case, everything else in any. */

/** What a word fits, best first. */
export const ranks = { name: 0, prefix: 1, word: 2, part: 3, label: 4, image: 5 } as const;

/** Where a word was found. */
export interface Match {
  /** `metadata.name`, `id`, `metadata.labels[key]` or `image`. */
  readonly field: string;
  readonly value: string;
}

/** What is searched of an object. */
export interface Searched {
  /** `namespace/name`, or the name. */
  readonly key: string;
  /** As the columns of an inventory have them: joined with `|`. */
  readonly labels: string;
  readonly images: string;
}

/** How well a word fits a name: all of it, its beginning, that of a word in it, or any part; undefined for not at all. A word with a slash is compared with `namespace/name`. */
export function rankOfName(key: string, word: string): number | undefined {
  const name = nameFor(key, word).toLowerCase();
  const first = name.indexOf(word);
  if (first < 0) return undefined;
  if (first === 0) return name.length === word.length ? ranks.name : ranks.prefix;
  for (let at = first; at >= 0; at = name.indexOf(word, at + 1)) {
    if (!isLetter(name.charCodeAt(at - 1))) return ranks.word;
  }
  return ranks.part;
}

/** Whether a word fits one of the labels: a part of its value, or `key=` and the beginning of it. A key may be named without what stands before its slash. */
export function fitsLabels(labels: string, word: string): boolean {
  return labelsThatFit(labels, word).length > 0;
}

/** Whether a word is part of one of the images. */
export function fitsImages(images: string, word: string): boolean {
  return imagesThatFit(images, word).length > 0;
}

/** Everything that one of the words fits, each once. */
export function matchesOf(
  { key, labels, images }: Searched,
  words: readonly string[],
): readonly Match[] {
  const found = new Map<string, Match>();
  const add = (field: string, value: string): unknown =>
    found.set(`${field} ${value}`, { field, value });
  for (const word of words) {
    const name = nameFor(key, word);
    const isNamed = rankOfName(key, word) !== undefined;
    if (isNamed) add(word.includes("/") ? "id" : "metadata.name", name);
    for (const [label, value] of labelsThatFit(labels, word)) {
      add(`metadata.labels[${label}]`, value);
    }
    for (const image of imagesThatFit(images, word)) add("image", image);
  }
  return [...found.values()];
}

function nameFor(key: string, word: string): string {
  return word.includes("/") ? key : key.slice(key.indexOf("/") + 1);
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code > 127;
}

function membersOf(joined: string): readonly string[] {
  return joined === "" ? [] : joined.split("|");
}

function labelsThatFit(labels: string, word: string): readonly (readonly [string, string])[] {
  const [wanted, start] = split(word);
  return membersOf(labels)
    .map((label) => [split(label)[0], split(label)[1] ?? ""] as const)
    .filter(([key, value]) => {
      if (start === undefined) return value.toLowerCase().includes(word);
      return isNamed(key.toLowerCase(), wanted) && value.toLowerCase().startsWith(start);
    });
}

function isNamed(key: string, wanted: string): boolean {
  return key === wanted || (wanted !== "" && key.endsWith(`/${wanted}`));
}

/** At the first `=`. */
function split(text: string): readonly [string, string | undefined] {
  const at = text.indexOf("=");
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function imagesThatFit(images: string, word: string): readonly string[] {
  return membersOf(images).filter((image) => image.toLowerCase().includes(word));
}
