/** Certificates of any age, as the Secrets hold them. */

import type { Secret } from "../../kinds/index.ts";
import { type Authority, pemOf, readAuthority, readServing, type Serving } from "../contents.ts";
import { issueAuthority, issueServing } from "../issue.ts";
import type { KeyPair } from "../pair.ts";

/** The Secret with these texts. */
export function aSecret(texts: Readonly<Record<string, string>>): Secret {
  const data = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString("base64")]),
  );
  return { apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace: "ns" }, data };
}

/** A Secret with a key pair. */
export function secretOf({ cert, key }: KeyPair, bundle?: string): Secret {
  return aSecret({
    "tls.crt": cert,
    "tls.key": key,
    ...(bundle !== undefined && { "ca.crt": bundle }),
  });
}

/** An authority made at `now`; those `before` it stay trusted. */
export async function anAuthority(
  now: number,
  life: number,
  before: readonly Authority[] = [],
): Promise<Authority> {
  const pair = await issueAuthority({ commonName: `test ${now}`, now, life });
  const bundle = pemOf(before.map(({ certificate }) => certificate));
  const read = readAuthority(secretOf(pair, bundle));
  if ("fault" in read) throw new Error(read.fault);
  return read.found;
}

/** A serving certificate made at `now`. */
export async function aServing(
  { pair: authority }: Authority,
  now: number,
  life: number,
  names: readonly string[] = ["a.test"],
): Promise<Serving> {
  const pair = await issueServing(authority, { commonName: "test", now, life, names });
  const read = readServing(secretOf(pair));
  if ("fault" in read) throw new Error(read.fault);
  return read.found;
}
