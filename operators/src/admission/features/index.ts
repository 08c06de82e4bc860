import { Feature } from "@drover/crds";
import { featureProblem } from "@drover/platform";
import { allow, deny, type Validator } from "kopf-ts/admission";
import { isTerminating } from "../terminating.ts";
import { unless } from "../verdicts.ts";

/** Refuses features that the server does not make itself, and changes of locked ones. */
export const features: Validator<Feature> = {
  kind: Feature,
  rules: [{ operations: ["CREATE", "UPDATE"], failurePolicy: "Ignore" }],
  validate: (request) => {
    if (request.operation === "CREATE") {
      return deny(405, "features cannot be created; the server makes those it knows");
    }
    if (request.operation === "DELETE" || isTerminating(request.object)) {
      return allow();
    }
    return unless(featureProblem(request.oldObject, request.object), 400);
  },
};
