/** Items as YAML. */

import { stringify, type ToStringOptions } from "yaml";

/** Longer items stay the JSON that they are, which is YAML too: to write YAML takes up to 40 ms for so many bytes, in one go. */
const longest = 64 * 1024;

/** The YAML of an item's JSON, with a line break at the end. */
export function toYaml(item: Buffer): Buffer {
  if (item.length > longest) return Buffer.concat([item, newline]);
  return Buffer.from(yamlOf(read(item)));
}

/** The same as a member of a sequence. */
export function toYamlMember(item: Buffer): Buffer {
  if (item.length > longest) return Buffer.concat([dash, item, newline]);
  return Buffer.from(yamlOf([read(item)], { indentSeq: false }));
}

/** With quotes around what YAML 1.1 takes for something else than text, as kubectl does: `yes`, `12:30:45`. */
export function yamlOf(value: unknown, options: ToStringOptions = {}): string {
  return stringify(value, { ...options, compat: "yaml-1.1" });
}

const dash = Buffer.from("- ");
const newline = Buffer.from("\n");

/** With integers that JavaScript cannot hold, which YAML writes digit by digit. */
function read(item: Buffer): unknown {
  const text = item.toString();
  return /\d{16}/.test(text) ? JSON.parse(text, exactInteger) : JSON.parse(text);
}

function exactInteger(_key: string, value: unknown, context?: { readonly source?: string }) {
  const { source = "" } = context ?? {};
  return typeof value === "number" && /^-?\d{16,}$/.test(source) ? BigInt(source) : value;
}
