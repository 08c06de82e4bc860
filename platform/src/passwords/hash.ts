/** Passwords as Rancher stores them (rancher: pkg/auth/providers/local/pbkdf2). */

import { pbkdf2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { verifyBcrypt } from "./bcrypt.ts";

/** What new passwords are stored as: PBKDF2-HMAC-SHA3-512. Raw bytes. */
export interface Pbkdf2Hash {
  readonly algorithm: "pbkdf2sha3512";
  readonly key: Uint8Array;
  readonly salt: Uint8Array;
}

/** What older versions stored; the text has the form of `parseBcrypt`. */
export interface BcryptHash {
  readonly algorithm: "bcrypt";
  readonly text: string;
}

/** A stored password. As secret as the password itself: it must not reach a log, an Event or an error. */
export type PasswordHash = Pbkdf2Hash | BcryptHash;

/** What became of a comparison. */
export interface Verdict {
  readonly matches: boolean;
  /** It matches, but is stored in an outdated form: hash the password anew and store that. */
  readonly rewrite: boolean;
}

/** Bytes of a derived key, and of a new salt. */
export const keyLength = 32;

const iterations = 210_000;
const derive = promisify(pbkdf2);

/** Derives a key with a fresh salt. Takes some 150 ms on a thread of libuv's pool; the event loop goes on meanwhile. */
export async function hashPassword(password: string): Promise<Pbkdf2Hash> {
  return hashWith(password, randomBytes(keyLength));
}

/** As hashPassword, with a given salt: for check vectors and comparisons. */
export async function hashWith(password: string, salt: Uint8Array): Promise<Pbkdf2Hash> {
  const text = password.toWellFormed();
  const key = await derive(text, salt, iterations, keyLength, "sha3-512");
  return { algorithm: "pbkdf2sha3512", key, salt };
}

/**
 * Whether `password` is the stored one. Without a stored one (no such user, no or an unreadable Secret) nothing matches, after the same
 * work as for one that exists, so that the time taken does not tell which users there are. Compares in constant time.
 * Bcrypt hashes take another time than PBKDF2 ones until they are rewritten. Never throws for what is stored.
 */
export async function verifyPassword(
  password: string,
  stored: PasswordHash | undefined,
): Promise<Verdict> {
  if (stored?.algorithm === "bcrypt") {
    const matches = await verifyBcrypt(password, stored.text);
    if (matches !== undefined) return { matches, rewrite: matches };
    return verifyPassword(password, undefined);
  }
  const against = stored ?? nobody;
  const { key } = await hashWith(password, against.salt);
  const matches =
    stored !== undefined && key.length === against.key.length && timingSafeEqual(key, against.key);
  return { matches, rewrite: false };
}

/** Stands in for a password that nobody has. */
const nobody: Pbkdf2Hash = {
  algorithm: "pbkdf2sha3512",
  key: randomBytes(keyLength),
  salt: randomBytes(keyLength),
};
