/** What a user ought to have: the right to read itself, a principal, the roles of new users. */

import {
  annotations,
  type GlobalRole,
  GlobalRoleBinding,
  type NormanCondition,
  User,
} from "@drover/crds";
import { localPrincipal } from "@drover/platform";
import {
  apiVersionOf,
  type Clock,
  findCondition,
  type KubeObject,
  type ObjectMeta,
  ownerReference,
  setNormanCondition,
} from "kopf-ts";
import { ClusterRole, ClusterRoleBinding } from "kopf-ts/kinds";
import {
  initialBindingName,
  marks,
  rolesCondition,
  viewBindingName,
  viewRoleName,
} from "./names.ts";

const rbac = "rbac.authorization.k8s.io";

/** The role by which the user reads itself, and nobody else. */
export function viewRole({ metadata: { name } }: User): ClusterRole {
  const rule = {
    apiGroups: [User.group],
    resources: [User.plural],
    resourceNames: [name],
    verbs: ["get"],
  };
  return {
    apiVersion: apiVersionOf(ClusterRole),
    kind: ClusterRole.kind,
    metadata: { name: viewRoleName(name) },
    rules: [rule],
  };
}

/** What grants the user its view role. */
export function viewBinding({ metadata: { name } }: User): ClusterRoleBinding {
  return {
    apiVersion: apiVersionOf(ClusterRoleBinding),
    kind: ClusterRoleBinding.kind,
    metadata: { name: viewBindingName(name) },
    roleRef: { apiGroup: rbac, kind: ClusterRole.kind, name: viewRoleName(name) },
    subjects: [{ apiGroup: rbac, kind: "User", name }],
  };
}

/** The roles that a user is to get once: what the annotation asks for, and what was made of it. */
export interface InitialRoles {
  readonly required: readonly string[];
  readonly created: readonly string[];
}

/** What the annotation creator-role-bindings says; undefined where there is none, or none that can be read. */
export function initialRoles({ metadata }: User): InitialRoles | undefined {
  const text = metadata.annotations?.[annotations.creatorRoleBindings];
  const said = text === undefined ? undefined : parse(text);
  if (said === undefined) return undefined;
  return { required: namesIn(said.required), created: namesIn(said.created) };
}

/** Roles that the user lacks; none once all of them were given, so that one that is taken away later stays away. */
export function missingRoles(user: User): readonly string[] {
  if (user.metadata.deletionTimestamp !== undefined || isPopulated(user)) return [];
  const { required, created } = initialRoles(user) ?? { required: [], created: [] };
  return required.filter((role) => !created.includes(role));
}

/** The binding that gives the user a role; it goes with the role, as the mutating webhook would have it. */
export function initialBinding(
  { metadata: { name, uid } }: User,
  role: GlobalRole,
): GlobalRoleBinding {
  return {
    apiVersion: apiVersionOf(GlobalRoleBinding),
    kind: GlobalRoleBinding.kind,
    metadata: {
      name: initialBindingName(uid ?? "", role.metadata.name),
      ownerReferences: [ownerReference(role, { controller: false, blockOwnerDeletion: false })],
    },
    userName: name,
    globalRoleName: role.metadata.name,
  };
}

/** What is known of a user beyond itself. */
export interface Findings {
  /** Of the roles it lacked, those that it has by now. */
  readonly given: readonly string[];
  /** The password is in a Secret. */
  readonly passwordMoved: boolean;
}

/** The merge patch that brings the user to what it ought to be; undefined where it is. */
export function userPatch(
  user: User,
  { given, passwordMoved }: Findings,
  clock: Clock,
): Readonly<Record<string, unknown>> | undefined {
  const fields = {
    ...principalPatch(user),
    ...(passwordMoved ? { password: null } : {}),
    ...conditionPatch(user, given, clock),
  };
  const notes = { ...markPatch(user), ...rolesPatch(user, given) };
  if (Object.keys(fields).length === 0 && Object.keys(notes).length === 0) return undefined;
  const { uid, resourceVersion } = user.metadata;
  const noted = Object.keys(notes).length === 0 ? {} : { annotations: notes };
  return { metadata: { uid, resourceVersion, ...noted }, ...fields };
}

