// Search over all types of /v1.
export { searchRoute } from "./route.ts";
