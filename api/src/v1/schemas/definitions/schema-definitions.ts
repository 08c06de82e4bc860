import type { Clock } from "kopf-ts";
import { type Problem, problem } from "../../problem.ts";
import { mapAt } from "../../tree.ts";
import type { ResourceType } from "../../types/resource-type.ts";
import type { BaseSchema } from "../base-schemas.ts";
import { type Definition, type Definitions, define } from "./define.ts";
import type { Models } from "./models.ts";
import { isUntold, type OpenApi } from "./open-api.ts";
import { type Pause, pauses } from "./pause.ts";

/** What `/v1/schemaDefinitions/{id}` tells beside its id and links. */
export interface SchemaDefinition {
  readonly definitionType: string;
  readonly definitions: Definitions;
}

interface Kept {
  readonly place: string;
  readonly definition: SchemaDefinition;
}

/** Fields that CustomResourceDefinitions say nothing of worth. */
const common = ["apiVersion", "kind", "metadata"] as const;

/**
 * The fields of types: from the OpenAPI v3 document of their group and version, or, for CustomResourceDefinitions, from their own schema with what
 * OpenAPI has of apiVersion, kind and metadata. Made when asked for, a few milliseconds at a time, and kept until the document changes.
 */
export class SchemaDefinitions {
  readonly #openApi: OpenApi;
  readonly #clock: Clock;
  readonly #kept = new WeakMap<ResourceType, Kept>();

  constructor(openApi: OpenApi, clock: Clock) {
    this.#openApi = openApi;
    this.#clock = clock;
  }

  /** Rejects with a Problem (503) while the server has not published the type. */
  async of(type: ResourceType): Promise<SchemaDefinition> {
    try {
      return await this.#find(type);
    } catch (thrown) {
      if (!isUntold(thrown)) throw thrown;
      throw problem("SchemasNotRefreshed", "schema definitions not yet refreshed");
    }
  }

  async #find(type: ResourceType): Promise<SchemaDefinition> {
    const place = await this.#openApi.placeOf(type.kind);
    if (place === undefined) throw unpublished();
    const known = this.#kept.get(type);
    if (known?.place === place) return known.definition;
    const models = await this.#openApi.models(place);
    const definition = await this.#make(type, models);
    this.#kept.set(type, { place, definition });
    return definition;
  }

  async #make(type: ResourceType, models: Models): Promise<SchemaDefinition> {
    const { group, version, kind } = type.kind;
    const name = models.nameOf(group, version, kind);
    if (name === undefined) throw unpublished();
    const pause = pauses(this.#clock);
    const definitions = type.crd
      ? await ofCrd(name, type.schema, models, pause)
      : await ofModel(name, models.get(name), models, pause);
    return { definitionType: name, definitions };
  }
}

function unpublished(): Problem {
  return problem("SchemasNotRefreshed", "no model found for schema, try again after refresh");
}

function ofModel(
  name: string,
  schema: unknown,
  models: Models,
  pause: Pause,
): Promise<Definitions> {
  const source = { model: (referred: string) => models.get(referred), definesMaps: false };
  return define({ name, schema }, source, pause);
}

/** The fields that every object has from OpenAPI, the rest from the CustomResourceDefinition. */
async function ofCrd(
  name: string,
  schema: unknown,
  models: Models,
  pause: Pause,
): Promise<Definitions> {
  const properties = mapAt(models.get(name), "properties") ?? {};
  const basic = { properties: picked(properties, (key) => isCommon(key)) };
  const basics = await ofModel(name, basic, models, pause);
  const own = { ...mapAt(schema), properties: picked(mapAt(schema, "properties") ?? {}, isOwn) };
  const source = { model: () => undefined, definesMaps: true };
  const owns = await define({ name, schema: own }, source, pause);
  return new Map([...basics, ...owns, [name, merged(basics.get(name), owns.get(name))]]);
}

function merged(basic: Definition | undefined, own: Definition | undefined): Definition {
  const resourceFields = { ...basic?.resourceFields, ...own?.resourceFields };
  return { resourceFields, type: own?.type ?? "", description: own?.description ?? "" };
}

function picked(
  properties: Readonly<Record<string, unknown>>,
  isWanted: (key: string) => boolean,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(properties).filter(([key]) => isWanted(key)));
}

function isCommon(key: string): boolean {
  return common.some((each) => each === key);
}

function isOwn(key: string): boolean {
  return !isCommon(key);
}

/** The fields of what /v1 serves itself. */
export function definitionOfBase({ id, fields, description = "" }: BaseSchema): SchemaDefinition {
  const resourceFields = Object.fromEntries(
    Object.entries(fields ?? {}).map(([name, { type }]) => [name, typesIn(type)]),
  );
  const definition = { resourceFields, type: id, description };
  return { definitionType: id, definitions: new Map([[id, definition]]) };
}

/** `map[json]`, `array[string]`, `string`. */
function typesIn(text: string): { readonly type: string; readonly subtype?: string } {
  const [, type, subtype] = /^(map|array|reference)\[(.*)\]$/.exec(text) ?? [];
  return type === undefined || subtype === undefined ? { type: text } : { type, subtype };
}
