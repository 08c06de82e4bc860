export { type SecretOptions, secretDefaults } from "./mutate.ts";
export { secrets } from "./validate.ts";
