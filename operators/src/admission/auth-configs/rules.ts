/** What configurations of directories may say (webhook: pkg/resources/management.cattle.io/v3/authconfig). */

import { isDeepStrictEqual } from "node:util";
import type { AuthConfig } from "@drover/crds";
import type { Problem } from "../verdicts.ts";
import { isAttribute, isFilter } from "./filter.ts";

type Fields = Readonly<Record<string, unknown>>;

const directories: ReadonlySet<string> = new Set([
  "openLdapConfig",
  "freeIpaConfig",
  "activeDirectoryConfig",
]);

/** SAML providers that look groups up in a directory have its configuration in here. */
const nested = "openLdapConfig";

const attributes = [
  "userSearchAttribute",
  "userLoginAttribute",
  "userObjectClass",
  "userNameAttribute",
  "userMemberAttribute",
  "userEnabledAttribute",
  "groupSearchAttribute",
  "groupObjectClass",
  "groupNameAttribute",
  "groupDNAttribute",
  "groupMemberUserAttribute",
  "groupMemberMappingAttribute",
] as const;

const filters = ["userLoginFilter", "userSearchFilter", "groupSearchFilter"] as const;

/** What is wrong with a provider that is a directory or looks into one; fields that stay as they were are not judged. */
export function authConfigProblem(after: AuthConfig, before: AuthConfig | undefined): Problem {
  const wanted: Fields = { ...after };
  const had: Fields = { ...before };
  const enables = after.enabled === true && before?.enabled !== true;
  if (directories.has(after.type ?? "")) {
    return (
      serversProblem(wanted, before === undefined ? undefined : had, enables) ??
      fieldsProblem("", wanted, had)
    );
  }
  const inner = fieldsOf(wanted[nested]);
  return inner === undefined
    ? undefined
    : fieldsProblem(`${nested}.`, inner, fieldsOf(had[nested]) ?? {});
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? { ...value }
    : undefined;
}

/** The server itself makes configurations without any, for people to fill in. */
function serversProblem({ servers }: Fields, had: Fields | undefined, enables: boolean): Problem {
  const given =
    Array.isArray(servers) &&
    servers.length > 0 &&
    servers.every((server) => typeof server === "string" && server.trim() !== "");
  const untouched = had !== undefined && !enables && isDeepStrictEqual(servers, had.servers);
  return given || untouched ? undefined : "servers must name at least one server, and none empty";
}

function fieldsProblem(path: string, wanted: Fields, had: Fields): Problem {
  const changed = (field: string): unknown => (wanted[field] === had[field] ? "" : wanted[field]);
  const attribute = attributes.find((field) => !isEmptyOr(changed(field), attributesTest(field)));
  if (attribute !== undefined) {
    return `${path}${attribute} must be an LDAP attribute (RFC 4512), such as sAMAccountName`;
  }
  const filter = filters.find((field) => !isEmptyOr(changed(field), isFilter));
  if (filter === undefined) return undefined;
  return `${path}${filter} must be an LDAP filter (RFC 4515), such as (objectClass=person)`;
}

function isEmptyOr(value: unknown, test: (text: string) => boolean): boolean {
  if (value === undefined || value === null || value === "") return true;
  return typeof value === "string" && test(value);
}

/** People are searched for in several attributes at once: `uid|sn|givenName`. */
function attributesTest(field: string): (text: string) => boolean {
  if (field !== "userSearchAttribute") return isAttribute;
  return (text) => text.split("|").every(isAttribute);
}
