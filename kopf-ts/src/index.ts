export {
  type BackoffOptions,
  type Clock,
  exponential,
  type Fields,
  fullJitter,
  type Logger,
  messageOf,
  PermanentError,
  silentLogger,
  sleeper,
  systemClock,
  TemporaryError,
  type TemporaryErrorOptions,
  type Timer,
} from "./base/index.ts";
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
