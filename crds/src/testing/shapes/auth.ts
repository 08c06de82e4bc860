import type { AuthConfig } from "../../auth/auth-config.ts";
import type { Principal } from "../../auth/principal.ts";
import type { SamlToken } from "../../auth/saml-token.ts";
import type { Token } from "../../auth/token.ts";
import type { User } from "../../auth/user.ts";
import type { UserAttribute } from "../../auth/user-attribute.ts";
import type { AnyShape, Body, Shape } from "../shape.ts";
import { normanCondition } from "./conditions.ts";

const principal: Shape<Principal> = {
  "metadata?": { "name?": "string" },
  "displayName?": "string",
  "loginName?": "string",
  "profilePicture?": "string",
  "profileURL?": "string",
  "principalType?": "string",
  "me?": "boolean",
  "memberOf?": "boolean",
  "provider?": "string",
  "extraInfo?": { "*": "string" },
};

const user: Body<User> = {
  "displayName?": "string",
  "description?": "string",
  "username?": "string",
  "password?": "string",
  "mustChangePassword?": "boolean",
  "principalIds?": ["string"],
  "me?": "boolean",
  "enabled?": "boolean",
  "status?": { "conditions?": [normanCondition] },
};

const userAttribute: Body<UserAttribute> = {
  "UserName?": "string",
  "GroupPrincipals?|null": { "*": { "Items?|null": [principal] } },
  "LastRefresh?": "string",
  "NeedsRefresh?": "boolean",
  "ExtraByProvider?|null": { "*": { "*": ["string"] } },
  "lastLogin?": "string",
  "disableAfter?": "string",
  "deleteAfter?": "string",
};

const token: Body<Token> = {
  "token?": "string",
  "userPrincipal?": principal,
  "groupPrincipals?": [principal],
  "providerInfo?": { "*": "string" },
  "userId?": "string",
  "authProvider?": "string",
  "ttl?": "integer",
  "lastUsedAt?": "string",
  "activityLastSeenAt?": "string",
  "isDerived?": "boolean",
  "description?": "string",
  "expired?": "boolean",
  "expiresAt?": "string",
  "current?": "boolean",
  "clusterName?": "string",
  "enabled?": "boolean",
};

const samlToken: Body<SamlToken> = { "token?": "string", "expiresAt?": "string" };

const authConfig: Body<AuthConfig> = {
  "type?": "string",
  "enabled?": "boolean",
  "accessMode?": "string",
  "allowedPrincipalIds?": ["string"],
  "logoutAllSupported?": "boolean",
  "status?": { "conditions?|null": [normanCondition] },
};

/** Shapes of the kinds in auth/. */
export const authShapes: Readonly<Record<string, AnyShape>> = {
  User: user,
  UserAttribute: userAttribute,
  Token: token,
  SamlToken: samlToken,
  AuthConfig: authConfig,
};
