/** What went wrong about an owned object, as a condition can tell it. Pure. */

import {
  type ApplyError,
  isInvalid,
  type Kind,
  type KubeObject,
  keyOf,
  messageOf,
  resourceName,
  TemporaryError,
} from "kopf-ts";

/** Why something is not as it should be. */
export interface Problem {
  /** As in a condition. */
  readonly reason: "NameTaken" | "Invalid" | "ApplyFailed" | "DeleteFailed";
  readonly message: string;
  /** What to throw so that it is tried again; undefined where that makes no difference until something changes. */
  readonly error?: Error;
}

/** Milliseconds until it is worth a look whether a stranger gave up a name, of which no event of ours tells. */
const giveUp = 60_000;

/** Of messages of the server, which may quote whole objects. */
const longest = 500;

/** Somebody else's object stands where ours should. */
export function nameTaken(live: KubeObject): Problem {
  const message = `${live.kind} ${keyOf(live)} was made by somebody else: rename or delete it`;
  return { reason: "NameTaken", message, error: new TemporaryError(message, { delay: giveUp }) };
}

/** One for each failure. What the server finds invalid stays invalid, and a name that somebody else was faster to take is taken. */
export function problemsIn({ failures }: ApplyError): readonly Problem[] {
  return failures.map(({ verb, what, error, stranger }) => {
    if (stranger !== undefined) return nameTaken(stranger);
    const message = cut(`cannot ${verb} ${what}: ${messageOf(error)}`);
    if (isInvalid(error)) return { reason: "Invalid", message };
    return { reason: "ApplyFailed", message, error: asError(error) };
  });
}

/** One object could not be made as it should. */
export function cannotApply(object: KubeObject, error: unknown): Problem {
  const message = cut(`cannot apply ${object.kind} ${keyOf(object)}: ${messageOf(error)}`);
  if (isInvalid(error)) return { reason: "Invalid", message };
  return { reason: "ApplyFailed", message, error: asError(error) };
}

/** What should be gone is still there. */
export function cannotDelete(object: KubeObject, error: unknown): Problem {
  const message = cut(`cannot delete ${object.kind} ${keyOf(object)}: ${messageOf(error)}`);
  return { reason: "DeleteFailed", message, error: asError(error) };
}

/** Nothing may be deleted by what the cache shows. */
export function outOfTouch(kind: Kind): Problem {
  const message = `the cache of ${resourceName(kind)} is out of touch with the server; nothing is deleted by it`;
  return { reason: "DeleteFailed", message, error: new TemporaryError(message) };
}

/** Anything else that may ask for another run. */
interface Retried {
  readonly error?: Error | undefined;
}

/** Throws what asks for another run, all of it together; nothing where no problem does. */
export function throwForRetry(problems: readonly (Problem | Retried)[]): void {
  const errors = problems.flatMap(({ error }) => (error === undefined ? [] : [error]));
  if (errors.length > 0) throw new AggregateError(errors, errors.map(messageOf).join("; "));
}

/** A reason, as one word, and a sentence for a person. */
export interface Told {
  readonly reason: string;
  readonly message: string;
}

/** Several problems as one reason, the first's, and one sentence. */
export function tell(problems: readonly [Told, ...Told[]]): Told {
  const [first, second, third, ...rest] = problems;
  const shown = [first, second, third].flatMap((problem) => problem?.message ?? []).join("; ");
  const message = rest.length === 0 ? shown : `${shown}; and ${rest.length} more`;
  return { reason: first.reason, message };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(messageOf(error), { cause: error });
}

function cut(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
