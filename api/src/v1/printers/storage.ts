/** The rows of what stores (kubernetes: pkg/printers/internalversion/printers.go, pkg/apis/core/helper). */

import { at, isTrueAt, listAt, textAt } from "../tree.ts";
import { age, type Cell } from "./cell.ts";
import { isLeaving, nameOf, textOr } from "./texts.ts";

const modes = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

function accessModes(object: unknown, part: string): string {
  const all = listAt(object, part, "accessModes");
  return modes
    .filter(([mode]) => all.includes(mode))
    .map(([, short]) => short)
    .join(",");
}

/** The annotation is older than the field, and wins. */
function storageClassName(object: unknown): string {
  const annotated = textAt(
    object,
    "metadata",
    "annotations",
    "volume.beta.kubernetes.io/storage-class",
  );
  return annotated || textAt(object, "spec", "storageClassName");
}

function phase(object: unknown): string {
  return isLeaving(object) ? "Terminating" : textAt(object, "status", "phase");
}

/** Name, Capacity, Access Modes, Reclaim Policy, Status, Claim, StorageClass, VolumeAttributesClass, Reason, Age, VolumeMode. */
export function persistentVolume(object: unknown): readonly Cell[] {
  const claim = at(object, "spec", "claimRef");
  return [
    nameOf(object),
    textOr("0", object, "spec", "capacity", "storage"),
    accessModes(object, "spec"),
    textAt(object, "spec", "persistentVolumeReclaimPolicy"),
    phase(object),
    claim === undefined ? "" : `${textAt(claim, "namespace")}/${textAt(claim, "name")}`,
    storageClassName(object),
    textOr("<unset>", object, "spec", "volumeAttributesClassName"),
    textAt(object, "status", "reason"),
    age(object),
    textOr("<unset>", object, "spec", "volumeMode"),
  ];
}

/** Name, Status, Volume, Capacity, Access Modes, StorageClass, VolumeAttributesClass, Age, VolumeMode. */
export function persistentVolumeClaim(object: unknown): readonly Cell[] {
  const volume = textAt(object, "spec", "volumeName");
  const isBound = volume !== "";
  return [
    nameOf(object),
    phase(object),
    volume,
    isBound ? textOr("0", object, "status", "capacity", "storage") : "",
    isBound ? accessModes(object, "status") : "",
    storageClassName(object),
    textOr("<unset>", object, "spec", "volumeAttributesClassName"),
    age(object),
    textOr("<unset>", object, "spec", "volumeMode"),
  ];
}

/** Name, Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion, Age. */
export function storageClass(object: unknown): readonly Cell[] {
  const isDefault = ["storageclass.kubernetes.io", "storageclass.beta.kubernetes.io"].some(
    (prefix) => textAt(object, "metadata", "annotations", `${prefix}/is-default-class`) === "true",
  );
  return [
    `${nameOf(object)}${isDefault ? " (default)" : ""}`,
    textAt(object, "provisioner"),
    textOr("Delete", object, "reclaimPolicy"),
    textOr("Immediate", object, "volumeBindingMode"),
    isTrueAt(object, "allowVolumeExpansion"),
    age(object),
  ];
}

/** Name, DriverName, Age. */
export function volumeAttributesClass(object: unknown): readonly Cell[] {
  return [nameOf(object), textAt(object, "driverName"), age(object)];
}

/** Name, Attacher, PV, Node, Attached, Age. */
export function volumeAttachment(object: unknown): readonly Cell[] {
  return [
    nameOf(object),
    textAt(object, "spec", "attacher"),
    textAt(object, "spec", "source", "persistentVolumeName"),
    textAt(object, "spec", "nodeName"),
    isTrueAt(object, "status", "attached"),
    age(object),
  ];
}

/** Name, Drivers, Age. */
export function csiNode(object: unknown): readonly Cell[] {
  return [nameOf(object), listAt(object, "spec", "drivers").length, age(object)];
}

/** Name, AttachRequired, PodInfoOnMount, StorageCapacity, TokenRequests, RequiresRepublish, Modes, Age. */
export function csiDriver(object: unknown): readonly Cell[] {
  const requests = listAt(object, "spec", "tokenRequests");
  const isSet = at(object, "spec", "tokenRequests") !== undefined;
  return [
    nameOf(object),
    at(object, "spec", "attachRequired") !== false,
    isTrueAt(object, "spec", "podInfoOnMount"),
    isTrueAt(object, "spec", "storageCapacity"),
    isSet ? requests.map((each) => textAt(each, "audience")).join(",") : "<unset>",
    isTrueAt(object, "spec", "requiresRepublish"),
    listAt(object, "spec", "volumeLifecycleModes").map(String).join(",") || "<none>",
    age(object),
  ];
}
