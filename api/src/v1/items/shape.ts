/** The parameters of a URL that say how items are to be shaped (steve: pkg/resources/common/formatter.go). */

import { type Problem, problem } from "../problem.ts";
import { QueryError } from "../query/errors.ts";
import { type FieldPath, parseField, shorten } from "../query/field.ts";
import type { Shape } from "./item.ts";

/** As the API server sent the object, with what /v1 adds. */
export const whole: Shape = {
  include: [],
  exclude: [],
  excludeValues: [],
  truncate: undefined,
  includeHelmData: false,
  checkPermissions: [],
  associatedData: false,
};

/** More paths than this in one parameter are no request of a person or a program of sense. */
const mostPaths = 200;

const parameters = [
  ...["include", "exclude", "excludeValues", "truncate"],
  ...["includeHelmData", "checkPermissions", "includeAssociatedData"],
];

/** Reads the shape off a URL. Throws a Problem (422) that names the parameter. */
export function parseShape(query: URLSearchParams): Shape {
  if (!parameters.some((name) => query.has(name))) return whole;
  return {
    include: pathsIn(query, "include"),
    exclude: pathsIn(query, "exclude"),
    excludeValues: pathsIn(query, "excludeValues"),
    truncate: lengthIn(query, "truncate"),
    includeHelmData: truthIn(query, "includeHelmData"),
    checkPermissions: typesIn(query, "checkPermissions"),
    associatedData: truthIn(query, "includeAssociatedData"),
  };
}

const textOfWhole = JSON.stringify(whole);

/** Another text for another shape. Most ask for none. */
export function textOf(shape: Shape): string {
  return shape === whole ? textOfWhole : JSON.stringify(shape);
}

/** The keys of a path in a shape. Dots part them; a key with dots stands in brackets at the end. */
export function pathOf(text: string): FieldPath {
  return parseField(text, "path");
}

function pathsIn(query: URLSearchParams, parameter: string): readonly string[] {
  const paths = query.getAll(parameter);
  if (paths.length > mostPaths) throw tooMany(parameter);
  for (const path of paths) check(path, parameter);
  return paths;
}

function check(path: string, parameter: string): void {
  try {
    parseField(path, parameter);
  } catch (thrown) {
    if (thrown instanceof QueryError) throw problem("InvalidOption", thrown.message, parameter);
    throw thrown;
  }
}

/** Types that nobody knows are left out of answers, as there (steve: pkg/resources/common/formatter.go). */
function typesIn(query: URLSearchParams, parameter: string): readonly string[] {
  const types = (query.get(parameter) ?? "").split(",").filter((type) => type !== "");
  if (types.length > mostPaths) throw tooMany(parameter);
  return types;
}

function lengthIn(query: URLSearchParams, parameter: string): number | undefined {
  const text = query.get(parameter);
  if (text === null) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw invalid(parameter, text, "a number of characters");
}

function truthIn(query: URLSearchParams, parameter: string): boolean {
  const text = query.get(parameter) ?? "";
  if (text === "true") return true;
  if (text === "false" || text === "") return false;
  throw invalid(parameter, text, "true or false");
}

function invalid(parameter: string, text: string, wanted: string): Problem {
  return problem("InvalidOption", `${JSON.stringify(shorten(text))} is not ${wanted}`, parameter);
}

function tooMany(parameter: string): Problem {
  return problem("InvalidOption", `more than ${mostPaths} values`, parameter);
}
