/** Certificates in texts. */

import { X509Certificate } from "node:crypto";
import type { Secret } from "kopf-ts/kinds";

/** Fingerprints of the certificates in a PEM text; what is none is passed over. */
export function fingerprintsIn(pem: string): readonly string[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.flatMap((block) => {
    try {
      return [new X509Certificate(block).fingerprint256];
    } catch {
      return [];
    }
  });
}

/** Whether a bundle names nothing but authorities of the Secret: then the server has put it there. */
export function isOurs(bundle: string, secret: Secret | undefined): boolean {
  const texts = ["tls.crt", "ca.crt"].map((entry) => secret?.data?.[entry] ?? "");
  const ours = texts.flatMap((text) => fingerprintsIn(Buffer.from(text, "base64").toString()));
  const named = fingerprintsIn(bundle);
  return named.length > 0 && named.every((each) => ours.includes(each));
}
