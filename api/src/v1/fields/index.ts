// Fields of types, as caches answer questions about them.
export type { Copied } from "./copied.ts";
export { type Field, Fields, ownSchemas, type Schemas, type Source } from "./fields.ts";
export { leadsSomewhere, pathInObject, valueAt } from "./values.ts";
