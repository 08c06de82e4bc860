// Lists of one type of /v1.
export { type ListParts, listHandler } from "./list.ts";
