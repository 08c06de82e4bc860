/** What Kubernetes takes field selectors of built-in kinds for, where objects have the field under another name, or leave it out (kubernetes: pkg/apis, conversion.go, and pkg/registry, strategy.go, of each). Pure. */

import { type FieldPath, fieldText } from "../query/field.ts";
import type { Requirement } from "../query/filter.ts";
import type { FieldTerm } from "../query/selectors.ts";
import type { ResourceType } from "../types/resource-type.ts";

/** Requirements that all have to hold, each as a group of which one has to. */
type Groups = readonly (readonly Requirement[])[];

/** A value that a field must have, or those that it must not have. */
interface Term {
  readonly op: "in" | "notin";
  readonly values: readonly string[];
}

/** What a field selector means for a type. */
export function selectedBy(
  { kind }: Pick<ResourceType, "kind">,
  terms: readonly FieldTerm[],
): Groups {
  const fields = selectable[kind.group === "" ? kind.kind : `${kind.group}/${kind.kind}`] ?? {};
  const plain: Requirement[] = [];
  const excluded = new Map<string, string[]>();
  const meant: Groups[] = [];
  for (const each of terms) {
    const field = fieldText(each.field);
    const meaning = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (meaning === undefined) plain.push(each);
    else if (each.op === "=") meant.push(meaning({ op: "in", values: [each.value] }));
    else excluded.set(field, [...(excluded.get(field) ?? []), each.value]);
  }
  for (const [field, values] of excluded)
    meant.push(fields[field]?.({ op: "notin", values }) ?? []);
  return [...plain.map((each) => [each]), ...meant.flat()];
}

/** Where the field is absent it has a value all the same, and is never empty. */
function defaulted(field: FieldPath, absent: string): (term: Term) => Groups {
  return ({ op, values }) => {
    const named = values.filter((value) => value !== "");
    return [[{ field, op, values: named.includes(absent) ? [...named, ""] : named }]];
  };
}

/** The first of two fields that is not empty. */
function either(first: FieldPath, second: FieldPath): (term: Term) => Groups {
  return ({ op, values }) => {
    const one = (...values: readonly string[]): Requirement => ({ field: first, op, values });
    const other = (...values: readonly string[]): Requirement => ({ field: second, op, values });
    const named = values.filter((value) => value !== "");
    const empty = named.length < values.length;
    if (op === "notin")
      return [
        [one(...named)],
        [one(""), other(...named)],
        ...(empty ? [[one(""), other("")]] : []),
      ];
    return empty
      ? [[one("")], [other("")]]
      : [[one(...named, "")], [one(...named), other(...named)]];
  };
}

const selectable: Readonly<Record<string, Readonly<Record<string, (term: Term) => Groups>>>> = {
  Event: { source: either(["source", "component"], ["reportingComponent"]) },
  Node: { "spec.unschedulable": defaulted(["spec", "unschedulable"], "false") },
  Pod: {
    "spec.hostNetwork": defaulted(["spec", "hostNetwork"], "false"),
    "spec.host": (term) => [[{ field: ["spec", "nodeName"], ...term }]],
  },
  "batch/Job": { "status.successful": defaulted(["status", "succeeded"], "0") },
};
