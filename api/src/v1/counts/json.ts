/** Counts as JSON, of which there may be megabytes: types times namespaces. */

import type { Access } from "../access/access.ts";
import type { Slices } from "../slices.ts";
import { type CountsParts, summaryOf, type Tallied, talliedOf } from "./counts.ts";

/** Characters that are made bytes together. */
const longest = 64 * 1024;

/** The counts of all types that the caller may list, a few milliseconds at a time. Rejects with the signal's reason. */
export async function countsJson(
  parts: CountsParts,
  access: Access,
  slices: Slices,
): Promise<readonly Buffer[]> {
  const buffers: Buffer[] = [];
  let text = "{";
  for (const piece of piecesOf(parts, access)) {
    text += piece;
    if (text.length >= longest) {
      buffers.push(Buffer.from(text));
      text = "";
    }
    if (slices.isOver) await slices.turn();
  }
  return [...buffers, Buffer.from(`${text}}`)];
}

function* piecesOf(parts: CountsParts, access: Access): Generator<string, void> {
  let before = "";
  for (const type of parts.types.all()) {
    const tallied = talliedOf(parts, type, access);
    const isKnown = tallied !== undefined && tallied !== "unread";
    yield isKnown ? `${before}${JSON.stringify(type.id)}:` : "";
    if (!isKnown) continue;
    yield* ofType(tallied);
    before = ",";
  }
}

/** Objects come and go meanwhile: namespaces are as they are when it is their turn. */
function* ofType({ total, namespaces }: Tallied): Generator<string, void> {
  yield `{"summary":${JSON.stringify(summaryOf(total))}`;
  let before = ',"namespaces":{';
  for (const [name, tally] of namespaces) {
    yield `${before}${JSON.stringify(name)}:${JSON.stringify(summaryOf(tally))}`;
    before = ",";
  }
  yield before === "," ? "}}" : "}";
}
