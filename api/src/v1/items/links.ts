/** What an item begins with: who it is, and what the caller may do with it (apiserver: pkg/writer/encoding.go; steve: pkg/resources/common/formatter.go). */

import type { Kind } from "kopf-ts";
import { type Access, isNothing, type Reach, reaches } from "../access/access.ts";
import { disallowedMethods } from "../schemas/disallowed.ts";
import type { ResourceType } from "../types/resource-type.ts";
import type { ItemContext } from "./item.ts";
import { escaped } from "./json-text.ts";
import { pathPart } from "./path-part.ts";

/** What sets an item apart from others of its type. */
export interface Identity {
  /** Empty outside namespaces. */
  readonly namespace: string;
  readonly name: string;
  /** Nobody changes it through /v1, whatever his rights. */
  readonly isFixed: boolean;
}

/** The links of the items of one type, for one caller. */
export class Links {
  readonly #idAndType: string;
  readonly #self: string;
  readonly #views: (namespace: string) => string;
  readonly #update: Link;
  readonly #remove: Link;
  readonly #patch: Link;
  readonly #view: Link;

  constructor({ type, access, base }: Pick<ItemContext, "type" | "access" | "base">) {
    const { kind, verbs } = type;
    const root = escaped(base);
    const blocked = disallowedMethods(kind.group, kind.plural);
    const link = (verb: string, method: string, isServed: boolean): Link => ({
      reach: access.reach([verb], kind),
      use: blocked.includes(method) ? "blocked" : isServed ? "url" : "none",
    });
    this.#idAndType = `,"type":"${escaped(type.id)}","links":{`;
    this.#self = `${root}/v1/${escaped(type.pluralName)}/`;
    this.#views = viewsOf(kind, root);
    this.#update = link("update", "PUT", verbs.includes("update"));
    this.#remove = link("delete", "DELETE", verbs.includes("delete"));
    this.#patch = link("patch", "PATCH", isPatched(type, access));
    this.#view = link("get", "GET", true);
  }

  /** `{"id":...,"type":...,"links":{...}`. */
  headOf({ namespace, name, isFixed }: Identity): string {
    const id = escaped(name);
    const part = pathPart(name);
    const within = namespace === "" ? "" : `${namespace}/`;
    const self = this.#self + within + part;
    const view = this.#views(namespace) + part;
    const granted = (link: Link, key: string, url: string): string =>
      link.use !== "none" && reaches(link.reach, namespace, name)
        ? `"${key}":"${link.use === "url" ? url : "blocked"}",`
        : "";
    const patch = granted(this.#patch, "patch", self);
    const remove = granted(this.#remove, "remove", self);
    const update = isFixed ? "" : granted(this.#update, "update", self);
    const last = granted(this.#view, "view", view);
    const links = `${patch}${remove}${update}${last}"self":"${self}"`;
    return `{"id":"${within}${id}"${this.#idAndType}${links}}`;
  }
}

interface Link {
  /** The objects for which the caller has the right. */
  readonly reach: Reach;
  readonly use: "url" | "blocked" | "none";
}

/** Types that can be updated can be patched (steve: pkg/schema/factory.go). */
function isPatched({ kind, verbs }: ResourceType, access: Access): boolean {
  if (verbs.includes("patch")) return true;
  return verbs.includes("update") && !isNothing(access.reach(["update"], kind));
}

/** Where Kubernetes itself serves objects; those of Rancher's API are seen through /v1. */
export function viewsOf(
  kind: Pick<Kind, "group" | "version" | "plural">,
  root: string,
): (namespace: string) => string {
  const { group, version, plural } = kind;
  if (group === "management.cattle.io" && version === "v3") {
    const all = `${root}/v1/${group}.${escaped(plural)}/`;
    return (namespace) => (namespace === "" ? all : `${all}${namespace}/`);
  }
  const api = group === "" ? `${root}/api/v1/` : `${root}/apis/${group}/${version}/`;
  const [all, within] = [`${api}${escaped(plural)}/`, `${api}namespaces/`];
  return (namespace) => (namespace === "" ? all : `${within}${namespace}/${escaped(plural)}/`);
}
