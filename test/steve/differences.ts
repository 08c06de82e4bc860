/** How an answer is brought to the form in which ours and Steve's are equal; api/src/reference/differences.ts lists what differs, and why. */

type Tree = unknown;

/** What is known of an answer besides itself. */
export interface Asked {
  /** What its URLs begin with. */
  readonly base: string;
  /** Whether the caller may read an object, of an answer that tells of others as well; without, all that it tells stays. */
  readonly sees?: (type: string, id: string) => boolean;
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
    .filter(([, , place]) => !leftOut.includes(place))
    .map(([key, each, place]) => [key, settle(each, asked, place)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const leftOut = [".revision", ".fieldName", ".pagination.limit", ".data[]._id"];

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
  const told = isOfRelationships(path) ? values.flatMap((each) => visible(each, asked)) : values;
  if (told.length === 0 && values.length > 0) return null; // as where there are none
  const all = told.map((value) => settle(value, asked, `${path}[]`));
  return unordered.test(path) ? all.toSorted(byText) : all;
}

const unordered = /\.(relationships|associatedData\[\]\.data|resourceMethods|collectionMethods)$/;

function isOfRelationships(path: string): boolean {
  return path.endsWith(".metadata.relationships");
}

/** What ours tells of a relationship: to who may not read the other object nothing if only that one knows of it, else nothing of how it is. */
function visible(relationship: Tree, { sees }: Asked): readonly Tree[] {
  const { state, message, error, transitioning, ...rest } = relationship as Relationship;
  const { toId, toType, fromId, fromType, rel, selector } = rest;
  const isOwn = selector !== undefined || (rel === "owner") === (fromId !== undefined);
  if (sees === undefined || sees(toType ?? fromType ?? "", toId ?? fromId ?? "")) {
    return [relationship];
  }
  return isOwn ? [rest] : [];
}

/** Each of them is a text, or true. */
type Relationship = Readonly<Record<string, string | undefined>>;

function byText(a: Tree, b: Tree): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
