export {
  conditionsOf,
  holds,
  overall,
  type Summary,
  summaryOf,
  tellFailures,
} from "./conditions.ts";
