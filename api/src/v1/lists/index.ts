// Lists of one type of /v1.
export { listHandler } from "./list.ts";
