/** What a row of the table of settings says. */

/** What values a setting takes; each has a rule in value.ts and a reader in read.ts. */
export type ValueKind =
  | { readonly type: "text" | "list" | "boolean" | "duration" | "cron" | "time" | "json" | "url" }
  | { readonly type: "priority-class" | "pod-disruption-budget" }
  | {
      /** Bytes, such as `1Mi`. */
      readonly type: "size";
      readonly min: string;
      readonly max: string;
    }
  | { readonly type: "choice"; readonly choices: readonly string[] }
  | {
      readonly type: "number";
      /** What one counts; plain numbers have none. */
      readonly unit?: "seconds" | "minutes" | "days";
      readonly min: number;
      /** Fractions are taken too: "0.01" minutes. */
      readonly fractions?: boolean;
    };

/** One setting of the server. */
export interface SettingSpec {
  readonly default: string;
  readonly kind: ValueKind;
  /** What it is for, as one clause. */
  readonly about: string;
  /** The default where the server replaces an older one that did not have this setting. */
  readonly upgradeDefault?: string;
  /** The environment variable that replaces the default, if it is not empty. */
  readonly defaultFrom?: string;
  /** The server finds the default out when it starts. */
  readonly computed?: boolean;
  /** Only the server writes it. */
  readonly readOnly?: boolean;
  /** Who goes by it where the server does not: user interfaces and agents, or nobody until its concern is there; until then it is kept and checked, and changes nothing. */
  readonly followedBy?: "clients" | "nobody yet";
  /** Readable before login. */
  readonly public?: boolean;
}
