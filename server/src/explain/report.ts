/** What `drover explain` says. Pure. */

import {
  type Condition,
  type KubeObject,
  keyOf,
  messageOf,
  type ObjectRef,
  type Rehearsal,
  type RehearsedEvent,
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

/** `unknown`: nothing differs as far as could be told. */
export type Verdict = "in order" | "differs" | "unknown";

/** Lines for a person, and what they come to. */
export interface Report {
  readonly lines: readonly string[];
  readonly verdict: Verdict;
}

/**
 * The object, what its deletion waits for, what is wrong with it by its own status, and below it each concern with what it makes of it. Concerns that have
 * nothing to show come together at the end, and after them, one line each, the clusters of which something cannot be told.
 */
export function report(object: KubeObject, parts: readonly Part[]): Report {
  const own = [`${object.kind} ${keyOf(object)}`, ...endLines(object), ...conditionLines(object)];
  const told = parts.flatMap((part) =>
    part.rehearsal === undefined ? [] : [toldOf(part, part.rehearsal, object)],
  );
  const shown = told.filter(({ lines }) => lines.length > 0);
  const quiet = told.filter(({ lines }) => lines.length === 0).map(({ part }) => part);
  const unknown = parts.filter(({ rehearsal }) => rehearsal === undefined);
  const paragraphs = [
    ...shown.map(({ part, lines }) => [`${part.concern} in cluster ${part.cluster}:`, ...lines]),
    titled("in order, with nothing to list:", quietLines(quiet)),
    titled("cannot be told:", obstacleLines(unknown)),
  ].filter(({ length }) => length > 0);
  const lines = [...own, ...paragraphs.flatMap((paragraph) => ["", ...paragraph])];
  if (told.some(({ differs }) => differs)) return { lines, verdict: "differs" };
  return { lines, verdict: unknown.length > 0 ? "unknown" : "in order" };
}

function titled(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines];
}

/** `  a, b in clusters local, c-1`: clusters with the same concerns share a line. */
function quietLines(parts: readonly Part[]): readonly string[] {
  const concernsOf = Map.groupBy(parts, ({ cluster }) => cluster);
  const clusters = [...concernsOf].map(([cluster, its]) => ({ cluster, concerns: namesOf(its) }));
  return [...Map.groupBy(clusters, ({ concerns }) => concerns)].map(([concerns, its]) => {
    const names = its.map(({ cluster }) => cluster);
    return `  ${concerns} in ${names.length === 1 ? "cluster" : "clusters"} ${names.join(", ")}`;
  });
}

/** `  cluster c-1 (a, b): it is away`. */
function obstacleLines(parts: readonly Part[]): readonly string[] {
  const alike = Map.groupBy(parts, ({ cluster, obstacle }) => JSON.stringify([cluster, obstacle]));
  return [...alike.values()].map((its) => {
    const [{ cluster, obstacle } = { cluster: "", obstacle: "" }] = its;
    return `  cluster ${cluster} (${namesOf(its)}): ${oneLine(obstacle ?? "unknown")}`;
  });
}

function namesOf(parts: readonly Part[]): string {
  return parts.map(({ concern }) => concern).join(", ");
}

/** Characters of a reason. */
const longestReason = 400;

/** Without queries, which say nothing to a person, and line breaks; cut. */
function oneLine(text: string): string {
  const line = text.replaceAll(/\?[^\s:?]+(?=:)/g, "").replaceAll(/\s+/g, " ");
  return line.length > longestReason ? `${line.slice(0, longestReason - 1)}…` : line;
}

/** That it is being deleted, and who has to let go of it first. */
function endLines({
  metadata: { deletionTimestamp, finalizers = [] },
}: KubeObject): readonly string[] {
  if (deletionTimestamp === undefined) return [];
  const word = finalizers.length === 1 ? "finalizer" : "finalizers";
  const waits = finalizers.length === 0 ? "" : `; waits for ${word} ${finalizers.join(", ")}`;
  return [`  is being deleted since ${deletionTimestamp}${waits}`];
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

interface Told {
  readonly part: Part;
  readonly lines: readonly string[];
  readonly differs: boolean;
}

function toldOf(part: Part, rehearsal: Rehearsal, subject: ObjectRef): Told {
  const writes = rehearsal.writes.filter(isDifference);
  const touched = new Set(
    writes
      .filter(({ subresource }) => subresource === undefined)
      .map(({ object }) => identity(object)),
  );
  const inOrder = rehearsal.owned.filter((object) => !touched.has(identity(object)));
  const warnings = warningLines(rehearsal.events, subject);
  const { error } = rehearsal;
  const failed = error === undefined ? [] : [`  fails: ${oneLine(messageOf(error))}`];
  const lines = [
    ...inOrder.map((object) => `  in order     ${nameOf(object)}`),
    ...writes.map(
      (write) => `  ${wordOf(write).padEnd(12)} ${nameOf(write.object)}${detail(write)}`,
    ),
    ...warnings,
    ...failed,
  ];
  return { part, lines, differs: writes.length + warnings.length + failed.length > 0 };
}

/** What the concern would tell as Warning Events, each once: some kinds have no status that could tell it. */
function warningLines(events: readonly RehearsedEvent[], subject: ObjectRef): readonly string[] {
  const lines = events
    .filter(({ type }) => type === "Warning")
    .map(({ object, reason, message }) => {
      const about = identity(object) === identity(subject) ? "" : `${nameOf(object)}: `;
      return `  ${"warns".padEnd(12)} ${about}${reason}: ${oneLine(message)}`;
    });
  return [...new Set(lines)];
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
  if (refused !== undefined) return `${of}${hub}: ${oneLine(refused)}`;
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
