import { Cluster, Setting } from "@drover/crds";
import { type Environment, settingRefusal } from "@drover/platform";
import { readable } from "kopf-ts";
import { type AdmissionContext, allow, deny, type Validator } from "kopf-ts/admission";
import { isTerminating } from "../terminating.ts";
import { isLoose, looseIndex, surroundings } from "./surroundings.ts";

/** What settings need besides the context. */
export interface SettingOptions {
  /** What the environment sets cannot be changed. */
  readonly env: Environment;
}

/** Refuses values that a setting does not take, and any change of those that only the server writes. */
export function settings({ env }: SettingOptions): Validator<Setting> {
  return {
    kind: Setting,
    rules: [{ operations: ["CREATE", "UPDATE", "DELETE"], failurePolicy: "Ignore" }],
    reads: [Setting, readable(Cluster, { indexes: { [looseIndex]: isLoose } })],
    validate: ({ object, oldObject }, context) => judge(oldObject, object, context, env),
  };
}

function judge(
  before: Setting | undefined,
  after: Setting | undefined,
  { cache }: AdmissionContext,
  env: Environment,
) {
  if (after !== undefined && isTerminating(after)) return allow();
  const refusal = settingRefusal({ before, after }, surroundings(cache, env));
  if (refusal === undefined) return allow();
  return deny(refusal.reason === "ReadOnly" ? 405 : 400, refusal.message);
}
