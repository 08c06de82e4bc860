export {
  apiVersionOf,
  defineKind,
  type Kind,
  keyOf,
  parseKey,
  refTo,
  resourceName,
  type Scope,
} from "./kube/kind.ts";
export type {
  Condition,
  KubeObject,
  ObjectMeta,
  ObjectRef,
  OwnerReference,
  PartialObject,
} from "./kube/object.ts";
