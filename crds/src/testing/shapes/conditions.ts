import type { MetaCondition, NormanCondition } from "../../management.ts";
import type { Shape } from "../shape.ts";

/** Shape of a condition. */
export const normanCondition: Shape<NormanCondition> = {
  type: "string",
  status: "string",
  "lastUpdateTime?": "string",
  "lastTransitionTime?": "string",
  "reason?": "string",
  "message?": "string",
};

/** Shape of a condition. */
export const metaCondition: Shape<MetaCondition> = {
  type: "string",
  status: "string",
  "observedGeneration?": "integer",
  lastTransitionTime: "string",
  reason: "string",
  message: "string",
};
