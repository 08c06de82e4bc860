/** IP addresses as texts that sort as the addresses do. */

import { isIPv4, isIPv6 } from "node:net";

/**
 * `4` and eight hexadecimal digits, or `6` and thirty-two, so that v4 comes before v6 and both are in the order of their numbers; undefined for
 * what is no address. An IPv4 address in the form of IPv6 is one of IPv4.
 */
export function toAddress(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  if (isIPv4(value)) return `4${hexOfIPv4(value)}`;
  if (value.includes("%") || !isIPv6(value)) return undefined;
  const hex = hexOfIPv6(value.toLowerCase());
  return hex.startsWith(MAPPED) ? `4${hex.slice(MAPPED.length)}` : `6${hex}`;
}

const MAPPED = `${"0".repeat(20)}ffff`;

function hexOfIPv4(text: string): string {
  return text
    .split(".")
    .map((part) => Number(part).toString(16).padStart(2, "0"))
    .join("");
}

/** Of a text that is one. */
function hexOfIPv6(text: string): string {
  const [left = "", right] = text.split("::");
  const head = groupsOf(left);
  if (right === undefined) return head.join("");
  const tail = groupsOf(right);
  return [...head, ..."0".repeat(8 - head.length - tail.length)]
    .map((group) => group.padStart(4, "0"))
    .concat(tail)
    .join("");
}

/** Four digits each; an IPv4 address at the end counts as two. */
function groupsOf(text: string): readonly string[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) return [group.padStart(4, "0")];
    const hex = hexOfIPv4(group);
    return [hex.slice(0, 4), hex.slice(4)];
  });
}
