import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Client, Clock, Logger } from "kopf-ts";
import { LRUCache } from "lru-cache";
import type { Access } from "../access/access.ts";
import type { Collected, KeptAnswer } from "../answers/answer.ts";
import type { ResourceType, Types } from "../types/resource-type.ts";
import { baseSchemaNamed, baseSchemas } from "./base-schemas.ts";
import { OpenApi } from "./definitions/open-api.ts";
import { pauses } from "./definitions/pause.ts";
import { SchemaDefinitions } from "./definitions/schema-definitions.ts";
import { Descriptions } from "./descriptions.ts";
import { isHidden, type Methods, methodsOf } from "./methods.ts";
import { attributesJson, partsOfBase, type SchemaParts, schemaJson } from "./schema-json.ts";

const compress = promisify(gzip);

/** Bytes of answers that are kept. */
const KEPT = 32 * 1024 * 1024;

/** What Schemas work with. */
export interface SchemasParts {
  readonly types: Types;
  /** What is waited for before each document is read for what nobody asked for; nothing unless told. */
  readonly calm?: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A type that a caller sees. */
export interface VisibleType {
  readonly type: ResourceType;
  readonly methods: Methods;
}

interface Kept extends KeptAnswer {
  readonly revision: string;
}

interface Visible {
  readonly revision: number;
  readonly types: readonly VisibleType[];
}

/**
 * The schemas that callers see. Guarantees: what a caller has no method for is in no answer; answers are made once per set of rights, base URL
 * and revision of the types, a few milliseconds at a time, and kept within 32 MiB; none is older than the types.
 */
export class Schemas {
  /** The documents that definitions and descriptions are made of, for others who want to know fields. */
  readonly openApi: OpenApi;
  /** The fields of types. */
  readonly definitions: SchemaDefinitions;
  readonly #descriptions: Descriptions;
  readonly #types: Types;
  readonly #clock: Clock;
  readonly #attributes = new WeakMap<ResourceType, string>();
  readonly #visible = new WeakMap<Access, Visible>();
  readonly #kept = new LRUCache<string, Kept>({ maxSize: KEPT });
  readonly #making = new Map<string, Promise<KeptAnswer>>();

  constructor(parts: SchemasParts) {
    this.openApi = new OpenApi(parts.client, parts.clock);
    this.definitions = new SchemaDefinitions(this.openApi, parts.clock);
    this.#descriptions = new Descriptions({ ...parts, openApi: this.openApi });
    this.#types = parts.types;
    this.#clock = parts.clock;
  }

  /** Learns descriptions in the background until the signal aborts; never rejects. */
  start(signal: AbortSignal): Promise<void> {
    return this.#descriptions.start(signal);
  }

  /**
   * The types of the cluster that a caller sees, by id. The same list until types change. All at once: whoever can wait takes `seen`, since
   * somebody with many roles in a cluster with many types costs tens of milliseconds the first time.
   */
  visible(access: Access): readonly VisibleType[] {
    const { revision } = this.#types;
    const known = this.#visible.get(access);
    if (known?.revision === revision) return known.types;
    const types = [...this.#types.all()].flatMap((type) => visibleOf(type, access));
    return this.#keepVisible(access, revision, types);
  }

  /** As `visible`, a few milliseconds at a time. */
  async seen(access: Access): Promise<readonly VisibleType[]> {
    const { revision } = this.#types;
    const known = this.#visible.get(access);
    if (known?.revision === revision) return known.types;
    const pause = pauses(this.#clock);
    const types: VisibleType[] = [];
    for (const type of [...this.#types.all()]) {
      types.push(...visibleOf(type, access));
      await pause();
    }
    return this.#keepVisible(access, revision, types);
  }

  #keepVisible(
    access: Access,
    revision: number,
    types: readonly VisibleType[],
  ): readonly VisibleType[] {
    const sorted = types.toSorted((a, b) => (a.type.id < b.type.id ? -1 : 1));
    this.#visible.set(access, { revision, types: sorted });
    return sorted;
  }

  /** Every schema that somebody may use, as a collection. */
  all(access: Access, base: string): Promise<KeptAnswer> {
    const revision = `${this.#types.revision} ${this.#descriptions.revision}`;
    const key = JSON.stringify([access.fingerprint, base]);
    const known = this.#kept.get(key);
    if (known?.revision === revision) return Promise.resolve(known);
    const making = this.#making.get(`${revision} ${key}`);
    return making ?? this.#make(key, revision, access, base);
  }

  /** As `all`, to be written in any form. */
  async collection(
    access: Access,
    base: string,
  ): Promise<Collected & { readonly items: Iterable<string> }> {
    const types = await this.seen(access);
    const links = { self: `${base}/v1/schemas` };
    const envelope = { type: "collection", links, actions: {}, resourceType: "schema" };
    return { envelope, items: this.#texts(types, base) };
  }

  /** Callers who come meanwhile get the same. */
  #make(key: string, revision: string, access: Access, base: string): Promise<KeptAnswer> {
    const name = `${revision} ${key}`;
    const making = this.#write(revision, access, base)
      .then((made) => {
        this.#kept.set(key, made, { size: made.plain.length + made.gzipped.length });
        return made;
      })
      .finally(() => this.#making.delete(name));
    this.#making.set(name, making);
    return making;
  }

  async #write(revision: string, access: Access, base: string): Promise<Kept> {
    const plain = Buffer.from(await this.#json(access, base));
    return { plain, gzipped: await compress(plain, { level: 6 }), revision };
  }

  /** One schema as JSON, by id or plural name in any case; undefined when there is none for the caller. No type hides one of ours. */
  one(name: string, access: Access, base: string): string | undefined {
    const ours = baseSchemaNamed(name);
    if (ours !== undefined) return schemaJson(partsOfBase(ours), base);
    const found = this.typeNamed(name, access);
    return found && schemaJson(this.#partsOf(found), base);
  }

  /** A type of the cluster, by id or plural name in any case; undefined when there is none for the caller. */
  typeNamed(name: string, access: Access): VisibleType | undefined {
    const type = this.#types.find(name);
    return type && visibleOf(type, access)[0];
  }

  #partsOf({ type, methods }: VisibleType): SchemaParts {
    let attributes = this.#attributes.get(type);
    if (attributes === undefined) {
      attributes = attributesJson(type);
      this.#attributes.set(type, attributes);
    }
    const { id, pluralName } = type;
    const description = this.#descriptions.of(type);
    return { id, pluralName, description, methods, fields: "null", attributes };
  }

  async #json(access: Access, base: string): Promise<string> {
    const { envelope, items } = await this.collection(access, base);
    const written: string[] = [];
    const pause = pauses(this.#clock);
    for (const item of items) {
      written.push(item);
      await pause();
    }
    return `${JSON.stringify(envelope).slice(0, -1)},"data":[${written.join(",")}]}\n`;
  }

  *#texts(types: readonly VisibleType[], base: string): Generator<string, void> {
    for (const ours of baseSchemas) if (!isHidden(ours)) yield schemaJson(partsOfBase(ours), base);
    for (const visible of types) yield schemaJson(this.#partsOf(visible), base);
  }
}

/** The type for a caller who sees it, else nothing. */
function visibleOf(type: ResourceType, access: Access): readonly VisibleType[] {
  const methods = methodsOf(type, access);
  return isHidden(methods) ? [] : [{ type, methods }];
}
