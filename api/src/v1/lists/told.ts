/** Schemas that the API server publishes, for fields of built-in types. */

import { ApiError } from "kopf-ts";
import type { Model } from "../fields/index.ts";
import type { ResourceType } from "../types/resource-type.ts";

/** Documents of OpenAPI v3, one for each group and version; asked for when needed, and kept. */
export interface Documents {
  /** Where the document of a kind is now; undefined while none is published. */
  placeOf(kind: ResourceType["kind"]): Promise<string | undefined>;
  models(place: string): Promise<Models>;
}

/** The models in a document. */
interface Models {
  nameOf(group: string, version: string, kind: string): string | undefined;
  /** Undefined for a name that is in none. */
  get(name: string): unknown;
}

/** What the server says of a type; undefined when it does not say anything, or cannot be asked. */
export async function modelOf(
  { kind }: ResourceType,
  documents: Documents | undefined,
): Promise<Model | undefined> {
  try {
    const place = await documents?.placeOf(kind);
    if (documents === undefined || place === undefined) return undefined;
    const models = await documents.models(place);
    const name = models.nameOf(kind.group, kind.version, kind.kind);
    if (name === undefined) return undefined;
    const resolve = (ref: string): unknown => models.get(ref.slice(ref.lastIndexOf("/") + 1));
    return { schema: models.get(name), resolve };
  } catch (thrown) {
    if (thrown instanceof ApiError || thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}
