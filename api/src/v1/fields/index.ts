// Fields of types, as caches answer questions about them.
export { absentOf } from "./absent.ts";
export type { Copied } from "./copied.ts";
export { type Field, Fields, type Model, type Source } from "./fields.ts";
export { leadsSomewhere, pathInObject, valueAt } from "./values.ts";
