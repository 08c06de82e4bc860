/** Where our answers differ from Steve's on purpose: what it is, why, and how an answer is brought to the form in which both are equal. */

/** A difference that is meant. */
export interface Difference {
  readonly what: string;
  readonly why: string;
}

/** Every one of them; docs/reference/v1.md lists them. */
export const differences: readonly Difference[] = [
  {
    what: "Keys of an item, and its relationships, come in another order",
    why: "Items are spliced from the bytes of the API server. Members of a JSON object have no order, and nothing sorts relationships in Steve either.",
  },
  {
    what: "Items of lists have no `_id`",
    why: "It is a copy of `id` that Steve's cache keeps in its objects and forgets to take out.",
  },
  {
    what: "`revision` is as far as the cache is, which may be further than the last object that changed",
    why: "Bookmarks of the watch count as well, so that a revision does not grow too old while nothing happens.",
  },
  {
    what: "`pagination` has the `limit` that was asked for, and `next` has the parameters in the order of the request",
    why: "Steve reads the limit from a header of that name, and sorts the parameters.",
  },
  {
    what: "Relationships tell nothing of objects that the caller may not see: no state, and none that only the other object knows of",
    why: "Steve shows how Secrets are to somebody who may not list them.",
  },
  {
    what: "Namespaces are listed for whoever may read something in them",
    why: "Steve means to, for the menus of user interfaces, and with its SQL cache lists none.",
  },
  {
    what: "Methods of schemas come in a fixed order",
    why: "Steve goes through a map, and they come as they fall.",
  },
  {
    what: "Errors about a parameter have its name in `fieldName`",
    why: "It helps whoever reads them; the code and the status are the same.",
  },
  {
    what: "Counts have no types that nobody can list and watch",
    why: "Steve shows an empty summary for each of them.",
  },
  {
    what: "`page` and `pagesize` that are no numbers are refused with 422",
    why: "Steve takes them for 1 and for everything, and a typing error gets the whole type.",
  },
  {
    what: "The duration of a Job that has not started is empty",
    why: "Steve shows how old the Job is.",
  },
  {
    what: "Where Steve answers 500 for a query that is well-formed, the query is answered",
    why: "It makes SQL of which SQLite says that it is none, for sums of what is also filtered or ordered by labels.",
  },
];

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
