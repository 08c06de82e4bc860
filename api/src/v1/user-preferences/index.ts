export { userPreferencesRoute } from "./route.ts";
