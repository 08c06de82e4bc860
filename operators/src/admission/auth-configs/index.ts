import { AuthConfig } from "@drover/crds";
import { allow, type Validator } from "kopf-ts/admission";
import { isTerminating, notTerminating } from "../terminating.ts";
import { unless } from "../verdicts.ts";
import { authConfigProblem } from "./rules.ts";

/** Refuses LDAP configurations that no directory could work with. */
export const authConfigs: Validator<AuthConfig> = {
  kind: AuthConfig,
  rules: [{ operations: ["CREATE", "UPDATE"], matchConditions: [notTerminating] }],
  validate: ({ object, oldObject }) => {
    if (object === undefined || isTerminating(object)) return allow();
    return unless(authConfigProblem(object, oldObject), 400);
  },
};
