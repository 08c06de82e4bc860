/** How an answer is brought to the form in which ours and Steve's are equal; api/src/reference/differences.ts lists what differs, and why. */

type Tree = unknown;

/** What is known of an answer besides itself. */
export interface Asked {
  /** What its URLs begin with. */
  readonly base: string;
  /** Whether the caller sees everything. */
  readonly seesAll: boolean;
}

/** An answer in the form in which both have to be equal. */
export function comparable(answer: Tree, asked: Asked): Tree {
  return settle(answer, asked, "");
}

function settle(value: Tree, asked: Asked, path: string): Tree {
  if (typeof value === "string") return text(value, asked, path);
  if (Array.isArray(value)) return list(value, asked, path);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value)
    .filter(([, each]) => path !== ".data[].counts" || !isEmptyCount(each))
    .map(([key, each]) => [key, each, `${path}.${key}`] as const)
    .filter(([, , place]) => !isLeftOut(place, asked))
    .map(([key, each, place]) => [key, settle(each, asked, place)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function isLeftOut(place: string, { seesAll }: Asked): boolean {
  if (place.endsWith(".metadata.relationships")) return !seesAll;
  return [".revision", ".fieldName", ".pagination.limit", ".data[]._id"].includes(place);
}

function isEmptyCount(count: Tree): boolean {
  return JSON.stringify(count) === '{"summary":{}}';
}

/** Both print an age at the moment in which they answer. */
const agePlace = /^(\.data\[\])?\.metadata\.fields\[\]$/;
const age = /^(\d+[ydhms]){1,2}$/;

function text(value: string, { base }: Asked, path: string): string {
  if (agePlace.test(path)) {
    if (age.test(value)) return "(age)";
    return value.replace(/\((\d+[ydhms])+ ago\)/, "(age ago)");
  }
  if (path === ".pagination.next" || path === ".pagination.first") return settled(value);
  return value.startsWith(base) ? `(base)${value.slice(base.length)}` : value;
}

/** A URL without its host, with its parameters in order. */
function settled(url: string): string {
  const { pathname, searchParams } = new URL(url);
  searchParams.sort();
  return `${pathname}?${searchParams}`;
}

function list(values: readonly Tree[], asked: Asked, path: string): Tree {
  const all = values.map((value) => settle(value, asked, `${path}[]`));
  return unordered.test(path) ? all.toSorted(byText) : all;
}

const unordered = /\.(relationships|resourceMethods|collectionMethods)$/;

function byText(a: Tree, b: Tree): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
