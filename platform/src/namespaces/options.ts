/** What people want on every namespace that the server makes (rancher: pkg/namespace). */

import type { Environment } from "../settings/index.ts";

/** Labels and annotations of a namespace. */
export interface NamespaceMetadata {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Thrown for options that nobody can read. */
export class NamespaceOptionsError extends Error {
  override readonly name = "NamespaceOptionsError";
}

const variable = "RANCHER_NAMESPACE_OPTIONS";
/** Says of a namespace that these options were applied to it. */
const managedAnnotation = "cattle.io/managed-namespace";
const nothing: NamespaceMetadata = { labels: {}, annotations: {} };

/**
 * Labels and annotations from the variable RANCHER_NAMESPACE_OPTIONS, JSON `{"enabled": true, "labels": {}, "annotations": {}}`; none without it or
 * where it is not enabled. Throws a NamespaceOptionsError for anything else.
 */
export function namespaceMetadata(env: Environment): NamespaceMetadata {
  const text = env[variable] ?? "";
  if (text === "") return nothing;
  const { enabled = false, labels = {}, annotations = {} } = parse(text);
  if (typeof enabled !== "boolean") throw unreadable("enabled must be true or false");
  if (!isTexts(labels)) throw unreadable("labels must be an object of texts");
  if (!isTexts(annotations)) throw unreadable("annotations must be an object of texts");
  if (!enabled) return nothing;
  return { labels, annotations: { ...annotations, [managedAnnotation]: "true" } };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (isFields(value)) return value;
  } catch (cause) {
    throw unreadable("it is no JSON", cause);
  }
  throw unreadable("it is no JSON object");
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isFields(value) && Object.values(value).every((each) => typeof each === "string");
}

function unreadable(why: string, cause?: unknown): NamespaceOptionsError {
  return new NamespaceOptionsError(`cannot read ${variable}: ${why}`, { cause });
}
