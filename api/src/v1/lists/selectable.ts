/** What Kubernetes takes field selectors of built-in kinds for, where objects have the field under another name, or leave it out (kubernetes: pkg/apis, conversion.go, and pkg/registry, strategy.go, of each). Pure. */

import { type FieldPath, fieldText } from "../query/field.ts";
import type { Requirement } from "../query/filter.ts";
import type { ResourceType } from "../types/resource-type.ts";

/** A requirement of a field selector. */
interface Term {
  readonly field: FieldPath;
  readonly op: "=" | "!=";
  readonly value: string;
}

type Groups = readonly (readonly Requirement[])[];

/** Requirements that all have to hold, each as groups of which one has to. */
export function selectedBy(
  { kind }: Pick<ResourceType, "kind">,
  requirements: readonly Requirement[],
): Groups {
  const fields = selectable[kind.group === "" ? kind.kind : `${kind.group}/${kind.kind}`];
  return requirements.flatMap((each): Groups => {
    const field = fieldText(each.field);
    const meant = fields !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined;
    return meant !== undefined && isTerm(each) ? meant(each) : [[each]];
  });
}

function isTerm(requirement: Requirement): requirement is Term {
  return requirement.op === "=" || requirement.op === "!=";
}

/** Where the field is absent it has a value all the same, and is never empty. */
function defaulted(field: FieldPath, absent: string): (term: Term) => Groups {
  return ({ op, value }) => {
    const same = value === absent ? [value, ""] : [value];
    return [[{ field, op: op === "=" ? "in" : "notin", values: value === "" ? [] : same }]];
  };
}

/** The first of two fields that is not empty. */
function either(first: FieldPath, second: FieldPath): (term: Term) => Groups {
  return ({ op, value }) => {
    const [one, other] = [first, second].map((field): Requirement => ({ field, op, value }));
    if (one === undefined || other === undefined) return [];
    if (value === "") return op === "=" ? [[one], [other]] : [[one, other]];
    const empty: Requirement = { field: first, op, value: "" };
    return op === "="
      ? [
          [one, empty],
          [one, other],
        ]
      : [[one], [empty, other]];
  };
}

const selectable: Readonly<Record<string, Readonly<Record<string, (term: Term) => Groups>>>> = {
  Event: { source: either(["source", "component"], ["reportingComponent"]) },
  Node: { "spec.unschedulable": defaulted(["spec", "unschedulable"], "false") },
  Pod: {
    "spec.hostNetwork": defaulted(["spec", "hostNetwork"], "false"),
    "spec.host": ({ op, value }) => [[{ field: ["spec", "nodeName"], op, value }]],
  },
  "batch/Job": { "status.successful": defaulted(["status", "succeeded"], "0") },
};
