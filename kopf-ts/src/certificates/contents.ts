/** What the two Secrets hold. */

import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Secret } from "../kinds/index.ts";
import type { KeyPair } from "./pair.ts";

/** An authority that can sign, and all whose certificates are to be trusted: this one first. */
export interface Authority {
  readonly pair: KeyPair;
  readonly certificate: X509Certificate;
  readonly bundle: readonly X509Certificate[];
}

/** A certificate that can be served. */
export interface Serving {
  readonly pair: KeyPair;
  readonly certificate: X509Certificate;
}

/** What a Secret holds, or why that is nothing usable; the reason quotes nothing. */
export type Read<T> = { readonly found: T } | { readonly fault: string };

/** Reads the authority: `tls.crt`, `tls.key`, and in `ca.crt` those before it that are still trusted. */
export function readAuthority(secret: Secret | undefined): Read<Authority> {
  const read = readServing(secret);
  if ("fault" in read) return read;
  const { certificate, pair } = read.found;
  if (!certificate.ca) return { fault: "tls.crt is no certificate authority" };
  if (certificate.publicKey.asymmetricKeyDetails?.namedCurve !== "prime256v1") {
    return { fault: "its key is not of the curve P-256" }; // the only one that we sign with
  }
  const others = certificatesIn(entryOf(secret, "ca.crt") ?? "");
  if (others === undefined) return { fault: "ca.crt is not made of certificates" };
  const bundle = withoutDoubles([certificate, ...others]);
  return { found: { pair, certificate, bundle } };
}

/** Reads the serving certificate: `tls.crt` and `tls.key`. */
export function readServing(secret: Secret | undefined): Read<Serving> {
  if (secret === undefined) return { fault: "it does not exist" };
  const cert = entryOf(secret, "tls.crt");
  const key = entryOf(secret, "tls.key");
  if (cert === undefined || key === undefined) return { fault: "tls.crt or tls.key is missing" };
  const [certificate] = certificatesIn(cert) ?? [];
  if (certificate === undefined) return { fault: "tls.crt is not made of certificates" };
  if (!fits(certificate, key)) return { fault: "tls.key is not the key of tls.crt" };
  return { found: { pair: { cert, key }, certificate } };
}

/** PEM of certificates, one after the other. */
export function pemOf(certificates: readonly X509Certificate[]): string {
  return certificates.map((certificate) => certificate.toString()).join("");
}

/** Those that are different, in their order. */
export function withoutDoubles(
  certificates: readonly X509Certificate[],
): readonly X509Certificate[] {
  return [...new Map(certificates.map((each) => [each.fingerprint256, each])).values()];
}

/** The certificate of `bundle` that signed this one. */
export function issuerOf(
  certificate: X509Certificate,
  bundle: readonly X509Certificate[],
): X509Certificate | undefined {
  return bundle.find((each) => certificate.checkIssued(each) && certificate.verify(each.publicKey));
}

/** Every certificate in a PEM text; undefined when one of them is none. */
function certificatesIn(pem: string): readonly X509Certificate[] | undefined {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    return undefined;
  }
}

function fits(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function entryOf(secret: Secret | undefined, name: string): string | undefined {
  const value = secret?.data?.[name];
  return value === undefined || value === "" ? undefined : Buffer.from(value, "base64").toString();
}
