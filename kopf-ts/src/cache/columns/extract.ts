import { hasLongInteger, parseJsonExactly } from "../../kube/index.ts";
import { decodeScalar, PathScanner } from "../../watch/index.ts";
import type { Columns, UserColumn } from "./columns.ts";

/** Where the bytes of an object lie. */
interface Place {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Fills the added columns of a row: those with a path from the bytes in one pass, those with a function from the parsed object. */
export class Extractor {
  readonly #columns: Columns;
  readonly #byPath: readonly UserColumn[];
  readonly #byFunction: readonly UserColumn[];
  readonly #isExact: boolean;
  readonly #scanner: PathScanner;
  readonly #onError: (column: string, error: unknown) => void;

  constructor(
    columns: Columns,
    wanted: readonly UserColumn[],
    onError: (column: string, error: unknown) => void,
  ) {
    this.#columns = columns;
    this.#byPath = wanted.filter(({ path }) => path !== undefined);
    this.#byFunction = wanted.filter(({ path }) => path === undefined);
    this.#isExact = this.#byFunction.some(({ spec }) => spec.exact === true);
    this.#scanner = new PathScanner(this.#byPath.map(({ path = [] }) => path));
    this.#onError = onError;
  }

  /** Whether `fill` asks for the parsed object. */
  get parses(): boolean {
    return this.#byFunction.length > 0;
  }

  /**
   * Takes the values of a row out of its bytes, and out of the object that was read from them where it must; a value that cannot be had is absent. `exactly` reads the object with
   * bigints, where a column wants these and there may be any.
   */
  fill(row: number, place: Place, object: unknown, exactly: () => unknown): void {
    if (this.#byPath.length > 0) this.#scan(row, place);
    const isRounded =
      this.#isExact && object !== undefined && hasLongInteger(place.bytes, place.start, place.end);
    const exact = isRounded ? exactly() : object;
    for (const column of this.#byFunction) {
      const given = column.spec.exact === true ? exact : object;
      this.#set(row, column, given === undefined ? undefined : this.#call(column, given));
    }
  }

  #scan(row: number, { bytes, start, end }: Place): void {
    this.#scanner.scan(bytes, start, end);
    for (const [index, column] of this.#byPath.entries()) {
      const from = this.#scanner.starts[index] ?? -1;
      const to = this.#scanner.ends[index] ?? -1;
      const value = from < 0 ? undefined : this.#decode(column, bytes, from, to);
      this.#set(row, column, value);
    }
  }

  /** What functions return may throw when it is read. */
  #set(row: number, column: UserColumn, value: unknown): void {
    try {
      this.#columns.set(row, column, value);
    } catch (error) {
      this.#onError(column.spec.name, error);
      this.#columns.set(row, column, undefined);
    }
  }

  #decode({ spec }: UserColumn, bytes: Buffer, start: number, end: number): unknown {
    try {
      return decodeScalar(bytes, start, end) ?? parseJsonExactly(bytes, start, end);
    } catch (error) {
      this.#onError(spec.name, error);
      return undefined;
    }
  }

  #call({ spec }: UserColumn, object: unknown): unknown {
    try {
      return spec.from?.(object);
    } catch (error) {
      this.#onError(spec.name, error);
      return undefined;
    }
  }
}
