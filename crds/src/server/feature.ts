import type { Kind, KubeObject } from "kopf-ts";
import { managementKind } from "../management.ts";

/** One feature flag of the server. In force is lockedValue, else the spec's value, else the default. */
export interface Feature extends KubeObject {
  readonly spec?: {
    /** Null or absent means the default. */
    readonly value?: boolean | null;
  };
  readonly status?: FeatureStatus;
}

export const Feature: Kind<Feature> = managementKind("Feature", "features", "Cluster");

/** What the server says of a flag. */
export interface FeatureStatus {
  /** Whether a change takes effect without a restart. */
  readonly dynamic?: boolean;
  readonly default?: boolean;
  readonly description?: string;
  readonly lockedValue?: boolean | null;
  readonly prime?: boolean;
}
