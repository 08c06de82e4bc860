/** What an API server says of itself, as a Cluster's status keeps it. Pure. */

import type { VersionInfo } from "@drover/crds";

const fields = [
  "major",
  "minor",
  "gitVersion",
  "gitCommit",
  "gitTreeState",
  "buildDate",
  "goVersion",
  "compiler",
  "platform",
] as const satisfies readonly (keyof VersionInfo)[];

/** Blank, as Rancher keeps them: several servers of one cluster may differ in them. */
const blank: ReadonlySet<string> = new Set(["buildDate", "platform"]);

/** The version in an answer of /version; undefined for anything else. What a server says beyond that is left out. */
export function parseVersion(body: string): VersionInfo | undefined {
  const said = parse(body);
  if (typeof said.gitVersion !== "string" || said.gitVersion === "") return undefined;
  const entries = fields.map((field) => {
    const value = said[field];
    return [field, typeof value === "string" && !blank.has(field) ? value : ""];
  });
  return Object.fromEntries(entries);
}

function parse(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
