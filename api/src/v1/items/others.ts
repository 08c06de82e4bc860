/** What a caller learns of the objects that one object has to do with. */

import { type Access, type Reach, reaches } from "../access/access.ts";
import type { Inventory } from "../inventory/inventory.ts";
import { seesOwnOnly } from "../own-objects.ts";
import type { Types } from "../types/resource-type.ts";
import { type Edge, edgeText, inboundText } from "./edges.ts";
import type { Identity } from "./links.ts";

/**
 * Shows relationships to one caller: what an object itself says is told as it is, but how another one is, and that another one refers to it, only where the caller may read
 * that one. (Steve tells everybody.)
 */
export class Others {
  readonly #inventory: Inventory | undefined;
  readonly #types: Pick<Types, "find">;
  readonly #access: Access;
  readonly #reaches = new Map<string, Reach | undefined>();

  constructor(inventory: Inventory | undefined, types: Pick<Types, "find">, access: Access) {
    this.#inventory = inventory;
    this.#types = types;
    this.#access = access;
  }

  /** `"relationships":[...]`, or null for none. */
  relationshipsText(
    typeId: string,
    { namespace, name }: Pick<Identity, "namespace" | "name">,
    own: readonly Edge[],
  ): string {
    const texts: string[] = [];
    for (const edge of own) texts.push(this.#ownText(edge));
    for (const each of this.#inventory?.inbound(typeId, namespace, name) ?? []) {
      if (this.sees(each.typeId, each.namespace, each.name)) texts.push(inboundText(each));
    }
    return `"relationships":${texts.length === 0 ? "null" : `[${texts.join(",")}]`}`;
  }

  /** Whether the caller may read an object; never one of a type of which people see only their own. */
  sees(typeId: string, namespace: string, name: string): boolean {
    const reach = this.#reachOf(typeId);
    return reach !== undefined && reaches(reach, namespace, name);
  }

  #ownText(edge: Edge): string {
    const { typeId, namespace, name } = edge;
    const isKnown = name !== "" && this.#inventory !== undefined;
    return edgeText(
      edge,
      isKnown && this.sees(typeId, namespace, name)
        ? this.#inventory?.standingOf(typeId, namespace, name)
        : undefined,
    );
  }

  #reachOf(typeId: string): Reach | undefined {
    if (this.#reaches.has(typeId)) return this.#reaches.get(typeId);
    const type = this.#types.find(typeId);
    const isTold = type !== undefined && !seesOwnOnly(type, this.#access);
    const reach = isTold ? this.#access.reach(["list", "get"], type.kind) : undefined;
    this.#reaches.set(typeId, reach);
    return reach;
  }
}
