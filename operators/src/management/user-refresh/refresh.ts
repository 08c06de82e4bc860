import { User, type UserAttribute } from "@drover/crds";
import {
  type Context,
  done,
  isNotFound,
  PermanentError,
  type Result,
  TemporaryError,
} from "kopf-ts";
import {
  type Answer,
  type Answers,
  endingOf,
  principalAt,
  refreshedFields,
  refusalIn,
} from "./desired.ts";
import { reasons } from "./names.ts";
import { type GroupProvider, NoAccess } from "./provider.ts";
import { endTokens } from "./tokens.ts";

/** Reads the user's groups anew if somebody asked for it, and ends its tokens where it lost access. */
export async function refresh(
  attribute: UserAttribute,
  context: Context,
  providers: readonly GroupProvider[],
): Promise<Result> {
  if (attribute.NeedsRefresh !== true) return done;
  // Live: a principal that a login added a moment ago must not cost the user its tokens.
  const user = await context.client.find(User, attribute.metadata.name);
  if (user === undefined || user.metadata.deletionTimestamp !== undefined) return done;

  const answers = await ask(user, providers, context);
  await end(user, providers, answers, context);

  const missing = [...answers].find(([, { says }]) => says === "unreachable");
  if (missing !== undefined) throw unreachable(...missing);
  const refusal = refusalIn(answers);
  if (refusal !== undefined) context.events.event(failure(refusal), user);
  await write(
    attribute,
    refreshedFields(attribute, providers, answers, context.clock.now()),
    context,
  );
  return done;
}

async function ask(
  user: User,
  providers: readonly GroupProvider[],
  { signal }: Context,
): Promise<Answers> {
  const answers = new Map<string, Answer>();
  for (const provider of providers) {
    const principal = principalAt(provider, user);
    if (principal === undefined) continue;
    answers.set(provider.name, await answerOf(provider, principal, signal));
  }
  return answers;
}

async function answerOf(
  provider: GroupProvider,
  principal: string,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    return { says: "groups", groups: await provider.groups(principal, signal) };
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof NoAccess) return { says: "no-access" };
    return { says: error instanceof PermanentError ? "refused" : "unreachable", error };
  }
}

async function end(
  user: User,
  providers: readonly GroupProvider[],
  answers: Answers,
  context: Context,
): Promise<void> {
  const ended = await endTokens(user, endingOf(user, providers, answers), context);
  if (ended.logins + ended.derived === 0) return;
  const message = `deleted ${ended.logins} login tokens and disabled ${ended.derived} derived ones: the user may not log in any more`;
  context.events.event({ type: "Warning", reason: reasons.accessLost, message }, user);
  context.log.info("ended tokens of a user without access", { ...ended });
}

function unreachable(provider: string, answer: Answer): TemporaryError {
  const cause = "error" in answer ? answer.error : undefined;
  return new TemporaryError(`provider ${provider} does not tell the user's groups`, { cause });
}

function failure(refusal: string) {
  const message = `groups cannot be read until the user logs in: ${refusal}`;
  return { type: "Warning", reason: reasons.failed, message } as const;
}

/** A login that wrote meanwhile is a conflict; then it is looked at anew whether a refresh is still asked for. */
async function write(
  { apiVersion, kind, metadata: { name } }: UserAttribute,
  merge: Readonly<Record<string, unknown>>,
  { client }: Context,
): Promise<void> {
  try {
    await client.patch({ apiVersion, kind, metadata: { name } }, { merge });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
