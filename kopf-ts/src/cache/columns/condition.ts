/** What can be asked of one column. */

/** A value of a column; dates are RFC 3339 texts or milliseconds. Integers that a double would round are bigints. */
export type Value = string | number | bigint;

/** A question to one column. As with label selectors, `!=` and `notin` hold where the value is absent, every other comparison does not. */
export type Condition =
  | {
      readonly column: string;
      readonly op: "=" | "!=" | "<" | "<=" | ">" | ">=";
      readonly value: Value;
    }
  | { readonly column: string; readonly op: "in" | "notin"; readonly values: readonly Value[] }
  /** Members of a list, exactly: that of `["a|b"]` is `a|b`. A value that is no list is its own member; `hasnot` holds where there is none. */
  | { readonly column: string; readonly op: "has" | "hasnot"; readonly value: string }
  /** Ignores case. */
  | { readonly column: string; readonly op: "contains"; readonly value: string }
  | { readonly column: string; readonly op: "exists" | "absent" };

/** How values of one type are compared with what a condition names. */
export interface Comparison<V> {
  /** Undefined for what no value can equal. */
  readonly parse: (value: Value) => V | undefined;
  readonly compare: (a: V, b: V) => number;
  readonly text: (value: V) => string;
}

/** A question for a member of lists. */
export type Membership = Extract<Condition, { readonly op: "has" | "hasnot" }>;

/** Whether a condition asks for members. */
export function isMembership(condition: Condition): condition is Membership {
  return condition.op === "has" || condition.op === "hasnot";
}

/** Turns a condition into a test of one value; whoever has lists looks for members itself. */
export function testOf<V>(
  condition: Condition,
  comparison: Comparison<V>,
): (value: V | undefined) => boolean {
  switch (condition.op) {
    case "exists":
      return (value) => value !== undefined;
    case "absent":
      return (value) => value === undefined;
    case "in":
    case "notin":
      return oneOf(condition.values, comparison, condition.op === "in");
    case "=":
    case "has":
      return oneOf([condition.value], comparison, true);
    case "!=":
    case "hasnot":
      return oneOf([condition.value], comparison, false);
    case "contains": {
      const part = condition.value.toLowerCase();
      return (value) => value !== undefined && comparison.text(value).toLowerCase().includes(part);
    }
    default:
      return ordered(condition.op, condition.value, comparison);
  }
}

function oneOf<V>(
  values: readonly Value[],
  { parse }: Comparison<V>,
  wanted: boolean,
): (value: V | undefined) => boolean {
  const set = new Set(values.map(parse));
  set.delete(undefined);
  return (value) => (value !== undefined && set.has(value)) === wanted;
}

function ordered<V>(
  op: "<" | "<=" | ">" | ">=",
  limit: Value,
  { parse, compare }: Comparison<V>,
): (value: V | undefined) => boolean {
  const bound = parse(limit);
  if (bound === undefined) return () => false;
  const accepts = ACCEPTS[op];
  return (value) => value !== undefined && accepts(compare(value, bound));
}

const ACCEPTS = {
  "<": (order: number) => order < 0,
  "<=": (order: number) => order <= 0,
  ">": (order: number) => order > 0,
  ">=": (order: number) => order >= 0,
};
