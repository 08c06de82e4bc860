/** What answers change in objects of certain types (steve: pkg/resources/formatters, pkg/resources/virtual/clusters; rancher: pkg/api/steve/settings). */

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
