import type { Kind, KubeObject } from "kopf-ts";
import { managementKind, type NormanCondition } from "../management.ts";

/** Configuration of the authentication provider of the same name. Each provider has further fields of its own. */
export interface AuthConfig extends KubeObject {
  readonly type?: string;
  readonly enabled?: boolean;
  /** required, restricted or unrestricted. */
  readonly accessMode?: string;
  readonly allowedPrincipalIds?: readonly string[];
  readonly logoutAllSupported?: boolean;
  readonly status?: {
    readonly conditions?: readonly NormanCondition[] | null;
  };
}

export const AuthConfig: Kind<AuthConfig> = managementKind("AuthConfig", "authconfigs", "Cluster");
