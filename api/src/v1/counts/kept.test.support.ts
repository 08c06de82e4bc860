import { apiVersionOf, Background, Store, silentLogger } from "kopf-ts";
import { scanObject } from "kopf-ts/watch";
import { DigestReader } from "../inventory/digest.ts";
import { Edges } from "../inventory/edges.ts";
import { columnsOf, type KeptParts, KeptType } from "../inventory/kept.ts";
import type { ResourceType } from "../types/resource-type.ts";

const background = new Background(silentLogger);

/** What types of one inventory share. */
export function keptParts(): KeptParts {
  const nothing = (): void => undefined;
  return {
    ...{ edges: new Edges(() => true), digests: new DigestReader() },
    ...{ onTally: nothing, onStanding: nothing },
  };
}

/** Objects of a type, which an inventory has read, or is reading. */
export async function keptType(
  type: ResourceType,
  objects: readonly object[],
  state: "read" | "unread",
  parts: KeptParts = keptParts(),
): Promise<KeptType> {
  const { kind } = type;
  const store = new Store(kind, { keep: "columns", background });
  await store.addColumns(columnsOf(type, () => 0));
  const kept = new KeptType(type, store, parts);
  store.subscribe(({ key }) => kept.take(key));
  store.begin();
  for (const object of objects) {
    const typed = { apiVersion: apiVersionOf(kind), kind: kind.kind, ...object };
    const bytes = Buffer.from(JSON.stringify(typed));
    const scanned = scanObject(bytes, 0, bytes.length);
    if (scanned !== undefined) store.item(scanned);
  }
  store.end("1");
  if (state === "read") kept.fill();
  return kept;
}
