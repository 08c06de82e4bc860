// The public key infrastructure of one control plane: two certificate authorities, the key pair that
// signs service account tokens, and the certificates issued from them. All keys are ECDSA P-256.
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  X509Certificate,
} from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A PEM certificate and its PEM private key. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** What a certificate says of its holder. */
export interface CertificateRequest {
  readonly use: "ca" | "server" | "client";
  /** The common name; Kubernetes reads a client's as its user name. */
  readonly name: string;
  /** The organizations; Kubernetes reads a client's as its groups. */
  readonly groups?: readonly string[];
  /** DNS names and IP addresses a server answers to. */
  readonly hosts?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter: Date;
}

/** The certificate authorities of a control plane, and the folder with the files its processes read. */
export interface Pki {
  readonly dir: string;
  readonly ca: KeyPair;
  readonly frontProxyCa: KeyPair;
  readonly admin: KeyPair;
}

const DAY = 24 * 3_600_000;
const CA_LIFE = 3_650 * DAY;
const LEAF_LIFE = 365 * DAY;
/** A certificate with less than this left is issued anew. */
const RENEW_BEFORE = 30 * DAY;

/** The names under which clients reach the kube-apiserver; 10.0.0.1 is the `kubernetes` Service. */
const SERVER_HOSTS = [
  "localhost",
  "127.0.0.1",
  "::1",
  "10.0.0.1",
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
];

const leaves: Readonly<Record<string, Omit<CertificateRequest, "notAfter">>> = {
  apiserver: { use: "server", name: "kube-apiserver", hosts: SERVER_HOSTS },
  admin: { use: "client", name: "kubernetes-admin", groups: ["system:masters"] },
  "controller-manager": { use: "client", name: "system:kube-controller-manager" },
};

/**
 * Completes the PKI in `dir`: what is there stays as it is, so that kubeconfigs and tokens handed out
 * earlier keep working; what is missing, does not fit its authority or expires within 30 days is made.
 */
export async function ensurePki(dir: string): Promise<Pki> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  ensureServiceAccountKeys(dir);
  const [ca, frontProxyCa] = await Promise.all([
    ensurePair(dir, "ca", { use: "ca", name: "drover-ca" }),
    ensurePair(dir, "front-proxy-ca", { use: "ca", name: "drover-front-proxy-ca" }),
  ]);
  const [admin] = await Promise.all([
    ensurePair(dir, "admin", leaf("admin"), ca),
    ensurePair(dir, "apiserver", leaf("apiserver"), ca),
    ensurePair(dir, "controller-manager", leaf("controller-manager"), ca),
    ensurePair(
      dir,
      "front-proxy-client",
      { use: "client", name: "front-proxy-client" },
      frontProxyCa,
    ),
  ]);
  return { dir, ca, frontProxyCa, admin };
}

/** A client's name, groups and life; a `notAfter` in the past makes an expired certificate. */
export interface ClientIdentity {
  readonly name: string;
  readonly groups?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

/** A client certificate for `identity`, valid for a year unless it says otherwise. */
export async function issueClient(ca: KeyPair, identity: ClientIdentity): Promise<KeyPair> {
  const notAfter = identity.notAfter ?? inMilliseconds(LEAF_LIFE);
  const notBefore =
    identity.notBefore ?? (notAfter.getTime() < Date.now() ? daysBefore(notAfter) : undefined);
  const { issue } = await import("./certificate.ts");
  return issue({ use: "client", ...identity, notAfter, ...(notBefore && { notBefore }) }, ca);
}

/** A certificate for a server of the caller's own, such as an aggregated API server beside the control plane. */
export async function issueServer(ca: KeyPair, hosts: readonly string[]): Promise<KeyPair> {
  const { issue } = await import("./certificate.ts");
  const [name = "server"] = hosts;
  return issue({ use: "server", name, hosts, notAfter: inMilliseconds(LEAF_LIFE) }, ca);
}

function leaf(name: string): Omit<CertificateRequest, "notAfter"> {
  const request = leaves[name];
  if (request === undefined) throw new Error(`no certificate is called ${name}`);
  return request;
}

async function ensurePair(
  dir: string,
  file: string,
  request: Omit<CertificateRequest, "notAfter">,
  issuer?: KeyPair,
): Promise<KeyPair> {
  const found = readPair(dir, file);
  if (found !== undefined && isUsable(found, issuer)) return found;

  const { issue } = await import("./certificate.ts");
  const life = request.use === "ca" ? CA_LIFE : LEAF_LIFE;
  const pair = await issue({ ...request, notAfter: inMilliseconds(life) }, issuer);
  writeSecret(join(dir, `${file}.key`), pair.key);
  writeSecret(join(dir, `${file}.crt`), pair.cert);
  return pair;
}

/** The pair called `file` in `dir`, if both halves are there. */
export function readPair(dir: string, file: string): KeyPair | undefined {
  const paths = [join(dir, `${file}.crt`), join(dir, `${file}.key`)] as const;
  if (!paths.every((path) => existsSync(path))) return undefined;
  return { cert: readFileSync(paths[0], "utf8"), key: readFileSync(paths[1], "utf8") };
}

/** False for half-written files, a pair that does not match, another authority, or a near end. */
function isUsable({ cert, key }: KeyPair, issuer: KeyPair | undefined): boolean {
  try {
    const certificate = new X509Certificate(cert);
    return (
      certificate.checkPrivateKey(createPrivateKey(key)) &&
      certificate.verify(new X509Certificate(issuer?.cert ?? cert).publicKey) &&
      certificate.validToDate.getTime() > Date.now() + RENEW_BEFORE
    );
  } catch {
    return false;
  }
}

function ensureServiceAccountKeys(dir: string): void {
  const [privatePath, publicPath] = [join(dir, "sa.key"), join(dir, "sa.pub")];
  try {
    const stored = createPublicKey(readFileSync(privatePath, "utf8"));
    writeSecret(publicPath, stored.export({ type: "spki", format: "pem" }).toString());
  } catch {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    writeSecret(privatePath, privateKey.export({ type: "pkcs8", format: "pem" }).toString());
    writeSecret(publicPath, publicKey.export({ type: "spki", format: "pem" }).toString());
  }
}

/** Writes whole or not at all, readable by the owner only. */
export function writeSecret(path: string, content: string): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, content, { mode: 0o600 });
  renameSync(draft, path);
}

function inMilliseconds(life: number): Date {
  return new Date(Date.now() + life);
}

function daysBefore(date: Date): Date {
  return new Date(date.getTime() - DAY);
}
