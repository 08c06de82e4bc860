import type { JsonPath } from "../../watch/index.ts";
import type { Facts } from "../facts.ts";
import type { Rows } from "../rows.ts";
import { toAddress } from "./address.ts";
import type { Column, ColumnSpec } from "./column.ts";
import { compareNoCase, compareText } from "./compare.ts";
import type { Value } from "./condition.ts";
import { KeywordColumn } from "./keyword.ts";
import { LabelColumn } from "./labels.ts";
import { NumberColumn } from "./numbers.ts";
import { parsePath } from "./path.ts";
import { TextColumn, TextView } from "./text.ts";

/** A column that somebody asked for. */
export interface UserColumn {
  readonly spec: ColumnSpec;
  readonly column: Column;
  /** Undefined for a column made by a function. */
  readonly path: JsonPath | undefined;
  users: number;
  /** False until rows that were there before have their values. */
  filled: boolean;
}

/** What a cache knows of every object without asking. */
const BUILT_IN = ["id", "metadata.name", "metadata.namespace", "metadata.creationTimestamp"];

/** What changes with the labels of an object, for those who are told of changes. */
export const anyLabel = "metadata.labels";

/** The label that is meant by `metadata.labels[name]`, which every name makes a column. */
export function labelOf(column: string): string | undefined {
  return LABEL.exec(column)?.[1];
}

const LABEL = /^metadata\.labels\[([^[\]]+)\]$/;

/** The columns of a cache: the built-in ones, the labels and those that were added. Calls back when a value changed. */
export class Columns {
  readonly namespaces: KeywordColumn;
  readonly created: NumberColumn;
  readonly labels: LabelColumn;
  readonly #rows: Rows;
  readonly #onChange: (row: number, column: string) => void;
  readonly #ids: TextView;
  readonly #names: TextView;
  readonly #added = new Map<string, UserColumn>();

  constructor(rows: Rows, onChange: (row: number, column: string) => void) {
    this.#rows = rows;
    this.#onChange = onChange;
    this.namespaces = new KeywordColumn(rows);
    this.created = new NumberColumn(rows, "date");
    this.labels = new LabelColumn(rows);
    this.#ids = new TextView((row) => keyOf(rows, row));
    this.#names = new TextView((row) => nameOf(rows, row));
  }

  /** The added columns. */
  get added(): ReadonlyMap<string, UserColumn> {
    return this.#added;
  }

