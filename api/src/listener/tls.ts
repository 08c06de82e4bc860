/** Which TLS is spoken (rancher: pkg/tls/config.go). */

import { constants } from "node:crypto";
import { getCiphers, type SecureVersion } from "node:tls";
import { namesIn, settings } from "@drover/platform";

/** As settings `tls-min-version` and `tls-ciphers` say it. */
export interface TlsRules {
  readonly minVersion: string;
  /** Suites by the names that Go has for them. */
  readonly ciphers: readonly string[];
}

/** As a listener takes it. */
export interface Tls {
  readonly minVersion: SecureVersion;
  /** In OpenSSL's format. */
  readonly ciphers: string;
  readonly secureOptions: number;
}

const versions: ReadonlyMap<string, SecureVersion> = new Map([
  ["1.0", "TLSv1"],
  ["1.1", "TLSv1.1"],
  ["1.2", "TLSv1.2"],
  ["1.3", "TLSv1.3"],
]);

/** Of TLS 1.3, which nobody chooses from; the order is Go's, for what is sent costs the more the longer the keys are (go: crypto/tls/defaults.go). */
const always = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"];
/** Who names ChaCha20 first has no instructions for AES. */
const secureOptions = constants.SSL_OP_PRIORITIZE_CHACHA;

/** OpenSSL's names of Go's suites up to TLS 1.2, but for those with RC4 and 3DES. */
const suites: ReadonlyMap<string, string> = new Map([
  ["TLS_RSA_WITH_AES_128_CBC_SHA", "AES128-SHA"],
  ["TLS_RSA_WITH_AES_256_CBC_SHA", "AES256-SHA"],
  ["TLS_RSA_WITH_AES_128_CBC_SHA256", "AES128-SHA256"],
  ["TLS_RSA_WITH_AES_128_GCM_SHA256", "AES128-GCM-SHA256"],
  ["TLS_RSA_WITH_AES_256_GCM_SHA384", "AES256-GCM-SHA384"],
  ["TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE-ECDSA-AES128-SHA"],
  ["TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ECDHE-ECDSA-AES256-SHA"],
  ["TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", "ECDHE-ECDSA-AES128-SHA256"],
  ["TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"],
  ["TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"],
  ["TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", "ECDHE-ECDSA-CHACHA20-POLY1305"],
  ["TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"],
  ["TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA-AES128-SHA"],
  ["TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "ECDHE-RSA-AES256-SHA"],
  ["TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", "ECDHE-RSA-AES128-SHA256"],
  ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"],
  ["TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384"],
  ["TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", "ECDHE-RSA-CHACHA20-POLY1305"],
  ["TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305"],
]);

const offered: ReadonlySet<string> = new Set(getCiphers());
/** OpenSSL speaks versions before 1.2 with nobody otherwise: their signatures are made with SHA-1. */
const asOld = "@SECLEVEL=0";

/**
 * What rules mean here, and the names in them that mean nothing. Without a version that is known, 1.2 is the oldest; without any suite that is known, those
 * of the setting's default are offered.
 */
export function tlsOf({ minVersion: oldest, ciphers }: TlsRules): {
  readonly tls: Tls;
  readonly unknown: readonly string[];
} {
  const minVersion = versions.get(oldest.trim());
  const isKnown = (name: string): boolean =>
    always.includes(name) || opensslName(name) !== undefined;
  const unknown = [
    ...(minVersion === undefined ? [oldest] : []),
    ...ciphers.filter((name) => !isKnown(name)),
  ];
  const known = ciphers.some(isKnown) ? ciphers : usualSuites;
  const suitesOfAll = cipherList(known, minVersion);
  const tls = { minVersion: minVersion ?? "TLSv1.2", ciphers: suitesOfAll, secureOptions };
  return { tls, unknown };
}

const usualSuites = namesIn(settings["tls-ciphers"].default);

function opensslName(name: string): string | undefined {
  const known = suites.get(name) ?? "";
  return offered.has(known.toLowerCase()) ? known : undefined;
}

/** Suites that OpenSSL knows before TLS 1.2 end in SHA. */
function cipherList(names: readonly string[], minVersion: SecureVersion | undefined): string {
  const chosen = new Set(names.flatMap((name) => opensslName(name) ?? []));
  const isOld = minVersion === "TLSv1" || minVersion === "TLSv1.1";
  const level = isOld && [...chosen].some((name) => name.endsWith("-SHA")) ? [asOld] : [];
  return [...always, ...chosen, ...level].join(":");
}

/** What a listener speaks unless it is told otherwise. */
export const usualTls: Tls = tlsOf({
  minVersion: settings["tls-min-version"].default,
  ciphers: usualSuites,
}).tls;
