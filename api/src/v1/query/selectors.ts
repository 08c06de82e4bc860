/** Kubernetes' own selectors in the URL of a list (apimachinery: pkg/labels/selector.go, pkg/fields/selector.go). */

import { parseSelector } from "kopf-ts";
import { QueryError } from "./errors.ts";
import { parseField, shorten } from "./field.ts";
import type { Requirement } from "./filter.ts";

/** More requirements than anybody writes by hand. */
const most = 64;

/** Gives a label selector back when it is one. Throws QueryError. */
export function checkedSelector(text: string, parameter = "labelSelector"): string {
  if (isSelector(text)) return text;
  throw new QueryError(parameter, `'${shorten(text)}' is no label selector`);
}

function isSelector(text: string): boolean {
  try {
    parseSelector(text);
    return true;
  } catch {
    return false;
  }
}

/** Reads `status.phase=Running,spec.nodeName!=a`, all of which have to hold; a backslash stands before `,`, `=` and `\` in values. Throws QueryError. */
export function parseFieldSelector(
  text: string,
  parameter = "fieldSelector",
): readonly Requirement[] {
  const terms = text.split(/(?<!(?<!\\)(?:\\\\)*\\),/).filter((term) => term !== "");
  if (terms.length > most) throw new QueryError(parameter, `more than ${most} requirements`);
  return terms.map((term) => fieldTerm(term, parameter));
}

/** The keys of objects that /v1 renames. */
const renamed: ReadonlySet<string> = new Set(["id", "type", "links", "actions"]);

function fieldTerm(term: string, parameter: string): Requirement {
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
