export { Certificates, type CertificatesDeps, type CertificatesOptions } from "./certificates.ts";
export { type Read, readServing, type Serving } from "./contents.ts";
export type { KeyPair } from "./pair.ts";
export { type Lifetimes, usualLifetimes } from "./plan.ts";
export { type RenewalContext, renewal, type Trust } from "./renewal.ts";
export type { SecretName } from "./secrets.ts";
