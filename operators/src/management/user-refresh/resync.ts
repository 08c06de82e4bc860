import { Setting, User, UserAttribute } from "@drover/crds";
import { type Environment, isSystemUser, liveSettings, type Rounds } from "@drover/platform";
import { type Context, isNotFound, type Result } from "kopf-ts";
import { cronSetting } from "./names.ts";

/** What all runs share. */
export interface Shared {
  readonly env: Environment;
  readonly rounds: Rounds;
}

/** Takes the next turn of a round, if one is due: asks for a refresh of some users. */
export async function resync(context: Context, { env, rounds }: Shared): Promise<Result> {
  const { cache, clock, log } = context;
  const expression = liveSettings(cache(Setting), env).text(cronSetting);
  const turn = rounds.turn(expression, clock.now(), () => cache(UserAttribute).keys());
  if (turn.first) log.info("asking for the groups of all users");
  for (const name of turn.keys) await markSafely(name, context);
  return turn.next;
}

/** One that cannot be written holds up no other; it is asked for again in the next round. */
async function markSafely(name: string, context: Context): Promise<void> {
  try {
    await mark(name, context);
  } catch (error) {
    if (context.signal.aborted) throw error;
    context.log.error("could not ask for the groups of a user", { user: name, error });
  }
}

async function mark(name: string, { cache, client }: Context): Promise<void> {
  const attribute = cache(UserAttribute).get(name);
  const user = cache(User).get(name);
  if (attribute === undefined || attribute.NeedsRefresh === true) return;
  if (user === undefined || isSystemUser(user)) return;
  const { apiVersion, kind, metadata } = attribute;
  const ref = { apiVersion, kind, metadata: { name } };
  try {
    await client.patch(ref, { merge: { metadata: { uid: metadata.uid }, NeedsRefresh: true } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