  /** Adds a column, or one more user to the one that is there. Throws when another one has the name. */
  add(spec: ColumnSpec): UserColumn {
    if (BUILT_IN.includes(spec.name)) throw new Error(`column ${spec.name} is built in`);
    const known = this.#added.get(spec.name);
    if (known !== undefined) return share(known, spec);
    const path = spec.from === undefined ? parsePath(spec.path ?? spec.name) : undefined;
    const column = make(this.#rows, spec);
    const added: UserColumn = { spec, column, path, users: 1, filled: this.#rows.size === 0 };
    this.#added.set(spec.name, added);
    return added;
  }

  /** Takes one user off a column; with the last one it goes. */
  release(name: string): void {
    const added = this.#added.get(name);
    if (added === undefined || --added.users > 0) return;
    added.column.dispose();
    this.#added.delete(name);
  }

  /** Sets the built-in values. True when the labels changed. */
  setBuiltIn(row: number, { namespace, created, labels }: Facts): boolean {
    this.#note(row, "metadata.namespace", this.namespaces.set(row, namespace || undefined));
    this.#note(row, "metadata.creationTimestamp", this.created.set(row, created));
    const labelsChanged = this.labels.set(row, labels);
    this.#note(row, anyLabel, labelsChanged);
    return labelsChanged;
  }

  /** Sets an added column from what was found at its path or from the whole object. */
  set(row: number, { spec, column }: UserColumn, value: unknown): void {
    this.#note(row, spec.name, column.set(row, value));
  }

  /** The key of the row came or went. */
  touch(row: number): void {
    this.#ids.touch(row);
    this.#names.touch(row);
  }

  delete(row: number): void {
    this.namespaces.delete(row);
    this.created.delete(row);
    this.labels.delete(row);
    for (const { column } of this.#added.values()) column.delete(row);
  }

  /** How two rows stand to each other in one column. Throws for a column that is not there or not filled yet. */
  comparer(name: string, ignoreCase = false): (a: number, b: number) => number {
    if (name === "id") return (a, b) => this.#rows.compare(a, b, ignoreCase);
    if (name === "metadata.name") {
      const compare = ignoreCase ? compareNoCase : compareText;
      return (a, b) => compare(this.#nameOf(a), this.#nameOf(b));
    }
    const column = this.#readable(name);
    return (a, b) => column.compare(a, b, ignoreCase);
  }

  /** The values of one column, by row: what sorting reads often is looked up by its name once. Throws as `comparer`. */
  reader(name: string): (row: number) => Value | undefined {
    if (name === "id" || name === "metadata.name") return (row) => this.get(row, name);
    const column = this.#readable(name);
    return (row) => column.get(row);
  }

  /** The column that answers conditions. Throws as `comparer`. */
  selector(name: string): Pick<Column, "select" | "tester"> {
    if (name === "id") return this.#ids;
    return name === "metadata.name" ? this.#names : this.#readable(name);
  }

  /** The label that answers for a column, where none was added under its name. */
  labelOf(name: string): string | undefined {
    return this.#added.has(name) ? undefined : labelOf(name);
  }

  /** The value of a row. */
  get(row: number, name: string): Value | undefined {
    if (name === "id") return keyOf(this.#rows, row);
    if (name === "metadata.name") return nameOf(this.#rows, row);
    if (name === "metadata.namespace") return this.namespaces.get(row);
    if (name === "metadata.creationTimestamp") return this.created.get(row);
    const added = this.#added.get(name);
    if (added !== undefined) return added.column.get(row);
    const label = labelOf(name);
    return label === undefined ? undefined : this.labels.view(label).get(row);
  }

  /** How many rows each value of a keyword column has. Throws for other columns. */
  counts(name: string): ReadonlyMap<string, number> {
    const column = this.#kept(name);
    if (column instanceof KeywordColumn) return column.counts();
    throw new Error(`column ${name} is no keyword column`);
  }

  get bytes(): number {
    const views =
      this.labels.bytes +
      this.#ids.bytes +
      this.#names.bytes +
      this.namespaces.bytes +
      this.created.bytes;
    return [...this.#added.values()].reduce((sum, { column }) => sum + column.bytes, views);
  }

  /** Lets go of everything, for good. */
  dispose(): void {
    for (const { column } of this.#added.values()) column.dispose();
    this.#added.clear();
    this.namespaces.dispose();
    this.created.dispose();
    this.labels.dispose();
    this.trim();
  }

  /** Lets go of what only searches need. */
  trim(): void {
    for (const { column } of this.#added.values()) column.trim();
    this.labels.trim();
    this.#ids.trim();
    this.#names.trim();
  }

  /** A column that has values of its own, or a label. Throws as `comparer`. */
  #readable(name: string): Pick<Column, "compare" | "get" | "select" | "tester"> {
    const label = this.labelOf(name);
    return label === undefined ? this.#kept(name) : this.labels.view(label);
  }

  /** A column that has values of its own. Throws as `comparer`. */
  #kept(name: string): Column {
    if (name === "metadata.namespace") return this.namespaces;
    if (name === "metadata.creationTimestamp") return this.created;
    const added = this.#added.get(name);
    if (added === undefined) throw new Error(`no column ${name}`);
    if (!added.filled) throw new Error(`column ${name} is still being filled`);
    return added.column;
  }

  #nameOf(row: number): string {
    return nameOf(this.#rows, row) ?? "";
  }

  #note(row: number, column: string, changed: boolean): void {
    if (changed) this.#onChange(row, column);
  }
}

function share(known: UserColumn, spec: ColumnSpec): UserColumn {
  const { type, path, from, exact } = known.spec;
  const same = type === spec.type && path === spec.path && from === spec.from;
  if (!same || exact !== spec.exact) {
    throw new Error(`another column ${spec.name} is there already`);
  }
  known.users++;
  return known;
}

function make(rows: Rows, { type }: ColumnSpec): Column {
  if (type === "text") return new TextColumn();
  if (type === "address") return new TextColumn(toAddress);
  if (type === undefined || type === "keyword") return new KeywordColumn(rows);
  return new NumberColumn(rows, type);
}

function keyOf(rows: Rows, row: number): string | undefined {
  return rows.isAlive(row) ? rows.keyOf(row) : undefined;
}

function nameOf(rows: Rows, row: number): string | undefined {
  const key = keyOf(rows, row);
  return key?.slice(key.indexOf("/") + 1);
}
