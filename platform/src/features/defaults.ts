/** The defaults of one process: the table's, and what `--features` or CATTLE_FEATURES says. */

import { type FeatureName, featureNames, features, isFeatureName } from "./table.ts";

/** The default of every feature. */
export type FeatureDefaults = Readonly<Record<FeatureName, boolean>>;

/** Thrown when a list of features cannot be read; says which part and what it ought to be. */
export class FeatureListError extends Error {
  override readonly name = "FeatureListError";
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "TRUE", "true", "True"].map((text): [string, boolean] => [text, true]),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text): [string, boolean] => [text, false]),
]);

/** Defaults as `name=true,other=false` changes them; the empty text changes nothing, the last of a name counts. */
export function parseFeatures(text: string): FeatureDefaults {
  const given = text.trim() === "" ? [] : text.split(",").map(parsePart);
  const defaults = featureNames.map((name) => [name, features[name].default] as const);
  return Object.fromEntries([...defaults, ...given]) as FeatureDefaults; // every name is in defaults
}

function parsePart(part: string): readonly [FeatureName, boolean] {
  const [name = "", text = "", ...rest] = part.split("=").map((side) => side.trim());
  const value = booleans.get(text);
  if (value === undefined || rest.length > 0) {
    throw new FeatureListError(
      `feature list: "${part.trim()}" must be of the form name=true or name=false`,
    );
  }
  if (!isFeatureName(name)) throw new FeatureListError(`feature list: "${name}" is not a feature`);
  return [name, value];
}
