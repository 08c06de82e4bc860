import type { Kind, KubeObject } from "kopf-ts";
import { managementKind } from "../management.ts";

/** One preference of a user interface; its namespace is named like the user. */
export interface Preference extends KubeObject {
  readonly value?: string;
}

export const Preference: Kind<Preference> = managementKind(
  "Preference",
  "preferences",
  "Namespaced",
);
