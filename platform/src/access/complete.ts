import {
  MissingClusterRoleError,
  MissingRoleTemplateError,
  type PolicyRule,
  RoleTemplate,
  type RuleSources,
} from "@drover/crds";
import type { Client, Kind, KubeObject } from "kopf-ts";
import { ClusterRole } from "kopf-ts/kinds";
import { findNamed } from "./find-named.ts";
import { rulesOf } from "./sources.ts";

/** Live look-ups of one call, at most; who inherits more templates that no cache knows yet can ask again in a moment. */
const mostReads = 100;

/** Asks the API server. */
export interface Reader {
  readonly client: Pick<Client, "find">;
  readonly signal: AbortSignal;
}

/**
 * What `resolve` makes of role templates and ClusterRoles, where what caches do not have yet is asked of the API server: somebody who makes a template and binds
 * it at once is not told that it does not exist. Sends nothing while caches have everything.
 *
 * Throws what `resolve` throws; MissingRoleTemplateError and MissingClusterRoleError only for what the API server does not have either.
 */
export async function complete<T>(
  sources: RuleSources,
  reader: Reader,
  resolve: (sources: RuleSources) => T,
): Promise<T> {
  const overlay = new Overlay(sources, reader);
  for (let reads = 0; ; reads++) {
    try {
      return resolve(overlay);
    } catch (thrown) {
      if (reads === mostReads || !(await overlay.fetch(thrown))) throw thrown;
    }
  }
}

/** Sources with what was found live besides. */
class Overlay implements RuleSources {
  readonly #sources: RuleSources;
  readonly #reader: Reader;
  readonly #templates = new Map<string, RoleTemplate>();
  readonly #rules = new Map<string, readonly PolicyRule[]>();

  constructor(sources: RuleSources, reader: Reader) {
    this.#sources = sources;
    this.#reader = reader;
  }

  roleTemplate(name: string): RoleTemplate | undefined {
    return this.#sources.roleTemplate(name) ?? this.#templates.get(name);
  }

  clusterRole(name: string): readonly PolicyRule[] | undefined {
    return this.#sources.clusterRole(name) ?? this.#rules.get(name);
  }

  /** Looks for what an error says is missing; false when it is, or when the error is about something else. */
  async fetch(thrown: unknown): Promise<boolean> {
    if (thrown instanceof MissingRoleTemplateError) return this.#fetchTemplate(thrown.roleTemplate);
    if (thrown instanceof MissingClusterRoleError) return this.#fetchRules(thrown.clusterRole);
    return false;
  }

  async #fetchTemplate(name: string): Promise<boolean> {
    if (this.#templates.has(name)) return false;
    const found = await this.#find(RoleTemplate, name);
    if (found !== undefined) this.#templates.set(name, found);
    return found !== undefined;
  }

  async #fetchRules(name: string): Promise<boolean> {
    if (this.#rules.has(name)) return false;
    const found = rulesOf(await this.#find(ClusterRole, name));
    if (found !== undefined) this.#rules.set(name, found);
    return found !== undefined;
  }

  async #find<T extends KubeObject>(kind: Kind<T>, name: string): Promise<T | undefined> {
    const { client, signal } = this.#reader;
    return findNamed(client, kind, name, { signal });
  }
}
