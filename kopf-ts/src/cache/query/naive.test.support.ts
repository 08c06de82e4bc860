/** Queries answered the naive way, for tests. */

import { silentLogger } from "../../base/index.ts";
import { type Random, seededRandom } from "../../testing/index.ts";
import { Background } from "../background.ts";
import { compareNoCase, compareText } from "../columns/compare.ts";
import type { Value } from "../columns/condition.ts";
import { toQuantity } from "../columns/quantity.ts";
import { matches, parseSelector } from "../columns/selector.ts";
import { aWidget, Feed, Widget } from "../fixtures.ts";
import { Store } from "../store.ts";
import type { Filter, ObjectSet } from "./filter.ts";
import type { Query, Sort } from "./query.ts";

const colors = ["red", "green", "blue", "Blue", "RED", "ｆ", "😀"] as const;
const tags = ["a", "b", "a|b", "", "c"] as const;
const memories = ["1Gi", "900M", "2e9", "1Ki", "none"] as const;
const ours: ObjectSet = {
  namespaces: new Set(["ns-1", "ns-6"]),
  names: new Map([["ns-2", new Set(["w-2-db", "w-9-Web", "w-16-cache", "w-23-db"])]]),
};
const theirs: ObjectSet = {
  namespaces: new Set(),
  names: new Map([["", new Set(["w-3-Web", "w-10-db", "w-17-cache"])]]),
};

/** A widget out of few values, so that many are equal. */
export function randomWidget(random: Random, index: number, resourceVersion: number): Widget {
  const color = random.chance(0.2) ? undefined : random.pick(colors);
  return aWidget({
    name: `w-${index}-${random.pick(["Web", "db", "cache"])}`,
    namespace: `ns-${index % 7}`,
    resourceVersion: String(resourceVersion),
    uid: `uid-${index}`,
    created: new Date(1.7e12 + random.below(1000) * 1000).toISOString(),
    labels: { app: random.pick(["a", "b", "C"]), ...(random.chance(0.5) ? { x: "1" } : {}) },
    spec: {
      ...(color === undefined ? {} : { color }),
      size: random.below(20),
      tags: Array.from({ length: random.below(4) }, () => random.pick(tags)),
      memory: random.pick(memories),
    },
  });
}

/** The value of a column, read from the object. */
function columnOf(widget: Widget, column: string): Value | undefined {
  const { name, namespace, creationTimestamp = "" } = widget.metadata;
  if (column === "id") return `${namespace}/${name}`;
  if (column === "metadata.name") return name;
  if (column === "metadata.namespace") return namespace;
  if (column === "metadata.creationTimestamp") return Date.parse(creationTimestamp);
  if (column === "metadata.labels[app]") return widget.metadata.labels?.app;
  if (column === "metadata.labels[x]") return widget.metadata.labels?.x;
  if (column === "spec.tags") return widget.spec?.tags?.join("|");
  if (column === "spec.memory") return presentOf(toQuantity(widget.spec?.memory));
  return column === "spec.size" ? widget.spec?.size : widget.spec?.color;
}

function presentOf(number: number | bigint): number | bigint | undefined {
  return Number.isNaN(number) ? undefined : number;
}

function isWithin({ metadata: { namespace = "", name } }: Widget, set: ObjectSet): boolean {
  const named = (within: string): boolean => set.names.get(within)?.has(name) ?? false;
  return set.namespaces.has(namespace) || named(namespace) || named("");
}

function compareValues(a: Value | undefined, b: Value | undefined, ignoreCase = false): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  if (typeof a !== "string") return Number(a) - Number(b);
  return ignoreCase ? compareNoCase(a, String(b)) : compareText(a, String(b));
}

/** One sort key, with the places of absent values. */
function compareBy(a: Widget, b: Widget, { column, descending, ignoreCase, absent }: Sort): number {
  const [x, y] = [columnOf(a, column), columnOf(b, column)];
  const order = compareValues(x, y, ignoreCase);
  if (absent === undefined || (x !== undefined && y !== undefined)) {
    return descending === true ? -order : order;
  }
  return absent === "first" ? order : -order;
}

