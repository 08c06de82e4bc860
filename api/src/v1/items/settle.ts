/** What answers change in objects of certain types (steve: pkg/resources/formatters, pkg/resources/virtual/clusters; rancher: pkg/api/steve/settings). */

import { gunzipSync } from "node:zlib";
import { parseQuantity } from "@drover/crds";
import { listAt, mapAt, textAt } from "../tree.ts";
import type { ResourceType } from "../types/resource-type.ts";

/** An object that is on its way into an answer. */
export type Tree = Readonly<Record<string, unknown>>;

const setting = "management.cattle.io.setting";

/** The object as answers of its type show it; the same object for most types. */
export function settled({ id }: Pick<ResourceType, "id">, object: Tree, ofCache: boolean): Tree {
  if (id === setting) return withDefault(object);
  if (id === "management.cattle.io.cluster" && ofCache) return withNumbers(object);
  return object;
}

/** Whether nobody changes the object through /v1, whatever his rights: settings that the environment says, or the server alone. */
export function isFixed({ id }: Pick<ResourceType, "id">, object: unknown): boolean {
  if (id !== setting) return false;
  return textAt(object, "source") === "env" || textAt(object, "metadata", "name") === "cacerts";
}

/** A setting without a value has its default. */
function withDefault(setting: Tree): Tree {
  return textAt(setting, "value") === ""
    ? { ...setting, value: textAt(setting, "default") }
    : setting;
}

/** Whether Helm keeps releases in objects of the type. */
export function hasReleases({ id }: Pick<ResourceType, "id">): boolean {
  return id === "secret" || id === "configmap";
}

/** Whether Helm keeps a release in it. */
export function isOfHelm(object: unknown): boolean {
  return (
    textAt(object, "metadata", "labels", "owner") === "helm" ||
    textAt(object, "metadata", "labels", "OWNER") === "TILLER"
  );
}

/** A release larger than this stays as it is, in bytes. */
const largestRelease = 32 * 1024 * 1024;

/** The object with the release of Helm 3 as JSON; unchanged where there is none that can be read. */
export function withRelease(object: Tree, isSecret: boolean): Tree {
  if (textAt(object, "metadata", "labels", "owner") !== "helm") return object;
  const data = mapAt(object, "data") ?? {};
  const text = textAt(data, "release");
  const encoded = isSecret ? Buffer.from(text, "base64").toString("latin1") : text;
  const release = releaseIn(Buffer.from(encoded, "base64"));
  return release === undefined ? object : { ...object, data: { ...data, release } };
}

function releaseIn(bytes: Buffer): unknown {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 0x08;
  try {
    const json = isPacked ? gunzipSync(bytes, { maxOutputLength: largestRelease }) : bytes;
    return JSON.parse(json.toString());
  } catch {
    return undefined; // somebody's own text under Helm's label
  }
}

/** A cluster of Rancher's with what is sorted and filtered by: whether it is connected, and its resources as numbers. */
function withNumbers(cluster: Tree): Tree {
  const status = mapAt(cluster, "status");
  if (status === undefined || !Array.isArray(status.conditions)) return cluster;
  const connected = listAt(status, "conditions").some(
    (each) => textAt(each, "type") === "Ready" && textAt(each, "status") === "True",
  );
  const counted = ["requested", "allocatable"].flatMap((key) => {
    const resources = mapAt(status, key);
    return resources === undefined ? [] : [[key, { ...resources, ...numbersOf(resources) }]];
  });
  return { ...cluster, status: { ...status, connected, ...Object.fromEntries(counted) } };
}

function numbersOf(resources: Tree): Tree {
  const numbers = [
    ["memoryRaw", approximate(textAt(resources, "memory"))],
    ["cpuRaw", approximate(textAt(resources, "cpu"))],
  ] as const;
  return Object.fromEntries(numbers.filter(([, number]) => number !== undefined));
}

/** An amount as a number, as near as there is one. */
function approximate(text: string): number | undefined {
  const amount = parseQuantity(text);
  return amount === undefined
    ? undefined
    : Number(amount / billion) + Number(amount % billion) / 1e9;
}

const billion = 1_000_000_000n;

const shownAnnotations = ["management.cattle.io/system-namespace", "field.cattle.io/projectId"];
const shownLabels = ["fleet.cattle.io/managed"];

/** What somebody learns of a namespace in which he may see something, but not the namespace (steve: pkg/resources/formatters/namespace.go). */
export function strangersNamespace(namespace: Tree, name: string): Tree {
  const version = textAt(namespace, "metadata", "resourceVersion");
  const phase = textAt(namespace, "status", "phase");
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name,
      labels: chosen(mapAt(namespace, "metadata", "labels"), shownLabels),
      annotations: chosen(mapAt(namespace, "metadata", "annotations"), shownAnnotations),
      ...(version === "" ? {} : { resourceVersion: version }),
    },
    spec: {},
    status: phase === "" ? {} : { phase },
  };
}

function chosen(map: Tree = {}, keys: readonly string[]): Tree {
  return Object.fromEntries(keys.filter((key) => key in map).map((key) => [key, map[key]]));
}
