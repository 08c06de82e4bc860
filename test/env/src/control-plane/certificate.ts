// Issues X.509 certificates. Loaded lazily: the library costs about 0.1 s and 20 MB, and a control
// plane whose PKI exists needs none of it.
import "reflect-metadata";
import type { webcrypto } from "node:crypto";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import type { CertificateRequest, KeyPair } from "./pki.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** Clocks of two machines differ; a certificate is valid a little before its issue. */
const SKEW = 5 * 60_000;

/** A new key and a certificate for it, signed by `issuer`, or by itself if there is none. */
export async function issue(request: CertificateRequest, issuer?: KeyPair): Promise<KeyPair> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const subject = distinguishedName(request);
  const cert = await X509CertificateGenerator.create({
    subject,
    issuer: issuer === undefined ? subject : new X509Certificate(issuer.cert).subject,
    notBefore: request.notBefore ?? new Date(Date.now() - SKEW),
    notAfter: request.notAfter,
    publicKey: keys.publicKey,
    signingKey: issuer === undefined ? keys.privateKey : await importKey(issuer.key),
    signingAlgorithm: algorithm,
    extensions: [
      ...extensions(request),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const key = await crypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { cert: `${cert.toString("pem")}\n`, key: `${PemConverter.encode(key, "PRIVATE KEY")}\n` };
}

function distinguishedName({ name, groups = [] }: CertificateRequest): string {
  const organizations = groups.map((group) => ({ O: [group] }));
  return new Name([...organizations, { CN: [name] }]).toString();
}

function extensions({ use, hosts = [] }: CertificateRequest): Extension[] {
  if (use === "ca") {
    const usages =
      KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature;
    return [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(usages, true),
    ];
  }
  const purpose = use === "server" ? ExtendedKeyUsage.serverAuth : ExtendedKeyUsage.clientAuth;
  const leaf: Extension[] = [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([purpose]),
  ];
  if (hosts.length > 0) leaf.push(new SubjectAlternativeNameExtension(hosts.map(alternativeName)));
  return leaf;
}

function alternativeName(host: string): { type: "dns" | "ip"; value: string } {
  return { type: /^[\d.]+$|:/.test(host) ? "ip" : "dns", value: host };
}

async function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  return crypto.subtle.importKey("pkcs8", PemConverter.decodeFirst(pem), algorithm, false, [
    "sign",
  ]);
}
