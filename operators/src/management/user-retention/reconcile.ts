import { Setting, User, UserAttribute } from "@drover/crds";
import {
  type Environment,
  liveSettings,
  type RetentionRules,
  type Rounds,
  retentionRules,
  retentionTimes,
} from "@drover/platform";
import { type Context, type Counter, isConflict, isNotFound, type Result } from "kopf-ts";
import { type Action, actionFor } from "./desired.ts";
import { cronSetting, reasons, retentionAction } from "./names.ts";
import type { Tally } from "./tally.ts";

/** What all runs share. */
export interface Shared {
  readonly env: Environment;
  readonly rounds: Rounds;
  readonly tally: Tally;
  readonly retired: Readonly<Record<Action, Counter | undefined>>;
}

/** What counts during one run. */
interface Policy {
  readonly rules: RetentionRules;
  readonly dryRun: boolean;
}

/** Takes the next turn of a round, if one is due, and says when to be called again. */
export async function retain(context: Context, shared: Shared): Promise<Result> {
  const { cache, clock, log } = context;
  const settings = liveSettings(cache(Setting), shared.env);
  const rules = retentionRules(settings);
  const policy = { rules, dryRun: settings.boolean("user-retention-dry-run") };
  const isOn = rules.disableAfter > 0 || rules.deleteAfter > 0;
  const everybody = (): Iterable<string> => (isOn ? cache(User).keys() : []);

  const turn = shared.rounds.turn(settings.text(cronSetting), clock.now(), everybody);
  if (turn.first) log.info("looking for inactive users", { ...rules, dryRun: policy.dryRun });
  for (const name of turn.keys) {
    shared.tally.add(await treatSafely(name, policy, context, shared));
  }
  if (turn.last) log.info("looked for inactive users", { ...shared.tally.take() });
  return turn.next;
}

/** One that cannot be written holds up no other; it is looked at again in the next round. */
async function treatSafely(
  name: string,
  policy: Policy,
  context: Context,
  shared: Shared,
): Promise<Action | "failed" | undefined> {
  try {
    return await treat(name, policy, context, shared);
  } catch (error) {
    if (context.signal.aborted) throw error;
    if (isConflict(error)) return undefined; // it changed just now, so it is not as inactive as it seemed
    context.log.error("could not retire an inactive user", { user: name, error });
    return "failed";
  }
}

async function treat(
  name: string,
  { rules, dryRun }: Policy,
  context: Context,
  { retired }: Shared,
): Promise<Action | undefined> {
  const { cache, client, clock, log } = context;
  const user = cache(User).get(name);
  if (user === undefined) return undefined;
  const now = clock.now();
  const action = actionFor(user, cache(UserAttribute).get(name), rules, now);
  if (action === undefined) return undefined;

  // Whoever logged in a moment ago changed nothing but its attributes, and the cache may not know yet.
  const attribute = await client.find(UserAttribute, name);
  if (actionFor(user, attribute, rules, now) !== action) return undefined;

  const { lastLogin } = retentionTimes(user, attribute, rules);
  const fields = { user: name, action, lastLogin: toText(lastLogin) };
  if (dryRun) {
    log.info("dry run: would retire an inactive user", fields);
    return action;
  }
  if (!(await retire(user, action, client))) return undefined;
  tell(user, action, lastLogin, context);
  log.info("retired an inactive user", fields);
  retired[action]?.inc();
  return action;
}

/** False when the user is gone; a conflict when it changed since the cache saw it. */
async function retire(user: User, action: Action, client: Context["client"]): Promise<boolean> {
  if (action === "delete") return client.delete(user); // carries uid and resourceVersion
  const { apiVersion, kind, metadata } = user;
  const { name, resourceVersion } = metadata;
  try {
    const merge = { metadata: { resourceVersion }, enabled: false };
    await client.patch({ apiVersion, kind, metadata: { name } }, { merge });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

function tell(
  user: User,
  action: Action,
  lastLogin: number | undefined,
  { events }: Context,
): void {
  const message = `${action}d the user, whose last login was at ${toText(lastLogin)}`;
  const reason = reasons[action];
  events.event({ type: "Normal", reason, action: retentionAction, message }, user);
}

function toText(time: number | undefined): string {
  return time === undefined ? "an unknown time" : `${new Date(time).toISOString().slice(0, 19)}Z`;
}
