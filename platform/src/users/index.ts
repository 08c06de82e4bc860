export { userCalled, usersByUsername } from "./called.ts";
export { disableToken } from "./disable-token.ts";
export {
  type CacheIndex,
  ensureUser,
  findUser,
  globalRolesForNewUsers,
  type UserSources,
  usersByPrincipal,
} from "./ensure.ts";
export { givenGroups, groupsOfLogin } from "./groups.ts";
export { noUserMessage, principalOf, userNameOf } from "./named.ts";
export {
  isLocalPrincipal,
  isSystemPrincipal,
  localPrincipal,
  localUserName,
  principalLabels,
  userNameFor,
} from "./principals.ts";
export {
  isDefaultAdmin,
  isSystemUser,
  type RetentionRules,
  type RetentionTimes,
  retentionRules,
  retentionTimes,
} from "./retention.ts";
