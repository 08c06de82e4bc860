/** The user of a principal: found, or made (rancher: pkg/auth/providers/common/usermanager.go). */

import { annotations, type GlobalRole, User } from "@drover/crds";
import { apiVersionOf, type Cache, type Client, isAlreadyExists, TemporaryError } from "kopf-ts";
import { localPrincipal, localUserName, principalLabels, userNameFor } from "./principals.ts";

/** An index of a cache: `indexes: { [index.name]: index.of }` where a controller declares the kind. */
export interface CacheIndex<T> {
  readonly name: string;
  readonly of: (object: T) => readonly string[];
}

/** Finds Users by each of their principals. */
export const usersByPrincipal: CacheIndex<User> = {
  name: "by-principal",
  of: ({ principalIds }) => principalIds ?? [],
};

/** Finds, under "true", the GlobalRoles that every new user gets. */
export const globalRolesForNewUsers: CacheIndex<GlobalRole> = {
  name: "new-user-default",
  of: ({ metadata, newUserDefault }) =>
    newUserDefault === true && metadata.deletionTimestamp === undefined ? ["true"] : [],
};

/** Where ensureUser looks, and through whom it writes. */
export interface UserSources {
  readonly client: Pick<Client, "list" | "find" | "create">;
  /** With the index `usersByPrincipal`. */
  readonly users: Pick<Cache<User>, "get" | "byIndex">;
  /** With the index `globalRolesForNewUsers`. */
  readonly globalRoles: Pick<Cache<GlobalRole>, "keysByIndex">;
}

/** Milliseconds until it is worth asking again for a user that people must sort out first. */
const sortOut = 60_000;

/**
 * The user that has the principal; `local://<name>` is the user of that name. One that the cache shows costs no request. Otherwise the server is asked
 * once more, by label or name, and then the user is made, with the roles of new users as an annotation that the users controller carries out.
 *
 * Guarantees: its name follows from the principal, so any number of callers at once, in any number of processes, make one user; a user that
 * is being deleted is never returned. Throws a TemporaryError where two users have the principal (nobody can tell whose it is), and where the name is
 * taken by a user that lost the principal or is on its way out.
 */
export async function ensureUser(
  sources: UserSources,
  principal: string,
  displayName?: string,
): Promise<User> {
  const known = userOf(principal, sources.users.byIndex(usersByPrincipal.name, principal));
  const cached = known ?? ofName(principal, (name) => sources.users.get(name));
  if (cached !== undefined) return cached;

  const found = await findUser(sources.client, principal);
  return found ?? make(sources, newUser(principal, displayName, rolesOfNewUsers(sources)));
}

/**
 * The user that has the principal, as the server knows it: by the label that ensureUser sets, and by name for a local one; undefined where there
 * is none. Throws as ensureUser does.
 */
export async function findUser(
  client: Pick<Client, "list" | "find">,
  principal: string,
): Promise<User | undefined> {
  const [[key, value] = []] = Object.entries(principalLabels(principal));
  const { items } = await client.list(User, { labelSelector: `${key}=${value}` });
  const labelled = userOf(principal, items);
  const name = localUserName(principal);
  if (labelled !== undefined || name === undefined) return labelled;
  const named = await client.find(User, name);
  return named !== undefined && isLasting(named) ? named : undefined;
}

/** The user that ensureUser makes. */
export function newUser(
  principal: string,
  displayName: string | undefined,
  roles: readonly string[],
): User {
  return {
    apiVersion: apiVersionOf(User),
    kind: User.kind,
    metadata: {
      name: userNameFor(principal),
      labels: principalLabels(principal),
      annotations: { [annotations.creatorRoleBindings]: JSON.stringify({ required: roles }) },
    },
    ...(displayName ? { displayName } : {}),
    principalIds: [principal],
  };
}

function rolesOfNewUsers({ globalRoles }: UserSources): readonly string[] {
  return globalRoles.keysByIndex(globalRolesForNewUsers.name, "true").toSorted();
}

/** Those of them that have the principal; only the one whose own name it is, where there is such. */
export function usersWith(principal: string, candidates: readonly User[]): readonly User[] {
  const users = candidates.filter(
    (user) => isLasting(user) && user.principalIds?.includes(principal),
  );
  const own = users.find(({ metadata }) => localPrincipal(metadata.name) === principal);
  return own === undefined ? users : [own];
}

/** The one among these that has the principal. */
function userOf(principal: string, candidates: readonly User[]): User | undefined {
  const users = usersWith(principal, candidates);
  const [user, other] = users;
  if (user === undefined || other === undefined) return user;
  const names = users.map(({ metadata }) => metadata.name).toSorted();
  throw new TemporaryError(`principal ${principal} belongs to several users: ${names.join(", ")}`, {
    delay: sortOut,
  });
}

/** Who has the name of a local principal, whatever principals it has. */
export function ofName(
  principal: string,
  get: (name: string) => User | undefined,
): User | undefined {
  const name = localUserName(principal);
  const user = name === undefined ? undefined : get(name);
  return user !== undefined && isLasting(user) ? user : undefined;
}

/** Creates the user; one that somebody else made meanwhile is as good. */
async function make({ client }: UserSources, user: User): Promise<User> {
  try {
    return await client.create(user);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return theirs(await client.find(User, user.metadata.name), user, error);
  }
}

function theirs(found: User | undefined, wanted: User, cause: unknown): User {
  const { name } = wanted.metadata;
  const [principal = ""] = wanted.principalIds ?? [];
  if (found === undefined || !isLasting(found)) {
    throw new TemporaryError(`user ${name} of principal ${principal} is being deleted`, { cause });
  }
  if (found.principalIds?.includes(principal)) return found;
  throw new TemporaryError(`user ${name} does not have its principal ${principal} any more`, {
    cause,
    delay: sortOut,
  });
}

const isLasting = ({ metadata }: User): boolean => metadata.deletionTimestamp === undefined;
