/** The plan of a machine, as far as its agent has to be able to read it (system-agent: pkg/applyinator). */

import type { Problem } from "../verdicts.ts";

const lists = ["files", "instructions", "periodicInstructions"] as const;

/** What is wrong with a plan, base64 as Secrets have it; says nothing of what it holds. */
export function planProblem(data: string | undefined): Problem {
  if (data === undefined || data === "") return undefined;
  const plan = parse(Buffer.from(data, "base64").toString("utf8"));
  if (!isObject(plan)) return "data.plan must be a plan: a JSON object";
  const wrong = lists.find((field) => !isList(plan[field]));
  if (wrong !== undefined) return `data.plan: ${wrong} must be a list of objects`;
  const { probes } = plan;
  if (probes === undefined || probes === null) return undefined;
  return isObject(probes) && Object.values(probes).every(isObject)
    ? undefined
    : "data.plan: probes must be objects by name";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isList(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.every(isObject));
}