function principalPatch({ metadata, principalIds }: User): object {
  const known = principalIds ?? [];
  if (known.some((id) => id.startsWith(localPrincipal("")))) return {};
  return { principalIds: [...known, localPrincipal(metadata.name)] };
}

function markPatch({ metadata }: User): object {
  return metadata.annotations?.[marks.created] === "true" ? {} : { [marks.created]: "true" };
}

function rolesPatch(user: User, given: readonly string[]): object {
  const roles = initialRoles(user);
  if (roles === undefined || given.length === 0) return {};
  const created = [...new Set([...roles.created, ...given])].toSorted();
  const text = JSON.stringify({ created, required: roles.required });
  return { [annotations.creatorRoleBindings]: text };
}

function conditionPatch(user: User, given: readonly string[], clock: Clock): object {
  if (isPopulated(user) || !getsRoles(user)) return {};
  const lacking = missingRoles(user).filter((role) => !given.includes(role));
  const before: readonly NormanCondition[] = user.status?.conditions ?? [];
  const conditions = setNormanCondition(before, stateOf(user, lacking), clock);
  return conditions === before ? {} : { status: { conditions } };
}

/** People's users get their roles from whoever makes them, and only the condition from us. */
function getsRoles({ metadata }: User): boolean {
  const { [annotations.creatorRoleBindings]: roles, [annotations.creatorId]: creator } =
    metadata.annotations ?? {};
  return roles !== undefined || Boolean(creator);
}

type State = Parameters<typeof setNormanCondition>[1];

function stateOf(user: User, lacking: readonly string[]): State {
  const unreadable =
    user.metadata.annotations?.[annotations.creatorRoleBindings] !== undefined &&
    initialRoles(user) === undefined;
  if (unreadable) {
    const message = `annotation ${annotations.creatorRoleBindings} is not {"required": [...]}`;
    return { type: rolesCondition, status: "False", reason: "InvalidAnnotation", message };
  }
  if (lacking.length === 0) return { type: rolesCondition, status: "True" };
  const message = `there is no GlobalRole ${lacking.join(", ")}`;
  return { type: rolesCondition, status: "False", reason: "GlobalRoleMissing", message };
}

function isPopulated({ status }: User): boolean {
  return findCondition(status?.conditions, rolesCondition)?.status === "True";
}

/** Namespaces that no user ever had for itself, whatever users are called. */
const systemNames = /^(default|local|(kube|cattle|fleet|rancher|p|c)-.*)$/;

/**
 * Whether a namespace or Secret that has the user's name can be the user's: it came after the user, and nothing says that it is somebody
 * else's. Otherwise a user that is called like a namespace would take that along.
 */
export function isOf(user: User, { kind, metadata }: KubeObject): boolean {
  if (kind === "Namespace" && systemNames.test(metadata.name)) return false;
  if (metadata.annotations?.[annotations.systemNamespace] !== undefined) return false;
  if (metadata.annotations?.[annotations.projectId] !== undefined) return false;
  if (!(metadata.ownerReferences ?? []).every(({ uid }) => uid === user.metadata.uid)) return false;
  const born = ({ creationTimestamp = "" }: ObjectMeta): number => Date.parse(creationTimestamp);
  return born(metadata) >= born(user.metadata);
}

/** Milliseconds that caches get to learn of what was made before a user was deleted; deletionTimestamp is rounded down by up to a second of it. */
const settling = 2_000;

/** When caches can be believed about what is left by a user that is being deleted; milliseconds since the epoch. */
export function settledAt({ metadata }: User): number {
  return Date.parse(metadata.deletionTimestamp ?? "") + settling;
}

interface Said {
  readonly required?: unknown;
  readonly created?: unknown;
}

function parse(text: string): Said | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function namesIn(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.filter((each): each is string => typeof each === "string" && each !== "");
}
