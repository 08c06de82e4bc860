/** The roles that whoever made a project gets in it: once, so that those who take them away are obeyed. */

import {
  annotations,
  type NormanCondition,
  type Project,
  ProjectRoleTemplateBinding,
  RoleTemplate,
  User,
} from "@drover/crds";
import {
  type Context,
  findCondition,
  isAlreadyExists,
  keyOf,
  type NormanConditionUpdate,
} from "kopf-ts";
import { creatorBinding, isForCreators, isWithoutCreator, requiredRoles } from "./desired.ts";
import { conditions, creatorTemplates, reasons } from "./names.ts";
import { type Obstacle, refused } from "./obstacle.ts";

/** What became of the creator's roles. */
export interface Creation {
  readonly condition: NormanConditionUpdate;
  /** The annotation that says which roles were given; undefined where nothing is to be said. */
  readonly recorded?: string;
  readonly obstacle?: Obstacle;
}

/** Binds the creator to its roles, unless that was done before. Without a creator, or one who is no user, there is nothing to bind. */
export async function bindCreator(project: Project, context: Context): Promise<Creation> {
  const said = findCondition(project.status?.conditions, conditions.creator);
  if (said?.status === "True") return { condition: asSaid(said) };
  if (isWithoutCreator(project)) return settled;
  const creator = project.metadata.annotations?.[annotations.creatorId] ?? "";
  if (!(await isUser(creator, context))) return withoutUser(creator);
  const defaults = context.cache(RoleTemplate).keysByIndex(creatorTemplates, "true").toSorted();
  const roles = requiredRoles(project, defaults);
  if (roles === null) return unreadable;
  try {
    const created = await bindAll(project, roles.required, context);
    return { ...settled, recorded: JSON.stringify({ created, required: roles.required }) };
  } catch (error) {
    const obstacle = refused(error);
    const { reason, message } = obstacle;
    return { condition: { type: conditions.creator, status: "False", reason, message }, obstacle };
  }
}

const settled: Creation = { condition: { type: conditions.creator, status: "True" } };

const unreadable: Creation = {
  condition: {
    type: conditions.creator,
    status: "False",
    reason: reasons.unreadable,
    message: `annotation ${annotations.creatorRoleBindings} is no JSON object: correct or remove it`,
  },
};

function asSaid({ reason, message }: NormanCondition): NormanConditionUpdate {
  return { ...settled.condition, ...(reason && { reason }), ...(message && { message }) };
}

/** Projects that others apply may name anybody; they are complete without a creator. */
function withoutUser(creator: string): Creation {
  const message = `user ${creator} of annotation ${annotations.creatorId} does not exist: nobody was bound`;
  return { condition: { ...settled.condition, reason: reasons.noUser, message } };
}

/** The cache may not show yet who was made a moment ago. */
async function isUser(name: string, { cache, client }: Context): Promise<boolean> {
  const user = cache(User).get(name) ?? (await client.find(User, name));
  return user !== undefined && user.metadata.deletionTimestamp === undefined;
}

/** Names of the role templates that the creator has now. */
async function bindAll(
  project: Project,
  required: readonly string[],
  context: Context,
): Promise<readonly string[]> {
  const created: string[] = [];
  for (const role of required) {
    if (!(await isOffered(role, context))) continue;
    await bind(creatorBinding(project, role), context);
    created.push(role);
  }
  return created;
}

async function isOffered(name: string, { cache, client }: Context): Promise<boolean> {
  const cached = cache(RoleTemplate).get(name);
  if (cached !== undefined && isForCreators(cached)) return true;
  const live = await client.find(RoleTemplate, name);
  return live !== undefined && isForCreators(live);
}

/** Its name follows from the role, so one that is there is ours, from a run that was cut off. */
async function bind(
  binding: ProjectRoleTemplateBinding,
  { cache, client }: Context,
): Promise<void> {
  if (cache(ProjectRoleTemplateBinding).has(keyOf(binding))) return;
  try {
    await client.create(binding);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
