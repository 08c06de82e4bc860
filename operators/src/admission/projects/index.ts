export { projectDefaults } from "./mutate.ts";
export { projects } from "./validate.ts";
