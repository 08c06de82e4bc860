/** Bcrypt, for passwords that older versions stored. Nothing new is written in it. */

import { compare } from "bcryptjs";

/** The highest cost that is worked on: some 1.5 s. Rancher wrote 10; each step doubles the work, and the format allows 31. */
export const highestCost = 14;

const lowestCost = 4;
const form = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/** The text if it is a bcrypt hash whose cost we are ready to pay. */
export function parseBcrypt(text: string): string | undefined {
  const cost = Number(form.exec(text)?.[1]);
  return cost >= lowestCost && cost <= highestCost ? text : undefined;
}

/**
 * Whether the hash was made of the password; undefined, without any work, for a text that parseBcrypt refuses. Like everywhere,
 * bcrypt looks at the first 72 bytes only. Gives way to the event loop every 100 ms.
 */
export async function verifyBcrypt(password: string, text: string): Promise<boolean | undefined> {
  if (parseBcrypt(text) === undefined) return undefined;
  return compare(password.toWellFormed(), text);
}
