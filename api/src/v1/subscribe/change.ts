/** A change of a type's objects on its way to subscribers: what is needed of it is made once. */

import {
  apiVersionOf,
  type ChangeType,
  type ObjectLabels,
  type PastChange,
  parseKey,
} from "kopf-ts";
import { mapAt } from "../tree.ts";
import type { ResourceType } from "../types/resource-type.ts";
import type { ScopedChange } from "./scope.ts";

/** What is known of a change: all of it, or what is left to see where a cache has no history of it. */
export interface ToldChange extends Pick<PastChange, "type" | "key" | "resourceVersion"> {
  readonly object: Buffer | undefined;
  readonly previous?: Buffer | undefined;
  /** On which timeline of the cache it happened; undefined when it may stand for several changes. */
  readonly timeline?: number | undefined;
  /** One of those that an inexact change stood for. */
  readonly isAgain?: boolean;
}

/** A change in the order in which the API server told it. */
export class FeedChange implements ScopedChange {
  readonly type: ChangeType;
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  /** Of the object. */
  readonly revision: string;
  readonly timeline: number | undefined;
  readonly isAgain: boolean;
  readonly #object: Buffer | undefined;
  readonly #previous: Buffer | undefined;
  readonly #items = new Map<string, readonly Uint8Array[]>();
  #labels: ObjectLabels | undefined;
  #labelsBefore: ObjectLabels | undefined;

  constructor(told: ToldChange) {
    const { type, key, resourceVersion, object, previous, timeline, isAgain = false } = told;
    const { namespace = "", name } = parseKey(key);
    this.type = type;
    this.key = key;
    this.namespace = namespace;
    this.name = name;
    this.revision = resourceVersion;
    this.timeline = timeline;
    this.isAgain = isAgain;
    this.#object = object;
    this.#previous = previous;
  }

  /** Whether these bytes are the state after the change; for DELETED never. */
  isNow(bytes: Buffer | undefined): boolean {
    if (bytes === undefined || this.type === "DELETED") return false;
    return this.#object?.equals(bytes) ?? false;
  }

  labels(): ObjectLabels | undefined {
    if (this.#object === undefined) return undefined;
    this.#labels ??= labelsIn(this.#object);
    return this.#labels;
  }

  labelsBefore(): ObjectLabels | undefined {
    if (this.#previous === undefined) return undefined;
    this.#labelsBefore ??= labelsIn(this.#previous);
    return this.#labelsBefore;
  }

  /** The object as some see it, made when it is first asked for. */
  item(viewId: string, make: () => readonly Uint8Array[]): readonly Uint8Array[] {
    const known = this.#items.get(viewId);
    if (known !== undefined) return known;
    const made = make();
    this.#items.set(viewId, made);
    return made;
  }

  /** The state after the change, for DELETED the last one; of an object that vanished unseen no more than what it was called. */
  bytesOf({ kind }: ResourceType): Buffer {
    return this.#object ?? nameOnly(apiVersionOf(kind), kind.kind, this);
  }
}

function nameOnly(apiVersion: string, kind: string, { namespace, name }: FeedChange): Buffer {
  const metadata = namespace === "" ? { name } : { name, namespace };
  return Buffer.from(JSON.stringify({ apiVersion, kind, metadata }));
}

/** What the API server sends as labels are texts. */
function labelsIn(object: Buffer): ObjectLabels {
  const labels = mapAt(JSON.parse(object.toString()), "metadata", "labels") ?? {};
  const texts = Object.entries(labels).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return Object.fromEntries(texts);
}
