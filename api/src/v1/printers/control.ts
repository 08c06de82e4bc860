/** The rows of what a control plane keeps for itself, and of devices (kubernetes: pkg/printers/internalversion/printers.go). */

import { at, listAt, mapAt, textAt } from "../tree.ts";
import { age, type Cell, since } from "./cell.ts";
import { countAt, firstThree, isLeaving, nameOf, textOr } from "./texts.ts";

/** Name, PriorityLevel, MatchingPrecedence, DistinguisherMethod, Age, MissingPL. */
export function flowSchema(object: unknown): readonly Cell[] {
  const dangling = listAt(object, "status", "conditions").find(
    (each) => textAt(each, "type") === "Dangling",
  );
  return [
    nameOf(object),
    textAt(object, "spec", "priorityLevelConfiguration", "name"),
    countAt(object, "spec", "matchingPrecedence"),
    textOr("<none>", object, "spec", "distinguisherMethod", "type"),
    age(object),
    dangling === undefined ? "?" : textAt(dangling, "status"),
  ];
}

/** Name, Type, NominalConcurrencyShares, Queues, HandSize, QueueLengthLimit, Age. */
export function priorityLevelConfiguration(object: unknown): readonly Cell[] {
  const limited = at(object, "spec", "limited");
  const queuing = at(limited, "limitResponse", "queuing");
  const of = (tree: unknown, key: string): Cell =>
    tree === undefined ? "<none>" : countAt(tree, key);
  return [
    nameOf(object),
    textAt(object, "spec", "type"),
    of(limited, "nominalConcurrencyShares"),
    ...["queues", "handSize", "queueLengthLimit"].map((key) => of(queuing, key)),
    age(object),
  ];
}

/** Name, CommonEncodingVersion, StorageVersions, Age. */
export function storageVersion(object: unknown): readonly Cell[] {
  const all = listAt(object, "status", "storageVersions").map(
    (each) => `${textAt(each, "apiServerID")}=${textAt(each, "encodingVersion")}`,
  );
  const common = textOr("<unset>", object, "status", "commonEncodingVersion");
  return [nameOf(object), common, firstThree(all), age(object)];
}

/** Name, Resource, Status. */
export function storageVersionMigration(object: unknown): readonly Cell[] {
  const types = ["Running", "Failed", "Succeeded"];
  const found = listAt(object, "status", "conditions").findLast(
    (each) => textAt(each, "status") === "True" && types.includes(textAt(each, "type")),
  );
  const [resource, group] = ["resource", "group"].map((key) =>
    textAt(object, "spec", "resource", key),
  );
  const text = group === "" ? resource : `${resource}.${group}`;
  return [nameOf(object), text ?? "", textAt(found, "type") || "Unknown"];
}

/** Name, State, Age. */
export function resourceClaim(object: unknown): readonly Cell[] {
  const leaving = isLeaving(object);
  const isAllocated = at(object, "status", "allocation") !== undefined;
  const isReserved = isAllocated && listAt(object, "status", "reservedFor").length > 0;
  const states = [
    ...(leaving ? ["deleted"] : []),
    ...(isAllocated ? ["allocated"] : leaving ? [] : ["pending"]),
    ...(isReserved ? ["reserved"] : []),
  ];
  return [nameOf(object), states.join(","), age(object)];
}

/** Name, Node, Driver, Pool, Age. */
export function resourceSlice(object: unknown): readonly Cell[] {
  return [
    nameOf(object),
    textAt(object, "spec", "nodeName"),
    textAt(object, "spec", "driver"),
    textAt(object, "spec", "pool", "name"),
    age(object),
  ];
}

/** Name, Key, Value, Effect, TimeAdded, Age. */
export function deviceTaintRule(object: unknown): readonly Cell[] {
  const taint = (key: string): string => textAt(object, "spec", "taint", key);
  const added = since(taint("timeAdded"), "");
  return [nameOf(object), taint("key"), taint("value"), taint("effect"), added, age(object)];
}

/** Name, Service, Available, Age (kube-aggregator: pkg/registry/apiservice/etcd/etcd.go). */
export function apiService(object: unknown): readonly Cell[] {
  const service = mapAt(object, "spec", "service");
  const place = `${textAt(service, "namespace")}/${textAt(service, "name")}`;
  const isAvailable = (each: unknown): boolean => textAt(each, "type") === "Available";
  const condition = listAt(object, "status", "conditions").find(isAvailable);
  const [status, reason] = [textAt(condition, "status"), textAt(condition, "reason")];
  const isPlain = condition === undefined || status === "True" || reason === "";
  const available = isPlain ? status || "Unknown" : `${status} (${reason})`;
  return [nameOf(object), service === undefined ? "Local" : place, available, age(object)];
}
