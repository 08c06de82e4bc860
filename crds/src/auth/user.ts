import type { Kind, KubeObject } from "kopf-ts";
import { managementKind, type NormanCondition } from "../management.ts";

/** A person or a system account. There is no status subresource. */
export interface User extends KubeObject {
  readonly displayName?: string;
  readonly description?: string;
  /** The name for local login; unique and immutable. */
  readonly username?: string;
  /** @deprecated Moved to a Secret in namespace cattle-local-user-passwords. */
  readonly password?: string;
  readonly mustChangePassword?: boolean;
  readonly principalIds?: readonly string[];
  /** @deprecated Computed by the /v3 API. */
  readonly me?: boolean;
  /** Absent means true. */
  readonly enabled?: boolean;
  readonly status?: {
    readonly conditions?: readonly NormanCondition[];
  };
}

export const User: Kind<User> = managementKind("User", "users", "Cluster");
