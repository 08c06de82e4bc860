import "reflect-metadata";
import { webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

/** What a TLS listener serves with, in PEM. */
export interface ServingCertificate {
  readonly cert: string;
  readonly key: string;
}

const day = 24 * 60 * 60 * 1000;
const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** A self-signed certificate for `names` (DNS names or IP addresses), valid for a year from `now`. */
export async function selfSigned(
  names: readonly string[],
  now: number,
): Promise<ServingCertificate> {
  x509.cryptoProvider.set(webcrypto);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=drover",
    notBefore: new Date(now - day),
    notAfter: new Date(now + 365 * day),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: /^[\d.]+$|:/.test(value) ? "ip" : "dns", value })),
      ),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    ],
  });
  const key = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { cert: certificate.toString("pem"), key: x509.PemConverter.encode(key, "PRIVATE KEY") };
}
