import { annotations, Feature, GlobalRole, User, UserAttribute } from "@drover/crds";
import { type FeatureDefaults, liveFeatures, mayDo } from "@drover/platform";
import { readable } from "kopf-ts";
import {
  type AdmissionContext,
  type AdmissionRequest,
  allow,
  deny,
  type Validator,
  type Verdict,
} from "kopf-ts/admission";
import { judgingRules } from "../escalation.ts";
import { cachedOrLive } from "../live.ts";
import { isTerminating, notTerminating } from "../terminating.ts";
import { firstRefusal, unless } from "../verdicts.ts";
import { rightsProblem, rightsReads } from "./rights.ts";
import {
  callerOf,
  deactivates,
  isLocal,
  newlyDue,
  newUsername,
  writeOnceProblem,
} from "./rules.ts";
import { Usernames, usernameIndex, usernameOf } from "./usernames.ts";

/** What users need besides the context. */
export interface UserOptions {
  readonly features: FeatureDefaults;
}

/** Keeps usernames unique, and users from changing those who have more rights, or ending themselves. */
export function users({ features }: UserOptions): Validator<User> {
  const usernames = new Usernames();
  return {
    kind: User,
    rules: [{ operations: ["CREATE", "UPDATE", "DELETE"], matchConditions: [notTerminating] }],
    reads: [Feature, readable(User, { indexes: { [usernameIndex]: usernameOf } }), ...rightsReads],
    validate: (request, context) => {
      if (request.operation === "CREATE") return judgeNew(request, context, usernames, features);
      if (request.operation === "DELETE") return judgeDeletion(request, context, usernames);
      if (isTerminating(request.object)) return allow();
      return judgeChange(request, context, usernames);
    },
  };
}

type Request<Operation> = AdmissionRequest<User> & { readonly operation: Operation };

function judgeNew(
  request: Request<"CREATE">,
  context: AdmissionContext,
  usernames: Usernames,
  defaults: FeatureDefaults,
): Promise<Verdict> {
  const isOn = liveFeatures(context.cache(Feature), defaults);
  return firstRefusal(
    () =>
      isOn("hide-local-auth-provider") && isLocal(request.object)
        ? deny(403, "username must not be set while feature hide-local-auth-provider is on")
        : allow(),
    () => judgeRoles(request, context),
    () => judgeUsername(request, context, usernames),
  );
}

function judgeChange(
  request: Request<"UPDATE">,
  context: AdmissionContext,
  usernames: Usernames,
): Promise<Verdict> {
  const { object: after, oldObject: before, user } = request;
  return firstRefusal(
    () => unless(writeOnceProblem(after, before), 400),
    () =>
      user.username === before.metadata.name && deactivates(after, before)
        ? deny(422, "enabled must not become false: you cannot deactivate yourself")
        : allow(),
    () => judgeRights(request, context),
    () => judgeRoles(request, context),
    () => judgeUsername(request, context, usernames),
  );
}

/** The server binds what the annotation asks for, and no webhook judges its bindings: so the annotation asks for no more than every new user gets. */
async function judgeRoles(
  { object, oldObject, user }: Request<"CREATE" | "UPDATE">,
  context: AdmissionContext,
): Promise<Verdict> {
  const { client, signal } = context;
  for (const name of newlyDue(object, oldObject)) {
    const role = await cachedOrLive(context, GlobalRole, name);
    if (role?.newUserDefault === true) continue;
    const attributes = { verb: "bind", group: GlobalRole.group, resource: GlobalRole.plural, name };
    if (await mayDo(client, user, attributes, { signal })) continue;
    const key = annotations.creatorRoleBindings;
    return deny(
      403,
      `annotation ${key} names global role ${name}, which new users do not get: who has not the verb bind on it gives it by a GlobalRoleBinding`,
    );
  }
  return allow();
}

async function judgeDeletion(
  request: Request<"DELETE">,
  context: AdmissionContext,
  usernames: Usernames,
): Promise<Verdict> {
  const { name } = request.oldObject.metadata;
  if (request.user.username === name) return deny(422, "you cannot delete yourself");
  const verdict = await judgeRights(request, context);
  if (verdict.allowed && !request.dryRun) usernames.release(name);
  return verdict;
}

async function judgeUsername(
  { object: after, oldObject: before, dryRun }: Request<"CREATE" | "UPDATE">,
  { cache, client, clock, signal }: AdmissionContext,
  usernames: Usernames,
): Promise<Verdict> {
  const username = newUsername(after, before);
  if (username === undefined) return allow();
  const claim = { cache: cache(User), client, clock, signal, dryRun };
  const holder = await usernames.claim(username, after.metadata.name, claim);
  return holder === undefined
    ? allow()
    : deny(400, `username is that of user ${holder} already; it must be unique`);
}

/** The groups are those of the last logins: nobody knows better here. */
async function judgeRights(
  { oldObject, user }: Request<"UPDATE" | "DELETE">,
  context: AdmissionContext,
): Promise<Verdict> {
  const { client, signal } = context;
  const { name } = oldObject.metadata;
  if (user.username === name) return allow();
  const attributes = { verb: "manage-users", group: User.group, resource: User.plural, name };
  if (await mayDo(client, user, attributes, { signal })) return allow();
  const attribute = await client.find(UserAttribute, name, { signal });
  const judge = async () =>
    unless(await rightsProblem(user, callerOf(oldObject, attribute), context), 403);
  return judgingRules(`the rights of user ${name}`, 403, judge);
}
