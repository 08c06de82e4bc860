/** What a webhook is asked, and what it may answer. */

import type { Clock, Logger } from "../base/index.ts";
import type { CacheAccess } from "../control/index.ts";
import type { Client, KubeObject } from "../kube/index.ts";

/** Who asks, as the API server authenticated it. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** What a request of any operation tells. */
export interface AdmissionFacts {
  /** Names this review in logs. */
  readonly uid: string;
  /** Empty while the API server is still to make it from generateName. */
  readonly name: string;
  readonly namespace: string | undefined;
  readonly subresource: string | undefined;
  /** Nothing will be stored, so nothing may be changed elsewhere. */
  readonly dryRun: boolean;
  readonly user: UserInfo;
  /** CreateOptions, UpdateOptions or DeleteOptions, unparsed. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** A request that the API server has authenticated and authorized, before it is stored; told apart by `operation`. */
export type AdmissionRequest<T extends KubeObject = KubeObject> =
  | (AdmissionFacts & {
      readonly operation: "CREATE";
      readonly object: T;
      readonly oldObject?: undefined;
    })
  | (AdmissionFacts & { readonly operation: "UPDATE"; readonly object: T; readonly oldObject: T })
  | (AdmissionFacts & {
      readonly operation: "DELETE";
      readonly object?: undefined;
      readonly oldObject: T;
    });

/** The surroundings of one review. */
export interface AdmissionContext {
  /** Acts under the operator's own rights, not the caller's. */
  readonly client: Client;
  /** The caches that the webhook declares in `reads`; they are synced. */
  readonly cache: CacheAccess;
  readonly clock: Clock;
  /** Adds webhook, kind, name, namespace, operation and uid to each line. */
  readonly log: Logger;
  /** Aborts when the API server no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/** The request may go on; people see the warnings (kubectl prints them). */
export interface Allowed {
  readonly allowed: true;
  readonly warnings?: readonly string[];
}

/** The request ends here, with this HTTP status. */
export interface Denied {
  readonly allowed: false;
  /** HTTP status code: 400 and above. */
  readonly code: number;
  /** metav1's reason; follows from the code unless told. */
  readonly reason?: string;
  /** One sentence for people: which field, and why. */
  readonly message: string;
  readonly warnings?: readonly string[];
}

/** What a validator answers. */
export type Verdict = Allowed | Denied;

/** Lets the request go on. */
export function allow(...warnings: readonly string[]): Allowed {
  return warnings.length === 0 ? { allowed: true } : { allowed: true, warnings };
}

/** Ends the request; `code` is its HTTP status, for example 400 for what is invalid and 403 for what the caller may not. */
export function deny(code: number, message: string): Denied {
  return { allowed: false, code, message };
}
