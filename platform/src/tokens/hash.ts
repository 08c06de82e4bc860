/** Keys of tokens as they are stored (rancher: pkg/auth/tokens/hashers). Version 3 is written; 1 and 2 are read. */

import { createHash, randomBytes, scrypt, timingSafeEqual } from "node:crypto";

/** How a key is hashed: 1 is scrypt, 2 SHA-256, 3 SHA3-512. */
export type HashVersion = 1 | 2 | 3;

const saltLength = 8;

/** Hashes a key with a fresh salt, as `$3:1:<salt>:<hash>`; both are standard base64 without padding. */
export function hashKey(key: string): string {
  const salt = randomBytes(saltLength);
  return `$3:1:${encode(salt)}:${encode(digest("sha3-512", salt, key))}`;
}

/**
 * Whether `key` is the stored one; `hashed` says that what is stored is a hash (annotation token-hashed), else it is the key itself.
 * Compares in constant time. False for an empty or malformed stored value, and for one whose verification would cost more than
 * that of Rancher's own: stored values are data, so none makes it throw or work longer.
 */
export async function verifyKey(key: string, stored: string, hashed: boolean): Promise<boolean> {
  if (!hashed) return stored !== "" && equalTexts(key, stored);
  const parsed = parseHash(stored);
  if (parsed === undefined) return false;
  return timingSafeEqual(await derive(parsed, key), parsed.hash);
}

/** The version of a well-formed hash; undefined for what verifyKey would not work on. */
export function hashVersion(stored: string): HashVersion | undefined {
  return parseHash(stored)?.version;
}

/** A hash taken apart. */
interface Parsed {
  readonly version: HashVersion;
  readonly salt: Buffer;
  readonly hash: Buffer;
  /** Of scrypt alone. */
  readonly cost?: ScryptCost;
}

interface ScryptCost {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/** What Rancher wrote: 32 MiB and some 100 ms. */
const highest: ScryptCost = { logN: 15, r: 8, p: 1 };
/** Node's own limit is just below what scrypt needs for these. */
const scryptMemory = 64 * 1024 * 1024;
/** Bytes of a derived key, by version. */
const lengths: Readonly<Record<HashVersion, number>> = { 1: 64, 2: 32, 3: 64 };
/** No hash of any version is longer. */
const longest = 128;

const scryptForm = /^\$1:([0-9a-f]{16}):(\d{1,2}):(\d{1,2}):(\d{1,2}):([A-Za-z0-9+/]+)$/;
const saltedForm = /^\$(2|3:1):([A-Za-z0-9+/]+):([A-Za-z0-9+/]+)$/;

function parseHash(stored: string): Parsed | undefined {
  if (stored.length > longest) return undefined;
  return stored.startsWith("$1:") ? parseScrypt(stored) : parseSalted(stored);
}

function parseScrypt(stored: string): Parsed | undefined {
  const [, salt = "", logN, r, p, hash = ""] = scryptForm.exec(stored) ?? [];
  const cost = { logN: Number(logN), r: Number(r), p: Number(p) };
  if (!isPayable(cost)) return undefined;
  return complete(1, Buffer.from(salt, "hex"), decode(hash), cost);
}

function parseSalted(stored: string): Parsed | undefined {
  const [, form, salt = "", hash = ""] = saltedForm.exec(stored) ?? [];
  if (form === undefined) return undefined;
  return complete(form === "2" ? 2 : 3, decode(salt), decode(hash));
}

function complete(
  version: HashVersion,
  salt: Buffer | undefined,
  hash: Buffer | undefined,
  cost?: ScryptCost,
): Parsed | undefined {
  if (salt?.length !== saltLength || hash?.length !== lengths[version]) return undefined;
  return { version, salt, hash, ...(cost && { cost }) };
}

/** False for what is not a number, too. */
function isPayable({ logN, r, p }: ScryptCost): boolean {
  const within = (value: number, most: number): boolean => value >= 1 && value <= most;
  return within(logN, highest.logN) && within(r, highest.r) && within(p, highest.p);
}

async function derive({ version, salt, cost = highest }: Parsed, key: string): Promise<Buffer> {
  if (version === 1) return deriveScrypt(key, salt, cost);
  return digest(version === 2 ? "sha256" : "sha3-512", salt, key);
}

/** On a thread of libuv's pool; the event loop goes on meanwhile. */
function deriveScrypt(key: string, salt: Buffer, { logN, r, p }: ScryptCost): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const options = { N: 2 ** logN, r, p, maxmem: scryptMemory };
  scrypt(key, salt, lengths[1], options, (error, derived) => {
    if (error) reject(error);
    else resolve(derived);
  });
  return promise;
}

function digest(algorithm: "sha256" | "sha3-512", salt: Buffer, key: string): Buffer {
  return createHash(algorithm).update(salt).update(key).digest();
}

/** Digests have one length, whatever the texts have, so the time taken tells nothing of the stored one. */
function equalTexts(a: string, b: string): boolean {
  const of = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(of(a), of(b));
}

function encode(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}

/** Undefined for what encode would not have written. */
function decode(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return encode(bytes) === text ? bytes : undefined;
}
