/** Parts of Pods that a cluster hands on to Deployments, judged as Kubernetes does (kubernetes: pkg/apis/core/validation). */

import { isObjectName } from "@drover/crds";
import type { Problem } from "../verdicts.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Index and first problem of a list; what is no list is one. */
function inList(
  path: string,
  list: unknown,
  judge: (path: string, item: Fields) => Problem,
): Problem {
  if (list === undefined || list === null) return undefined;
  if (!Array.isArray(list)) return `${path} must be a list`;
  for (const [index, item] of list.entries()) {
    const at = `${path}[${index}]`;
    const problem = isFields(item) ? judge(at, item) : `${at} must be an object`;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What is wrong with a list of tolerations. */
export function tolerationsProblem(path: string, tolerations: unknown): Problem {
  return inList(path, tolerations, tolerationProblem);
}

const effects: readonly unknown[] = ["", "NoSchedule", "PreferNoSchedule", "NoExecute"];

function tolerationProblem(path: string, toleration: Fields): Problem {
  const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = toleration;
  if (key !== "" && !isQualifiedName(key)) return `${path}.key must be a label key`;
  if (key === "" && operator !== "Exists") return `${path}.operator must be Exists without a key`;
  if (!["", "Equal", "Exists"].includes(String(operator))) {
    return `${path}.operator must be Equal or Exists`;
  }
  if (operator === "Exists" && value !== "") {
    return `${path}.value must be empty with operator Exists`;
  }
  if (!isLabelValue(value)) return `${path}.value must be a label value`;
  if (!effects.includes(effect)) {
    return `${path}.effect must be NoSchedule, PreferNoSchedule or NoExecute`;
  }
  if (tolerationSeconds === undefined || effect === "NoExecute") return undefined;
  return `${path}.tolerationSeconds needs effect NoExecute`;
}

/** What is wrong with an affinity. */
export function affinityProblem(path: string, affinity: unknown): Problem {
  if (affinity === undefined || affinity === null) return undefined;
  if (!isFields(affinity)) return `${path} must be an object`;
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  return (
    nodeAffinityProblem(`${path}.nodeAffinity`, nodeAffinity) ??
    podAffinityProblem(`${path}.podAffinity`, podAffinity) ??
    podAffinityProblem(`${path}.podAntiAffinity`, podAntiAffinity)
  );
}

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

function nodeAffinityProblem(path: string, affinity: unknown): Problem {
  if (!isFields(affinity)) return objectOrNothing(path, affinity);
  const selector = affinity[required];
  return (
    (selector === undefined ? undefined : selectorProblem(`${path}.${required}`, selector)) ??
    inList(
      `${path}.${preferred}`,
      affinity[preferred],
      (at, term) => weightProblem(at, term) ?? termProblem(`${at}.preference`, term.preference),
    )
  );
}

function selectorProblem(path: string, selector: unknown): Problem {
  const terms = isFields(selector) ? selector.nodeSelectorTerms : undefined;
  if (!Array.isArray(terms) || terms.length === 0) return `${path}.nodeSelectorTerms is required`;
  return inList(`${path}.nodeSelectorTerms`, terms, termProblem);
}

function termProblem(path: string, term: unknown): Problem {
  if (!isFields(term)) return `${path} is required`;
  return (
    inList(`${path}.matchExpressions`, term.matchExpressions, nodeExpressionProblem) ??
    inList(`${path}.matchFields`, term.matchFields, nodeExpressionProblem)
  );
}

/** How many values an operator takes. */
const operators: Readonly<Record<string, (count: number) => boolean>> = {
  In: (count) => count > 0,
  NotIn: (count) => count > 0,
  Exists: (count) => count === 0,
  DoesNotExist: (count) => count === 0,
  Gt: (count) => count === 1,
  Lt: (count) => count === 1,
};
const labelOperators = Object.keys(operators).slice(0, 4);

function nodeExpressionProblem(path: string, expression: Fields): Problem {
  return expressionProblem(path, expression, Object.keys(operators));
}

function expressionProblem(path: string, expression: Fields, allowed: readonly string[]): Problem {
  const { key, operator, values } = expression;
  if (!isQualifiedName(key)) return `${path}.key must be a label key`;
  if (typeof operator !== "string" || !allowed.includes(operator)) {
    return `${path}.operator must be one of ${allowed.join(", ")}`;
  }
  const count = Array.isArray(values) ? values.length : 0;
  if (operators[operator]?.(count) === true) return undefined;
  return `${path}.values has the wrong number of values for operator ${operator}`;
}

function podAffinityProblem(path: string, affinity: unknown): Problem {
  if (!isFields(affinity)) return objectOrNothing(path, affinity);
  return (
    inList(`${path}.${required}`, affinity[required], podTermProblem) ??
    inList(
      `${path}.${preferred}`,
      affinity[preferred],
      (at, term) =>
        weightProblem(at, term) ?? podTermOrNothing(`${at}.podAffinityTerm`, term.podAffinityTerm),
    )
  );
}

function podTermOrNothing(path: string, term: unknown): Problem {
  return isFields(term) ? podTermProblem(path, term) : `${path} is required`;
}

function podTermProblem(path: string, { topologyKey, labelSelector }: Fields): Problem {
  if (!isQualifiedName(topologyKey))
    return `${path}.topologyKey is required and must be a label key`;
  const selector = `${path}.labelSelector`;
  if (!isFields(labelSelector)) return objectOrNothing(selector, labelSelector);
  return inList(`${selector}.matchExpressions`, labelSelector.matchExpressions, (at, item) =>
    expressionProblem(at, item, labelOperators),
  );
}

function weightProblem(path: string, { weight }: Fields): Problem {
  const fits = Number.isInteger(weight) && Number(weight) >= 1 && Number(weight) <= 100;
  return fits ? undefined : `${path}.weight must be from 1 to 100`;
}

function objectOrNothing(path: string, value: unknown): Problem {
  return value === undefined || value === null ? undefined : `${path} must be an object`;
}

const nameForm = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

function isQualifiedName(key: unknown): boolean {
  if (typeof key !== "string" || key.length > 317) return false;
  const [name = "", domain, ...rest] = key.split("/").reverse();
  if (rest.length > 0 || !nameForm.test(name)) return false;
  return domain === undefined || isObjectName(domain);
}

function isLabelValue(value: unknown): boolean {
  return value === "" || (typeof value === "string" && nameForm.test(value));
}
