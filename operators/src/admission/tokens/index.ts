import { Token } from "@drover/crds";
import { allow, type Validator } from "kopf-ts/admission";
import { anyOf, sets } from "../cel.ts";
import { isTerminating } from "../terminating.ts";
import { timeProblem } from "../times.ts";
import { unless } from "../verdicts.ts";

/** Refuses a time of last use that is none. */
export const tokens: Validator<Token> = {
  kind: Token,
  rules: [
    {
      operations: ["CREATE", "UPDATE"],
      matchConditions: anyOf("last-use-changes", sets(".?lastUsedAt")),
    },
  ],
  validate: ({ object }) => {
    if (object === undefined || isTerminating(object)) return allow();
    return unless(timeProblem("lastUsedAt", object.lastUsedAt), 400);
  },
};
