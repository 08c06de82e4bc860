/** Token values as clients send them: `<name>:<key>`, or `ext/<name>:<key>` for those of ext.cattle.io. */

import { randomInt } from "node:crypto";
import { Confidential } from "./confidential.ts";

/** A well-formed token value. Showing or logging it does not show the key. */
export interface TokenValue {
  /** Where the token is: management.cattle.io/v3, or a Secret behind ext.cattle.io/v1. */
  readonly store: "v3" | "ext";
  /** Name of the object, a DNS subdomain. */
  readonly name: string;
  readonly key: Confidential;
}

const extPrefix = "ext/";
const longestName = 253;
const longestKey = 256;
const label = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";
const namePattern = new RegExp(`^${label}(?:\\.${label})*$`);
/** Visible ASCII without the colon: no stored hash can be passed off as a key. */
const keyPattern = /^[!-9;-~]+$/;

/**
 * Takes a value apart; undefined unless it has exactly one colon, the name is one that Kubernetes accepts, and the key is visible ASCII of
 * at most 256 characters (generated keys have 54; people may choose others). The work is bounded, however long the text.
 */
export function parseTokenValue(text: string): TokenValue | undefined {
  if (text.length > extPrefix.length + longestName + 1 + longestKey) return undefined;
  const store = text.startsWith(extPrefix) ? "ext" : "v3";
  const [name = "", key = "", ...more] = text
    .slice(store === "ext" ? extPrefix.length : 0)
    .split(":");
  if (more.length > 0 || !isName(name) || !isKey(key)) return undefined;
  return { store, name, key: new Confidential(key) };
}

/** The value in the form that parseTokenValue reads, with its key: for the one reply that may show it. */
export function formatTokenValue({ store, name, key }: TokenValue): string {
  return `${store === "ext" ? extPrefix : ""}${name}:${key.reveal()}`;
}

/** Rancher's alphabet and length (wrangler: pkg/randomtoken/token.go): 256 bits of chance, no vowels, nothing that looks alike. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";
const keyLength = 54;

/** A new key, each character chosen evenly by the system's generator. */
export function generateKey(): Confidential {
  return new Confidential(randomText(keyLength));
}

/** Characters behind a prefix in a generated name; as many as the API server's own. */
const suffixLength = 5;

/** A name that nobody foresees: the prefix and five characters, as generateName gives. It may be taken, which the API server tells. */
export function generateName(prefix: string): string {
  return prefix + randomText(suffixLength);
}

function randomText(length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join("");
}

function isName(text: string): boolean {
  return text.length <= longestName && namePattern.test(text);
}

function isKey(text: string): boolean {
  return text.length <= longestKey && keyPattern.test(text);
}
