/** What can be subscribed to beside resources: counts, and the schemas that a caller sees. */

import type { CountsFeed } from "./counts/feed.ts";
import { countItem } from "./counts/item.ts";
import type { Schemas } from "./schemas/index.ts";
import type { SpecialAsker, SpecialEvent, SpecialFeed, SpecialWatch } from "./subscribe/special.ts";
import type { Types } from "./types/resource-type.ts";

/** Tells counts that have changed, of the changed types alone. */
export function countsSpecial(feed: CountsFeed): SpecialFeed {
  return ({ access, base }, tell) =>
    feed.subscribe(access, (counts) =>
      tell({ name: "resource.change", item: [bytesOf(countItem(counts, base))] }),
    );
}

/** Tells schemas that come, change and go for the caller, by what types and rights they have (steve: pkg/resources/schemas). */
export function schemasSpecial(schemas: Schemas, types: Types): SpecialFeed {
  return (asker, tell) => new SchemasWatch(schemas, types, asker, tell);
}

class SchemasWatch implements SpecialWatch {
  readonly #schemas: Schemas;
  readonly #tell: (event: SpecialEvent) => void;
  readonly #changes: Disposable;
  #asker: SpecialAsker;
  /** Texts of all schemas by id, as they were told last. */
  #told: ReadonlyMap<string, string>;

  constructor(
    schemas: Schemas,
    types: Types,
    asker: SpecialAsker,
    tell: (event: SpecialEvent) => void,
  ) {
    this.#schemas = schemas;
    this.#asker = asker;
    this.#tell = tell;
    this.#told = this.#read();
    this.#changes = types.onChange(() => this.#compare());
  }

  accessChanged(access: SpecialAsker["access"]): void {
    this.#asker = { ...this.#asker, access };
    this.#compare();
  }

  [Symbol.dispose](): void {
    this.#changes[Symbol.dispose]();
  }

  #compare(): void {
    const before = this.#told;
    this.#told = this.#read();
    for (const [id, text] of this.#told) {
      const known = before.get(id);
      if (known === undefined) this.#send("resource.create", text);
      else if (known !== text) this.#send("resource.change", text);
    }
    for (const [id, text] of before) if (!this.#told.has(id)) this.#send("resource.remove", text);
  }

  #send(name: SpecialEvent["name"], text: string): void {
    this.#tell({ name, item: [Buffer.from(text)] });
  }

  #read(): ReadonlyMap<string, string> {
    const { access, base } = this.#asker;
    const texts = this.#schemas
      .visible(access)
      .map(({ type: { id } }) => [id, this.#schemas.one(id, access, base)] as const);
    return new Map(texts.flatMap(([id, text]) => (text === undefined ? [] : [[id, text]])));
  }
}

function bytesOf(item: object): Buffer {
  return Buffer.from(JSON.stringify(item));
}
