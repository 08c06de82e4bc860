import type { KubeObject } from "../kube/index.ts";
import type { ChangeType, ScannedObject } from "../watch/index.ts";
import type { Before, Contents } from "./contents.ts";
import type { CacheChange } from "./listeners.ts";

/** What a change is made of. */
export interface ChangeParts<T> {
  readonly type: ChangeType;
  readonly key: string;
  /** -1 for DELETED. */
  readonly row: number;
  /** As the server told it; undefined when nobody told (a sweep, a replay). */
  readonly object: ScannedObject | undefined;
  readonly before?: (Before<T> & { readonly labelsChanged?: boolean }) | undefined;
  readonly previousResourceVersion?: string | undefined;
  readonly initial: boolean;
}

/** A change as listeners see it: parses only what they ask for, and only once for all of them. */
export class StoreChange<T extends KubeObject> implements CacheChange<T> {
  readonly #contents: Contents<T>;
  readonly #parts: ChangeParts<T>;
  #previous: T | undefined;
  #current: T | undefined;
  #open = true;

  constructor(contents: Contents<T>, parts: ChangeParts<T>) {
    this.#contents = contents;
    this.#parts = parts;
  }

  get type(): ChangeType {
    return this.#parts.type;
  }
  get key(): string {
    return this.#parts.key;
  }
  get initial(): boolean {
    return this.#parts.initial;
  }
  get previousResourceVersion(): string | undefined {
    return this.#parts.previousResourceVersion;
  }
  get labelsChanged(): boolean {
    return this.#parts.before?.labelsChanged ?? true;
  }
  get resourceVersion(): string {
    const { object, row, previousResourceVersion = "" } = this.#parts;
    if (object !== undefined) return object.resourceVersion;
    return row < 0 ? previousResourceVersion : this.#contents.records.resourceVersions.get(row);
  }

  current(): T | undefined {
    if (this.type === "DELETED") return undefined;
    if (this.#open) this.#current ??= this.#now();
    return this.#current;
  }

  previous(): T | undefined {
    if (this.type === "ADDED") return undefined;
    if (this.#open) this.#previous ??= this.type === "DELETED" ? this.#last() : this.#before();
    return this.#previous;
  }

  /** The bytes are gone after the call. */
  close(): void {
    this.#open = false;
  }

  #now(): T | undefined {
    const { row } = this.#parts;
    return this.#contents.records.handleOf(row) < 0 ? this.#told() : this.#contents.object(row);
  }

  #last(): T | undefined {
    return this.#told() ?? this.#before();
  }

  #told(): T | undefined {
    const { object, key } = this.#parts;
    if (object === undefined) return undefined;
    return this.#contents.documents.parse(key, object.bytes, object.start, object.end);
  }

  #before(): T | undefined {
    const { before, key } = this.#parts;
    if (before === undefined || before.handle < 0) return undefined;
    if (before.document !== undefined) return before.document;
    const bytes = this.#contents.records.slabs.read(before.handle);
    return this.#contents.documents.parse(key, bytes, 0, bytes.length);
  }
}
