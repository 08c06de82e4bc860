/** What `drover explain` says. Pure. */

import {
  type Condition,
  type KubeObject,
  keyOf,
  messageOf,
  type ObjectRef,
  type Rehearsal,
  type RehearsedWrite,
} from "kopf-ts";

/** What one concern makes of the object, in one cluster. */
export interface Part {
  /** Name of the controller. */
  readonly concern: string;
  readonly cluster: string;
  /** Undefined where it could not be found out; `obstacle` says why. */
  readonly rehearsal?: Rehearsal;
  readonly obstacle?: string;
}

/** Lines for a person, and whether everything is as it should be. */
export interface Report {
  readonly lines: readonly string[];
  readonly inOrder: boolean;
}

/** The object, what is wrong with it by its own status, and below it each concern with what it makes of it. */
export function report(object: KubeObject, parts: readonly Part[]): Report {
  const own = [`${object.kind} ${keyOf(object)}`, ...conditionLines(object)];
  const told = parts.map(partOf);
  const lines = [...own, ...told.flatMap(({ lines: each }) => ["", ...each])];
  return { lines, inOrder: told.every(({ inOrder }) => inOrder) };
}

/** Conditions that do not hold; norman's and metav1's, on either side. */
function conditionLines(object: KubeObject): readonly string[] {
  const { status } = object as { readonly status?: Readonly<Record<string, unknown>> }; // unknown to KubeObject
  const lists = ["conditions", "localConditions", "remoteConditions"].flatMap((name) =>
    Array.isArray(status?.[name]) ? (status[name] as readonly Condition[]) : [],
  );
  return lists
    .filter((condition) => condition.status !== "True")
    .map(({ type, status: is, reason = "", message = "" }) =>
      [
        "  condition",
        type,
        `is ${is}:`,
        [reason, message].filter(Boolean).join(": ") || "no reason given",
      ].join(" "),
    );
}

function partOf({ concern, cluster, rehearsal, obstacle }: Part): Report {
  const title = `${concern} in cluster ${cluster}:`;
  if (rehearsal === undefined) {
    return { lines: [title, `  cannot be told: ${obstacle ?? "unknown"}`], inOrder: false };
  }
  const writes = rehearsal.writes.filter(isDifference);
  const touched = new Set(
    writes
      .filter(({ subresource }) => subresource === undefined)
      .map(({ object }) => identity(object)),
  );
  const inOrder = rehearsal.owned.filter((object) => !touched.has(identity(object)));
  const failed = rehearsal.error === undefined ? [] : [`  fails: ${messageOf(rehearsal.error)}`];
  const lines = [
    ...inOrder.map((object) => `  in order     ${nameOf(object)}`),
    ...writes.map(
      (write) => `  ${wordOf(write).padEnd(12)} ${nameOf(write.object)}${detail(write)}`,
    ),
    ...failed,
  ];
  const nothing = lines.length === 0 ? ["  nothing follows from it"] : [];
  return {
    lines: [title, ...lines, ...nothing],
    inOrder: writes.length === 0 && failed.length === 0,
  };
}

/** What the server would store as it is, is no difference. */
function isDifference({ existed, changes, refused, verb }: RehearsedWrite): boolean {
  return verb === "delete" || refused !== undefined || !existed || changes.length > 0;
}

function wordOf({ verb, existed, refused }: RehearsedWrite): string {
  if (refused !== undefined) return "refused";
  if (verb === "delete") return "superfluous";
  return existed ? "differs" : "missing";
}

const mostChanges = 6;

function detail({ subresource, changes, refused, where }: RehearsedWrite): string {
  const of = subresource === undefined ? "" : ` (${subresource})`;
  const hub = where === "hub" ? " in the management cluster" : "";
  if (refused !== undefined) return `${of}${hub}: ${refused}`;
  if (changes.length === 0) return `${of}${hub}`;
  const more = changes.length - mostChanges;
  const shown = changes.slice(0, mostChanges).join(", ");
  return `${of}${hub}: ${shown}${more > 0 ? ` and ${more} more` : ""}`;
}

function nameOf(object: ObjectRef): string {
  const { name, namespace } = object.metadata;
  if (!name)
    return `${object.kind} with a name that the server chooses${namespace ? `, in ${namespace}` : ""}`;
  return `${object.kind} ${keyOf(object)}`;
}

function identity(object: ObjectRef): string {
  return `${object.kind} ${keyOf(object)}`;
}
