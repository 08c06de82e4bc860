export { createTypes, isHidden, type Methods, methodsOf, type TypeRights } from "./methods.ts";
