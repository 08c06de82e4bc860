/** What subscribers send: one JSON object per message (apiserver: pkg/subscribe/watcher.go). Pure. */

import { parseSelector, type Requirement, SelectorError } from "kopf-ts";
import { type ClusterNames, clustersIn, parseRevisions } from "../query/clusters.ts";
import { QueryError } from "../query/errors.ts";
import { mostRequirements, noLabelIn } from "../query/selectors.ts";
import { textAt } from "../tree.ts";

/** A message, every field of it as it was sent; texts are empty where nothing was. */
export interface Message {
  readonly resourceType: string;
  /** The revision of a list: a number, or of several clusters `local:12,c-abcde:34`. */
  readonly resourceVersion: string;
  readonly namespace: string;
  readonly id: string;
  readonly selector: string;
  /** Names with commas between, or `all`; empty for the server's own cluster alone. */
  readonly clusters: string;
  readonly mode: Mode;
  /** Milliseconds; 0 for the usual 5,000. */
  readonly debounceMs: number;
  readonly stop: boolean;
}

/** Whether whole objects are sent, or only that there is something new. */
export type Mode = "" | "resource.changes";

/** Bytes of a message at most. */
export const longestMessage: number = 16 * 1024;

const longestDebounce = 3_600_000;

/** What a MessageError is made with. */
export interface MessageErrorOptions extends ErrorOptions {
  readonly about?: Message;
}

/** A message that cannot be read; its text is for whoever sent it. `about` is what could be read of it, to be echoed. */
export class MessageError extends Error {
  override readonly name = "MessageError";
  readonly about: Message;

  constructor(message: string, { about = unsaid, ...options }: MessageErrorOptions = {}) {
    super(message, options);
    this.about = about;
  }
}

/** A message that says nothing. */
export const unsaid: Message = {
  ...{ resourceType: "", resourceVersion: "", namespace: "", id: "", selector: "" },
  clusters: "",
  ...{ mode: "", debounceMs: 0, stop: false },
};

/** Reads a message; fields that nobody knows do not count. Throws MessageError. */
export function readMessage(text: string): Message {
  const fields = objectIn(text);
  const { mode = "", debounceMs = 0, stop = false } = fields;
  const about: Message = {
    ...{ ...unsaid, ...textsIn(fields), stop: stop !== false },
    ...(mode === "resource.changes" && { mode }),
    ...(isDebounce(debounceMs) && { debounceMs }),
  };
  if (mode !== "" && mode !== "resource.changes") throw invalid("mode", "resource.changes", about);
  if (!isDebounce(debounceMs)) throw invalid("debounceMs", "a number of milliseconds", about);
  if (typeof stop !== "boolean") throw invalid("stop", "true or false", about);
  if (!isRevision(about)) {
    throw invalid("resourceVersion", "the revision of a list", about);
  }
  if (!isId(about.id)) throw invalid("id", "a name, or a namespace and a name", about);
  return { ...about, mode, debounceMs, stop };
}

/** What a watch is known by: a message with the same key stops it. */
export function keyOf(message: Message): string {
  const { resourceType, namespace, id, selector, mode, debounceMs, clusters } = message;
  return JSON.stringify([resourceType, namespace, id, selector, mode, debounceMs, clusters]);
}

/** The conditions of a label selector, of which each is asked of every change. Throws MessageError. */
export function requirementsOf(message: Message): readonly Requirement[] {
  const requirements = selectorOf(message);
  const wrong = noLabelIn(requirements);
  if (wrong !== undefined) throw new MessageError(`invalid selector: ${wrong}`, { about: message });
  if (requirements.length <= mostRequirements) return requirements;
  throw invalid("selector", `one of at most ${mostRequirements} requirements`, message);
}

function selectorOf(message: Message): readonly Requirement[] {
  try {
    return parseSelector(message.selector);
  } catch (thrown) {
    if (!(thrown instanceof SelectorError)) throw thrown;
    throw new MessageError(thrown.message, { about: message, cause: thrown });
  }
}

/** The clusters that are watched together; undefined for the server's own alone. Throws MessageError. */
export function clustersOf(message: Message): ClusterNames | undefined {
  if (message.clusters === "") return undefined;
  try {
    return clustersIn(message.clusters);
  } catch (thrown) {
    if (!(thrown instanceof QueryError)) throw thrown;
    throw new MessageError(`invalid clusters: ${thrown.message}`, {
      about: message,
      cause: thrown,
    });
  }
}

/** From where each of several clusters goes on; those that are not in it from now on. */
export function revisionsOf({ resourceVersion }: Message): ReadonlyMap<string, string> {
  return parseRevisions(resourceVersion) ?? new Map();
}

function isRevision({ resourceVersion, clusters }: Message): boolean {
  if (/^(?:-1|0|)$/.test(resourceVersion)) return true;
  if (clusters !== "") return parseRevisions(resourceVersion) !== undefined;
  return /^[1-9]\d{0,19}$/.test(resourceVersion);
}

/** An object's id, or none: a name, behind a namespace or the slash alone. */
function isId(id: string): boolean {
  return id === "" || /^(?:[^/]*\/)?[^/]+$/.test(id);
}

const textFields = [
  ...(["resourceType", "resourceVersion", "namespace", "id", "selector"] as const),
  "clusters",
] as const;

function textsIn(fields: Fields): Partial<Message> {
  const texts = textFields.map((name) => [name, textAt(fields, name)] as const);
  const about = { ...unsaid, ...Object.fromEntries(texts) };
  for (const name of textFields) {
    const value = fields[name] ?? "";
    if (typeof value !== "string" || !value.isWellFormed()) throw invalid(name, "a text", about);
  }
  return Object.fromEntries(texts);
}

function isDebounce(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= longestDebounce;
}

type Fields = Readonly<Record<string, unknown>>;

function objectIn(text: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new MessageError(`a message is a JSON object: ${messageIn(cause)}`, { cause });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new MessageError("a message is a JSON object");
  }
  return { ...value };
}

/** What the parser says, which quotes the message, cut short. */
function messageIn(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).slice(0, 200).toWellFormed();
}

function invalid(name: string, wanted: string, about: Message): MessageError {
  return new MessageError(`invalid ${name}: it must be ${wanted}`, { about });
}
