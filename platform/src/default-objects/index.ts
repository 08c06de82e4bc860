export { defaultsForm } from "./choice.ts";
export { type DefaultContent, defaultIn, settleDefault } from "./settle.ts";
