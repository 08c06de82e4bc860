import type { Kind, KubeObject } from "kopf-ts";
import { managementKind } from "../management.ts";
import type { Principal } from "./principal.ts";

/** What logins and refreshes found out about the User of the same name. Capitalised keys are upstream's. */
export interface UserAttribute extends KubeObject {
  readonly UserName?: string;
  /** By provider. */
  readonly GroupPrincipals?: Readonly<Record<string, Principals>> | null;
  /** RFC 3339; empty means never. */
  readonly LastRefresh?: string;
  readonly NeedsRefresh?: boolean;
  /** By provider, then by name. */
  readonly ExtraByProvider?: Readonly<
    Record<string, Readonly<Record<string, readonly string[]>>>
  > | null;
  /** RFC 3339. */
  readonly lastLogin?: string;
  /** Go duration, for example 720h0m0s; zero means never. */
  readonly disableAfter?: string;
  /** Go duration; zero means never. */
  readonly deleteAfter?: string;
}

export const UserAttribute: Kind<UserAttribute> = managementKind(
  "UserAttribute",
  "userattributes",
  "Cluster",
);

/** The groups of a user at one provider. */
export interface Principals {
  readonly Items?: readonly Principal[] | null;
}
