/** Items as YAML. */

import { stringify } from "yaml";

/** Longer items stay the JSON that they are, which is YAML too: to write YAML takes up to 40 ms for so many bytes, in one go. */
const longest = 64 * 1024;

/** The YAML of an item's JSON, with a line break at the end. */
export function toYaml(item: Buffer): string {
  return item.length > longest ? `${item}\n` : stringify(JSON.parse(item.toString()));
}

/** The same as a member of a sequence. */
export function toYamlMember(item: Buffer): string {
  if (item.length > longest) return `- ${item}\n`;
  return stringify([JSON.parse(item.toString())], { indentSeq: false });
}
