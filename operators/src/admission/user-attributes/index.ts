import { UserAttribute } from "@drover/crds";
import { allow, type Validator } from "kopf-ts/admission";
import { anyOf, sets } from "../cel.ts";
import { isTerminating } from "../terminating.ts";
import { unless } from "../verdicts.ts";
import { attributeProblem } from "./rules.ts";

/** Refuses logins that are no times and retention that is no duration. */
export const userAttributes: Validator<UserAttribute> = {
  kind: UserAttribute,
  rules: [
    {
      operations: ["CREATE", "UPDATE"],
      matchConditions: anyOf(
        "retention-changes",
        sets(".?lastLogin"),
        sets(".?disableAfter"),
        sets(".?deleteAfter"),
      ),
    },
  ],
  validate: ({ object, oldObject }) => {
    if (object === undefined || isTerminating(object)) return allow();
    return unless(attributeProblem(object, oldObject), 400);
  },
};
