import { ClusterRegistrationToken } from "@drover/crds";
import { allow, type Validator } from "kopf-ts/admission";
import { anyOf, sets } from "../cel.ts";
import { isTerminating } from "../terminating.ts";
import { unless } from "../verdicts.ts";
import { tokenProblem } from "./rules.ts";

/** Refuses registration tokens of another cluster than their namespace's, and times that are too short. */
export const clusterRegistrationTokens: Validator<ClusterRegistrationToken> = {
  kind: ClusterRegistrationToken,
  rules: [
    { operations: ["CREATE"] },
    {
      operations: ["UPDATE"],
      suffix: "update",
      matchConditions: anyOf("spec-changes", sets(".?spec", "{}")),
    },
  ],
  validate: (request) => {
    if (request.operation === "DELETE" || isTerminating(request.object)) {
      return allow();
    }
    return unless(tokenProblem(request.object, request.oldObject), 400);
  },
};
