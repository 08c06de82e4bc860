export { secretDefaults } from "./mutate.ts";
export { secrets } from "./validate.ts";
