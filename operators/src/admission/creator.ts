/** Annotations that say who made a cluster or a project: bindings of roles follow from them (webhook: pkg/resources/common). */

import { annotations, User } from "@drover/crds";
import { findNamed } from "@drover/platform";
import type { KubeObject } from "kopf-ts";
import type { AdmissionContext, AdmissionRequest, UserInfo } from "kopf-ts/admission";
import type { Problem } from "./verdicts.ts";

/** Annotations that an update may remove but not change. */
const fixed = [
  annotations.creatorId,
  annotations.creatorPrincipalName,
  annotations.noCreatorRbac,
] as const;

/** What is wrong with the annotations of an object, apart from whose principal is named. */
export function creatorProblem(after: KubeObject, before?: KubeObject): Problem {
  return before === undefined ? createdProblem(after) : changedProblem(after, before);
}

function createdProblem({ metadata }: KubeObject): Problem {
  const given = (key: string): boolean => metadata.annotations?.[key] !== undefined;
  if (given(annotations.creatorId) && given(annotations.noCreatorRbac)) {
    return `annotations ${annotations.creatorId} and ${annotations.noCreatorRbac} exclude each other`;
  }
  if (given(annotations.creatorPrincipalName) && !given(annotations.creatorId)) {
    return `annotation ${annotations.creatorPrincipalName} needs annotation ${annotations.creatorId}`;
  }
  return undefined;
}

function changedProblem(after: KubeObject, before: KubeObject): Problem {
  const changed = fixed.find((key) => {
    const value = after.metadata.annotations?.[key];
    return value !== undefined && value !== before.metadata.annotations?.[key];
  });
  return changed === undefined ? undefined : `annotation ${changed} may be removed but not changed`;
}

/** What is wrong with a new object's annotations; looks up the user whose principal is named. */
export async function newCreatorProblem(
  object: KubeObject,
  { client, signal }: AdmissionContext,
): Promise<Problem> {
  const problem = creatorProblem(object);
  const principal = object.metadata.annotations?.[annotations.creatorPrincipalName];
  if (problem !== undefined || principal === undefined) return problem;

  const id = object.metadata.annotations?.[annotations.creatorId] ?? "";
  const user = await findNamed(client, User, id, { signal });
  if (user?.principalIds?.includes(principal) === true) return undefined;
  return `annotation ${annotations.creatorPrincipalName} must be a principal of the user in ${annotations.creatorId}`;
}

/** What is wrong with the annotations of a request's object, whatever is asked of it. */
export async function creatorProblemOf<T extends KubeObject>(
  request: AdmissionRequest<T>,
  context: AdmissionContext,
): Promise<Problem> {
  if (request.operation === "DELETE") return undefined;
  if (request.operation === "UPDATE") return creatorProblem(request.object, request.oldObject);
  return newCreatorProblem(request.object, context);
}

/** What Users can be called. Service accounts and system users have a colon in their names. */
const userName = /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/;

/** The object with its maker's name, unless it has one or wants none, or the maker can be no User. Whether there is such a User is not looked up. */
export function withCreator<T extends KubeObject>(object: T, user: UserInfo): T {
  const given = object.metadata.annotations ?? {};
  if (given[annotations.noCreatorRbac] !== undefined || !userName.test(user.username)) {
    return object;
  }
  return given[annotations.creatorId]
    ? object
    : annotated(object, annotations.creatorId, user.username);
}

/** The same, where the maker is a User that exists. */
export async function withMaker<T extends KubeObject>(
  object: T,
  user: UserInfo,
  { client, signal }: AdmissionContext,
): Promise<T> {
  const named = withCreator(object, user);
  if (named === object) return object;
  const maker = await findNamed(client, User, user.username, { signal });
  return maker === undefined ? object : named;
}

/** The object with one annotation more. */
export function annotated<T extends KubeObject>(object: T, key: string, value: string): T {
  const all = { ...object.metadata.annotations, [key]: value };
  return { ...object, metadata: { ...object.metadata, annotations: all } };
}
