import { LRUCache } from "lru-cache";
import { type Logger, messageOf } from "../base/index.ts";
import {
  apiVersionOf,
  type Kind,
  type KubeObject,
  parseJson,
  parseJsonExactly,
} from "../kube/index.ts";

/** How objects are made of bytes. */
export interface DocumentOptions {
  /** Freezes every object deeply, so that a consumer that changes one fails at once. For tests and development: costs as much as parsing. */
  readonly freeze?: boolean | undefined;
  /** Bytes of JSON whose objects are kept for the next reader; 512 KiB unless told, 0 for none. In the heap they take about three times as much. */
  readonly parsedBytes?: number | undefined;
  /** Objects come as PartialObjectMetadata; readers get them under their own apiVersion and kind. */
  readonly metadataOnly?: boolean | undefined;
}

const PARSED_BYTES = 512 * 1024;

/**
 * Turns bytes into objects and keeps the last ones by row: a reconciler, its predicates and its indexes read the same state a few times within
 * moments. Bytes that are no JSON yield undefined and one line in the log.
 */
export class Documents<T extends KubeObject> {
  readonly #kind: Kind<T>;
  readonly #options: DocumentOptions;
  readonly #logger: Logger;
  /** Made with the first object: most caches of a large system are read rarely. */
  #recent: LRUCache<number, T> | undefined;
  readonly #malformed = new Set<number>();

  constructor(kind: Kind<T>, options: DocumentOptions, logger: Logger) {
    this.#kind = kind;
    this.#options = options;
    this.#logger = logger;
  }

  /** Rows that were found not to be JSON. */
  get malformed(): number {
    return this.#malformed.size;
  }

  /** The object of a row, whose bytes `read` yields. */
  get(row: number, key: string, read: () => Buffer | undefined): T | undefined {
    const known = this.#recent?.get(row);
    if (known !== undefined) return known;
    if (this.#malformed.has(row)) return undefined;
    const bytes = read();
    if (bytes === undefined) return undefined;
    const object = this.parse(key, bytes, 0, bytes.length);
    if (object === undefined) this.#malformed.add(row);
    else this.#keep(row, object, bytes.length);
    return object;
  }

  /** The object that was kept for a row, when there is one. */
  peek(row: number): T | undefined {
    return this.#recent?.peek(row);
  }

  /** The row has another state now, or none. */
  forget(row: number): void {
    this.#recent?.delete(row);
    if (this.#malformed.size > 0) this.#malformed.delete(row);
  }

  /** An object as readers get it; undefined for what is no JSON object. */
  parse(key: string, bytes: Buffer, start: number, end: number): T | undefined {
    return this.#read(key, () => parseJson(bytes.toString("utf8", start, end)));
  }

  /** As `parse`, with bigints for integers that are not safe. */
  parseExactly(key: string, bytes: Buffer, start: number, end: number): T | undefined {
    return this.#read(key, () => parseJsonExactly(bytes, start, end));
  }

  clear(): void {
    this.#recent = undefined;
    this.#malformed.clear();
  }

  #read(key: string, parse: () => unknown): T | undefined {
    try {
      const parsed = parse();
      if (typeof parsed !== "object" || parsed === null) throw new SyntaxError("no object");
      return this.#typed(parsed as Partial<KubeObject>);
    } catch (error) {
      this.#logger.error("an object of the cache cannot be read", { key, error: messageOf(error) });
      return undefined;
    }
  }

  #keep(row: number, object: T, size: number): void {
    const { parsedBytes: maxSize = PARSED_BYTES } = this.#options;
    if (maxSize === 0 || size > maxSize) return;
    this.#recent ??= new LRUCache<number, T>({ maxSize });
    this.#recent.set(row, object, { size });
  }

  /** Items of paged lists of built-in types lack apiVersion and kind. What else a kind's type promises, the server's schema has checked. */
  #typed(parsed: Partial<KubeObject>): T {
    const own = { apiVersion: apiVersionOf(this.#kind), kind: this.#kind.kind };
    const complete = parsed.apiVersion !== undefined && parsed.kind !== undefined;
    const object = (
      complete && this.#options.metadataOnly !== true ? parsed : { ...parsed, ...own }
    ) as T;
    return this.#options.freeze === true ? deepFreeze(object) : object;
  }
}

/** Without recursion: objects may be deeper than the stack. */
function deepFreeze<V>(root: V): V {
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== "object" || value === null || Object.isFrozen(value)) continue;
    Object.freeze(value);
    for (const each of Object.values(value)) waiting.push(each);
  }
  return root;
}
