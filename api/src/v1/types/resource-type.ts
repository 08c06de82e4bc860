/** A type of /v1: a resource of the cluster under Steve's names (steve: pkg/schema/converter). */

import type { Kind } from "kopf-ts";
import type { Cell } from "../printers/cell.ts";
import type { ErrorStatuses } from "../summary/errors.ts";
import { isTold } from "./told.ts";

/** A column of the API server's table of a kind (meta.k8s.io TableColumnDefinition). */
export interface ColumnDefinition {
  readonly name: string;
  /** `string`, `integer`, `number`, `boolean`, `date`. */
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** One resource in the one version that is served to callers. Immutable: a change of the cluster makes a new one. */
export interface ResourceType {
  /** `pod`, `apps.deployment`: the kind in lower case, behind its group. */
  readonly id: string;
  /** `pods`, `apps.deployments`: what URLs are made with. */
  readonly pluralName: string;
  readonly kind: Kind;
  readonly verbs: readonly string[];
  /** The version that the server prefers, where it is another one. */
  readonly preferredVersion: string | undefined;
  readonly preferredGroup: string | undefined;
  /** Of metadata.fields, in their order; empty while nobody knows them. */
  readonly columns: readonly ColumnDefinition[];
  /** Whether the server makes tables of it, as far as is known. */
  readonly table: boolean;
  /** JSON paths of the columns by name, in braces; of a CustomResourceDefinition only. */
  readonly columnPaths: Readonly<Record<string, string>> | undefined;
  /** What its author says it is; empty when nobody knows. */
  readonly description: string;
  /** Makes metadata.fields of an object, or reads them where only the API server can make them (`isTold`); undefined where nobody can. */
  readonly cells: ((object: unknown) => readonly Cell[]) | undefined;
  /** Comes from a CustomResourceDefinition. */
  readonly crd: boolean;
  /** Served by an aggregated API server. */
  readonly aggregated: boolean;
  /** Its schema has status.observedGeneration. */
  readonly observesGeneration: boolean;
  /** Which conditions of its objects mean an error, where the environment says so. */
  readonly errorStatuses?: ErrorStatuses | undefined;
  /** The JSON schema (OpenAPI v3) of a CustomResourceDefinition's version. May be read anew each time: do not ask for it per object. */
  readonly schema: unknown;
}

/** The types that a cluster serves now. */
export interface Types {
  /** By id, else by id or plural name in any case. */
  find(text: string): ResourceType | undefined;
  /** By what an object or reference says of itself; the version does not count. */
  ofKind(apiVersion: string, kind: string): ResourceType | undefined;
  all(): Iterable<ResourceType>;
  /** Grows whenever a type comes, goes or changes. */
  readonly revision: number;
  /** Tells which ids came, went or changed. */
  onChange(listener: (ids: ReadonlySet<string>) => void): Disposable;
  /** Resolves when the types are known for the first time. */
  ready(signal: AbortSignal): Promise<void>;
}

/** Whether it can be kept in a cache. */
export function isCacheable({ verbs }: Pick<ResourceType, "verbs">): boolean {
  return verbs.includes("list") && verbs.includes("watch");
}

/** Whether the same requests list and watch both, with the same objects. */
export function isSameResource(a: ResourceType, b: ResourceType): boolean {
  return (
    a.kind.group === b.kind.group &&
    a.kind.version === b.kind.version &&
    a.kind.plural === b.kind.plural &&
    a.kind.scope === b.kind.scope &&
    isCacheable(a) === isCacheable(b) &&
    isTold(a) === isTold(b)
  );
}
