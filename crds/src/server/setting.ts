import type { Kind, KubeObject } from "kopf-ts";
import { managementKind } from "../management.ts";

/** One setting of the server. An environment variable wins over value, value over default. */
export interface Setting extends KubeObject {
  readonly value?: string;
  readonly default?: string;
  readonly customized?: boolean;
  /** db, default or env. */
  readonly source?: string;
}

export const Setting: Kind<Setting> = managementKind("Setting", "settings", "Cluster");
