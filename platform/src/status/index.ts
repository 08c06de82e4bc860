export { conditionsOf, holds, overall, type Summary, summaryOf } from "./conditions.ts";
