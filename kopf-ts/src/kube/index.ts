export type {
  ApplyOptions,
  Client,
  DeleteCollectionOptions,
  DeleteOptions,
  ForwardingClient,
  ForwardRequest,
  GetOptions,
  Impersonation,
  JsonPatchOperation,
  ListOptions,
  NamespaceOptions,
  ObjectList,
  Patch,
  RawHeaders,
  RawRequest,
  RawResponse,
  RawStream,
  RequestOptions,
  SelectorOptions,
  SetDefaults,
  UpgradedConnection,
  WriteOptions,
} from "./client.ts";
export type { ClusterConfig } from "./config/cluster-config.ts";
export { ConfigError } from "./config/config-error.ts";
export type { CredentialSource, Credentials, ReadOptions } from "./config/credentials.ts";
export type { Environment } from "./config/in-cluster.ts";
export { type ConfigOptions, loadConfig } from "./config/load.ts";
export { type ConnectOptions, connect } from "./connect.ts";
export {
  type Discovery,
  type DiscoveryFailure,
  discover,
  type ServedKind,
} from "./discovery/discover.ts";
export { RestMapper, type RestMapperOptions } from "./discovery/mapper.ts";
export { Refresh, type RefreshTiming } from "./discovery/refresh.ts";
export {
  ApiError,
  type ApiErrorGuard,
  type ApiErrorInit,
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isTooManyRequests,
  isUnanswered,
  isUnauthorized,
  type LocalReason,
  type Status,
  type StatusCause,
  type StatusDetails,
} from "./errors.ts";
export { endOfText, hasLongInteger, outsideTexts, parseJsonExactly } from "./exact.ts";
export type { Dial, DialTarget } from "./http/dial.ts";
export { type Warning, warningsIn } from "./http/warnings.ts";
export { intercept, type WriteHooks, type WriteVerb } from "./intercept.ts";
export {
  apiVersionOf,
  defineKind,
  type Kind,
  keyOf,
  parseKey,
  refTo,
  resourceName,
  type Scope,
} from "./kind.ts";
export type { ClientMetrics } from "./metrics.ts";
export type {
  Condition,
  KubeObject,
  ObjectMeta,
  ObjectRef,
  OwnerReference,
  PartialObject,
  Scale,
} from "./object.ts";
export { parseJson } from "./parse.ts";
export { collectionPath, objectPath, onlyNamed, type Query, queryString } from "./paths.ts";
export { parseStatus, reasonsByCode, retryAfterOf } from "./status.ts";