/** A filter as a loop over objects would apply it. */
function passes(widget: Widget, filter: Filter): boolean {
  if ("all" in filter) return filter.all.every((each) => passes(widget, each));
  if ("any" in filter) return filter.any.some((each) => passes(widget, each));
  if ("not" in filter) return !passes(widget, filter.not);
  if ("labels" in filter) {
    return matches(parseSelector(filter.labels), widget.metadata.labels ?? {});
  }
  if ("within" in filter) return isWithin(widget, filter.within);
  const value = columnOf(widget, filter.column);
  switch (filter.op) {
    case "has":
      return widget.spec?.tags?.includes(filter.value) ?? false;
    case "hasnot":
      return widget.spec?.tags?.includes(filter.value) !== true;
    case "!=":
      return value !== filter.value;
    case "=":
      return value === filter.value;
    case "in":
      return value !== undefined && filter.values.includes(value);
    case "contains":
      return String(value ?? "")
        .toLowerCase()
        .includes(filter.value.toLowerCase());
    case ">=":
      return value !== undefined && compareValues(value, filter.value) >= 0;
    default:
      return value === undefined;
  }
}

/** Any filter there is. */
export function randomFilter(random: Random, depth = 2): Filter {
  const dice = random.below(depth > 0 ? 13 : 10);
  const inner = (): Filter => randomFilter(random, depth - 1);
  switch (dice) {
    case 0:
      return { column: "spec.color", op: "=", value: random.pick(colors) };
    case 1:
      return { column: "metadata.namespace", op: "in", values: ["ns-1", "ns-5", "ns-9"] };
    case 2:
      return { column: "metadata.name", op: "contains", value: random.pick(["WEB", "1-d", "zz"]) };
    case 3:
      return { column: "spec.size", op: ">=", value: random.below(20) };
    case 4:
      return { column: "spec.color", op: "absent" };
    case 5:
      return { labels: random.pick(["app=a", "app in (a,b),!x", "x", ""]) };
    case 6:
      return { column: "spec.tags", op: random.pick(["has", "hasnot"]), value: random.pick(tags) };
    case 7:
      return { within: random.pick([ours, theirs]) };
    case 8:
      return { column: "metadata.labels[app]", op: random.pick(["=", "!="]), value: "C" };
    case 9:
      return { column: "metadata.labels[x]", op: "contains", value: "1" };
    case 10:
      return { all: [inner(), inner()] };
    case 11:
      return { any: [inner(), inner()] };
    default:
      return { not: inner() };
  }
}

const sorted = [
  "id",
  ...["spec.color", "spec.size", "metadata.creationTimestamp", "metadata.name"],
  ...["metadata.labels[app]", "metadata.labels[x]", "spec.tags", "spec.memory"],
] as const;

function randomSort(random: Random): readonly Sort[] {
  return Array.from({ length: random.below(3) }, () => ({
    column: random.pick(sorted),
    descending: random.chance(0.5),
    ignoreCase: random.chance(0.5),
    absent: random.pick([undefined, "first", "last"] as const),
  }));
}

/** Answers a query by a loop over objects. */
export function naive(widgets: readonly Widget[], query: Query): { keys: string[]; total: number } {
  const { filter, sort = [], offset = 0, limit = 1000 } = query;
  const found = widgets.filter((widget) => filter === undefined || passes(widget, filter));
  const sorted = found.toSorted((a, b) => {
    for (const key of sort) {
      const order = compareBy(a, b, key);
      if (order !== 0) return order;
    }
    return compareText(String(columnOf(a, "id")), String(columnOf(b, "id")));
  });
  const keys = sorted.map((widget) => String(columnOf(widget, "id")));
  return { keys: keys.slice(offset, offset + limit), total: found.length };
}

/** A page of anything, in any order. */
export function randomQuery(random: Random, size: number): Query {
  return {
    filter: random.chance(0.2) ? undefined : randomFilter(random),
    sort: randomSort(random),
    offset: random.chance(0.5) ? 0 : random.below(size),
    limit: random.chance(0.1) ? undefined : random.below(120),
  };
}

/** Another widget takes the place of one. */
export function replaceOne(
  random: Random,
  feed: Feed,
  widgets: Widget[],
  resourceVersion: number,
): void {
  const index = random.below(widgets.length);
  const old = widgets[index];
  const next = randomWidget(random, index, resourceVersion);
  if (old !== undefined) feed.change("DELETED", old);
  feed.change("ADDED", next);
  widgets[index] = next;
}

/** A store and the widgets in it. */
export async function filled(
  size: number,
  background: Background = new Background(silentLogger),
): Promise<{ store: Store<Widget>; feed: Feed; widgets: Widget[] }> {
  const store = new Store(Widget, { background });
  await store.addColumns([
    ...[{ name: "spec.color" }, { name: "spec.tags" }],
    { name: "spec.size", type: "number" },
    { name: "spec.memory", type: "quantity" },
  ]);
  const feed = new Feed(store);
  const random = seededRandom(1);
  const widgets = Array.from({ length: size }, (_, index) => randomWidget(random, index, 1));
  feed.list(widgets, "1");
  return { store, feed, widgets };
}
