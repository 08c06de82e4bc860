/** Subscriptions to schemas: what a caller may do with which types (steve: pkg/resources/schemas/template.go). */

import type { Background, BackgroundSteps } from "kopf-ts";
import type { Access } from "../access/access.ts";
import type { Methods } from "../schemas/methods.ts";
import type { ResourceType, Types } from "../types/resource-type.ts";
import type { EventName } from "./scope.ts";
import type { SpecialAsker, SpecialEvent, SpecialFeed, SpecialWatch } from "./special.ts";

/** Who makes schemas: Schemas of schemas. */
export interface SchemaSource {
  visible(access: Access): readonly { readonly type: ResourceType; readonly methods: Methods }[];
  /** The JSON of a schema; undefined for one that the caller does not see. */
  one(id: string, access: Access, base: string): string | undefined;
}

/** What schema subscriptions are made of. */
export interface SchemaFeedParts {
  readonly types: Pick<Types, "onChange">;
  readonly schemas: SchemaSource;
  readonly background: Background;
}

/** Schemas that come, change or go for a caller: with types, or with rights. */
export function schemaFeed(parts: SchemaFeedParts): SpecialFeed {
  return (asker, tell) => new SchemaWatch(parts, asker, tell);
}

type Seen = ReadonlyMap<string, Methods>;

class SchemaWatch implements SpecialWatch {
  readonly #parts: SchemaFeedParts;
  readonly #base: string;
  readonly #tell: (event: SpecialEvent) => void;
  readonly #types: Disposable;
  #access: Access;
  /** What the caller was told, or has seen before. */
  #seen: Seen;
  /** Types that may have changed in themselves. */
  #changed = new Set<string>();
  #isLooking = false;
  #ended = false;

  constructor(
    parts: SchemaFeedParts,
    { access, base }: SpecialAsker,
    tell: (event: SpecialEvent) => void,
  ) {
    this.#parts = parts;
    this.#base = base;
    this.#tell = tell;
    this.#access = access;
    this.#seen = this.#visible();
    this.#types = parts.types.onChange((ids) => {
      for (const id of ids) this.#changed.add(id);
      this.#look();
    });
  }

  accessChanged(access: Access): void {
    this.#access = access;
    this.#look();
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    this.#types[Symbol.dispose]();
  }

  #visible(): Seen {
    const all = this.#parts.schemas.visible(this.#access);
    return new Map(all.map(({ type, methods }) => [type.id, methods]));
  }

  #look(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#parts.background.run(this.#looking());
  }

  *#looking(): BackgroundSteps {
    this.#isLooking = false;
    const before = this.#seen;
    const changed = this.#changed;
    const now = this.#visible();
    this.#seen = now;
    this.#changed = new Set();
    for (const id of new Set([...before.keys(), ...now.keys()])) {
      if (this.#ended) return;
      const name = difference(before.get(id), now.get(id), changed.has(id));
      if (name === undefined) continue;
      this.#tell({ name, item: [this.#itemOf(id)] });
      yield;
    }
  }

  /** Of a schema that has gone, as much as says which. */
  #itemOf(id: string): Buffer {
    const schema = this.#parts.schemas.one(id, this.#access, this.#base);
    return Buffer.from(schema ?? JSON.stringify({ id, type: "schema", links: {} }));
  }
}

function difference(
  before: Methods | undefined,
  now: Methods | undefined,
  changed: boolean,
): EventName | undefined {
  if (before === undefined) return now && "resource.create";
  if (now === undefined) return "resource.remove";
  const isSame = before === now || JSON.stringify(before) === JSON.stringify(now);
  return changed || !isSame ? "resource.change" : undefined;
}
