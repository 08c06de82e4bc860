import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Client, Clock, Logger } from "kopf-ts";
import { LRUCache } from "lru-cache";
import type { Access } from "../access/access.ts";
import type { ResourceType, Types } from "../types/resource-type.ts";
import { baseSchemaNamed, baseSchemas } from "./base-schemas.ts";
import { OpenApi } from "./definitions/open-api.ts";
import { SchemaDefinitions } from "./definitions/schema-definitions.ts";
import { Descriptions } from "./descriptions.ts";
import { isHidden, type Methods, methodsOf } from "./methods.ts";
import { attributesJson, partsOfBase, type SchemaParts, schemaJson } from "./schema-json.ts";

const compress = promisify(gzip);

/** Milliseconds of work between two turns of the event loop. */
const SLICE = 5;
/** Bytes of answers that are kept. */
const KEPT = 32 * 1024 * 1024;

/** What Schemas work with. */
export interface SchemasParts {
  readonly types: Types;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A whole answer; the same for callers with the same rights who call us by the same name. */
export interface KeptAnswer {
  readonly plain: Buffer;
  readonly gzipped: Buffer;
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

  /** The types of the cluster that a caller sees, by id. The same list until types change. */
  visible(access: Access): readonly VisibleType[] {
    const { revision } = this.#types;
    const known = this.#visible.get(access);
    if (known?.revision === revision) return known.types;
    const types = [...this.#types.all()]
      .map((type) => ({ type, methods: methodsOf(type, access) }))
      .filter(({ methods }) => !isHidden(methods))
      .toSorted((a, b) => (a.type.id < b.type.id ? -1 : 1));
    this.#visible.set(access, { revision, types });
    return types;
  }

  /** Every schema that somebody may use, or that such a schema refers to, as a collection. */
  async all(access: Access, base: string): Promise<KeptAnswer> {
    const revision = `${this.#types.revision} ${this.#descriptions.revision}`;
    const key = JSON.stringify([access.fingerprint, base]);
    const known = this.#kept.get(key);
    if (known?.revision === revision) return known;
    const plain = Buffer.from(await this.#collection(access, base));
    const gzipped = await compress(plain, { level: 6 });
    const kept = { plain, gzipped, revision };
    this.#kept.set(key, kept, { size: plain.length + gzipped.length });
    return kept;
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
    if (type === undefined) return undefined;
    const methods = methodsOf(type, access);
    return isHidden(methods) ? undefined : { type, methods };
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

  async #collection(access: Access, base: string): Promise<string> {
    const ours = baseSchemas.filter((schema) => !isHidden(schema)).map(partsOfBase);
    const items: string[] = ours.map((parts) => schemaJson(parts, base));
    let begun = this.#clock.monotonic();
    for (const visible of this.visible(access)) {
      items.push(schemaJson(this.#partsOf(visible), base));
      if (this.#clock.monotonic() - begun < SLICE) continue;
      await new Promise(setImmediate);
      begun = this.#clock.monotonic();
    }
    const links = { self: `${base}/v1/schemas` };
    const envelope = { type: "collection", links, actions: {}, resourceType: "schema" };
    return `${JSON.stringify(envelope).slice(0, -1)},"data":[${items.join(",")}]}\n`;
  }
}
