/** What is wrong with a certificate, the server's or ours, and what to do about it. Pure. */

import { X509Certificate } from "node:crypto";

/** A client certificate that proves nothing at this time, in words; undefined for one that is in force, and for what cannot be read. */
export function outOfForce(
  cert: string | undefined,
  user: string | undefined,
  now: number,
): string | undefined {
  const validity = cert === undefined ? undefined : validityOf(cert);
  if (validity === undefined) return undefined;
  const [from, to] = validity;
  const whose = user === undefined ? "our client certificate" : `the client certificate of ${user}`;
  if (now > to.getTime()) return `${whose} expired on ${dated(to)}; renew it`;
  if (now >= from.getTime()) return undefined;
  return `${whose} is not valid before ${dated(from)}, and by our clock it is ${dated(new Date(now))}`;
}

function validityOf(cert: string): readonly [Date, Date] | undefined {
  try {
    const { validFromDate, validToDate } = new X509Certificate(cert);
    return [validFromDate, validToDate];
  } catch {
    return undefined;
  }
}

function dated(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

/** Whom we trust to sign the server's certificate. */
export interface Trust {
  /** As the kubeconfig names it, `cluster "a"`. */
  readonly cluster: string | undefined;
  /** Whether there is a certificate-authority; without one those count that Node knows. */
  readonly ca: boolean;
}

type Advice = (trust: Trust, said: string) => string;

const unsigned: Advice = ({ cluster, ca }) => {
  const field = `certificate-authority of ${cluster} in the kubeconfig`;
  if (ca) return `it is not signed by the ${cluster === undefined ? "ca given" : field}`;
  return `no authority that Node knows has signed it; ${cluster === undefined ? "give the server's ca" : `set the ${field}`}`;
};
const unfit: Advice = (_, said) =>
  `it, or an authority behind it, is not made out for this: ${said}`;

/** Codes of OpenSSL's verification and of Node's own check of names (node: src/crypto/crypto_common.cc, lib/internal/errors.js). */
const advices: Readonly<Record<string, Advice>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: unsigned,
  SELF_SIGNED_CERT_IN_CHAIN: unsigned,
  UNABLE_TO_GET_ISSUER_CERT: unsigned,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unsigned,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unsigned,
  CERT_SIGNATURE_FAILURE: unsigned, // by another authority of the same name
  CERT_UNTRUSTED: unsigned,
  CERT_HAS_EXPIRED: () =>
    "it, or an authority behind it, has expired; renew it on the server, or set our clock",
  CERT_NOT_YET_VALID: () =>
    "it, or an authority behind it, is not valid yet; set our clock, or the server's",
  ERR_TLS_CERT_ALTNAME_INVALID: ({ cluster }, said) =>
    `it is that of another host; use a name it has, or set ${cluster === undefined ? "tlsServerName" : `tls-server-name of ${cluster} in the kubeconfig`}: ${said}`,
  ERR_TLS_CERT_ALTNAME_FORMAT: (_, said) => `its names cannot be read: ${said}`,
  HOSTNAME_MISMATCH: (_, said) => `it is that of another host: ${said}`,
  CERT_REVOKED: () => "it was revoked; renew it on the server",
  CERT_REJECTED: unfit,
  CERT_CHAIN_TOO_LONG: unfit,
  INVALID_CA: unfit,
  INVALID_PURPOSE: unfit,
  PATH_LENGTH_EXCEEDED: unfit,
};

/** Why the server's certificate is not trusted and what to do; undefined for a code that says something else. `said` is TLS's own text. */
export function untrusted(code: string, trust: Trust, said: string): string | undefined {
  const advice = Object.hasOwn(advices, code) ? advices[code] : undefined;
  return advice === undefined ? undefined : `${advice(trust, said)} (${code})`;
}
