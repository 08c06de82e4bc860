/** The only file that makes certificates, loaded when one is due: it brings 3 MB of ASN.1. */

import "reflect-metadata"; // @peculiar/x509 wants it to be there first
import { randomBytes, webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";
import type { KeyPair } from "./pair.ts";

/** Common to both kinds of certificates; times are milliseconds. */
export interface IssueOptions {
  readonly commonName: string;
  readonly now: number;
  readonly life: number;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
/** Clocks of API servers may be behind ours by this much. */
const skew = 3_600_000;

/** A certificate authority that signs itself; it may sign servers, not other authorities. */
export async function issueAuthority(options: IssueOptions): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      ...common(options),
      name: `CN=${options.commonName}`,
      signingAlgorithm: algorithm,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(
          x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
          true,
        ),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  );
  return pairOf(certificate, keys.privateKey);
}

/** A server's certificate for DNS names and IP addresses; it does not outlive its authority. */
export async function issueServing(
  authority: KeyPair,
  options: IssueOptions & { readonly names: readonly string[] },
): Promise<KeyPair> {
  const keys = await newKeys();
  const issuer = new x509.X509Certificate(authority.cert);
  const { notBefore, notAfter, ...rest } = common(options);
  const certificate = await x509.X509CertificateGenerator.create(
    {
      ...rest,
      notBefore,
      notAfter: new Date(Math.min(notAfter.getTime(), issuer.notAfter.getTime())),
      subject: `CN=${options.commonName}`,
      issuer: issuer.subject,
      publicKey: keys.publicKey,
      signingKey: await importKey(authority.key),
      signingAlgorithm: algorithm,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension(options.names.map(alternativeName)),
        await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  );
  return pairOf(certificate, keys.privateKey);
}

/** A certificate that lives for seconds must not look a quarter through when it is new. */
function common({ now, life }: IssueOptions): {
  readonly serialNumber: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
} {
  return {
    serialNumber: `01${randomBytes(15).toString("hex")}`, // positive, and without leading zeros
    notBefore: new Date(now - Math.min(skew, life / 10)),
    notAfter: new Date(now + life),
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

/** Keys of authorities that others made may be in PKCS#1 or SEC1. */
async function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const { createPrivateKey } = await import("node:crypto");
  const der = createPrivateKey(pem).export({ type: "pkcs8", format: "der" });
  return webcrypto.subtle.importKey("pkcs8", der, algorithm, false, ["sign"]);
}

async function pairOf(
  certificate: x509.X509Certificate,
  privateKey: webcrypto.CryptoKey,
): Promise<KeyPair> {
  const key = await webcrypto.subtle.exportKey("pkcs8", privateKey);
  return {
    cert: `${certificate.toString("pem")}\n`,
    key: `${x509.PemConverter.encode(key, "PRIVATE KEY")}\n`,
  };
}

function alternativeName(value: string): { type: "ip" | "dns"; value: string } {
  return { type: /^[\d.]+$|:/.test(value) ? "ip" : "dns", value };
}
