/** A user or group as its authentication provider knows it. Stored inside other objects, never on its own. */
export interface Principal {
  readonly metadata?: {
    /** The id, for example local://user-abcde. */
    readonly name?: string;
  };
  readonly displayName?: string;
  readonly loginName?: string;
  readonly profilePicture?: string;
  readonly profileURL?: string;
  /** user or group. */
  readonly principalType?: string;
  readonly me?: boolean;
  readonly memberOf?: boolean;
  readonly provider?: string;
  readonly extraInfo?: Readonly<Record<string, string>>;
}
