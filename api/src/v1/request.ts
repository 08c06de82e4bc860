/** A request to /v1, taken apart, and who serves it. */

import type { Exchange } from "../stage.ts";
import type { Access } from "./access/access.ts";
import type { ResourceType } from "./types/resource-type.ts";

/** What is asked of one type. */
export interface TypeRequest {
  readonly exchange: Exchange;
  /** After `_method`. */
  readonly method: string;
  readonly type: ResourceType;
  readonly access: Access;
  /** From the path. */
  readonly namespace: string | undefined;
  /** Of one object, from the path; undefined for the collection. */
  readonly name: string | undefined;
  readonly link: string | undefined;
  /** What URLs in answers begin with: `https://host`, perhaps with a prefix. */
  readonly base: string;
  /** Aborts when the caller has gone or the server stops. */
  readonly signal: AbortSignal;
}

/** Answers a request, or throws a Problem. */
export type TypeHandler = (request: TypeRequest) => Promise<void>;
