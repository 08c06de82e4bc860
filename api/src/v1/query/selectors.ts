/** Kubernetes' own selectors in the URL of a list (apimachinery: pkg/labels/selector.go, pkg/fields/selector.go). */

import { parseSelector, SelectorError } from "kopf-ts";
import { QueryError } from "./errors.ts";
import { type FieldPath, parseField, shorten } from "./field.ts";
import { splitOutside } from "./split.ts";

/** More requirements than anybody writes by hand. Each costs a look at the labels of every object. */
export const mostRequirements: number = 64;
/** Values of all requirements of a label selector, of which each object's is compared with one after the other. */
const mostValues = 500;

/** What a label may be called, without its prefix, and what its value may be, if it has one (apimachinery: pkg/util/validation). */
const labelName = /^[a-z\d]([\w.-]{0,61}[a-z\d])?$/i;
const labelPrefix = /^(?=.{1,253}$)[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*$/;

/** Gives a label selector back when it is one of labels that there can be, and a cache can answer it at once. Throws QueryError. */
export function checkedSelector(text: string, parameter = "labelSelector"): string {
  const requirements = requirementsIn(text, parameter);
  const wrong = noLabelIn(requirements);
  if (wrong !== undefined) throw new QueryError(parameter, wrong);
  if (requirements.length > mostRequirements) {
    throw new QueryError(parameter, `more than ${mostRequirements} requirements`);
  }
  const values = requirements.flatMap((each) => ("values" in each ? each.values : []));
  if (values.length > mostValues) {
    throw new QueryError(parameter, `more than ${mostValues} values`);
  }
  return text;
}

/** What of a selector no label can be or have; undefined where all is well. Without this look `a!=-b` would hold for everything, and `-a=b` for nothing, by a typing error. */
export function noLabelIn(requirements: ReturnType<typeof parseSelector>): string | undefined {
  for (const { key, ...rest } of requirements) {
    if (!isLabelKey(key)) return `'${shorten(key)}' is no key of a label`;
    const value = "values" in rest ? rest.values.find((each) => !isLabelValue(each)) : undefined;
    if (value !== undefined) return `'${shorten(value)}' is no value of a label`;
  }
  return undefined;
}

function isLabelKey(key: string): boolean {
  const [name = "", prefix, ...more] = key.split("/").toReversed();
  return labelName.test(name) && (prefix === undefined || labelPrefix.test(prefix)) && !more.length;
}

function isLabelValue(value: string): boolean {
  return value === "" || labelName.test(value);
}

/** The texts of a label selector's requirements; commas in brackets are between values. */
export function partsOfSelector(selector: string): readonly string[] {
  return splitOutside(selector, "()");
}

function requirementsIn(text: string, parameter: string): ReturnType<typeof parseSelector> {
  try {
    return parseSelector(text);
  } catch (cause) {
    throw cause instanceof SelectorError ? noSelector(text, parameter, cause) : cause;
  }
}

function noSelector(text: string, parameter: string, cause: SelectorError): QueryError {
  const message = `'${shorten(text)}' is no label selector: ${cause.reason}`;
  return new QueryError(parameter, message, { cause });
}

/** One requirement of a field selector. */
export interface FieldTerm {
  readonly field: FieldPath;
  readonly op: "=" | "!=";
  readonly value: string;
}

/** Reads `status.phase=Running,spec.nodeName!=a`, all of which have to hold; a backslash stands before `,`, `=` and `\` in values. Throws QueryError. */
export function parseFieldSelector(
  text: string,
  parameter = "fieldSelector",
): readonly FieldTerm[] {
  const terms = text.split(/(?<!(?<!\\)(?:\\\\)*\\),/).filter((term) => term !== "");
  if (terms.length > mostRequirements) {
    throw new QueryError(parameter, `more than ${mostRequirements} requirements`);
  }
  return terms.map((term) => fieldTerm(term, parameter));
}

/** The keys of objects that /v1 renames. */
const renamed: ReadonlySet<string> = new Set(["id", "type", "links", "actions"]);

function fieldTerm(term: string, parameter: string): FieldTerm {
  const {
    path = "",
    op,
    value = "",
  } = /^(?<path>[^=!]+)(?<op>!=|==?)(?<value>.*)$/su.exec(term)?.groups ?? {};
  if (op === undefined || !/^(?:[^\\,=]|\\[\\,=])*$/su.test(value)) {
    throw new QueryError(parameter, `'${shorten(term)}' is no requirement of a field`);
  }
  const [first = "", ...rest] = parseField(path.trim(), parameter);
  const field = [renamed.has(first) ? `_${first}` : first, ...rest];
  const plain = value.replaceAll(/\\(.)/gsu, "$1");
  return { field, op: op === "!=" ? "!=" : "=", value: plain };
}
