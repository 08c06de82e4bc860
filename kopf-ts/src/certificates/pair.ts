/** A certificate chain and its key, in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}
