/** Turns what went wrong into ApiErrors whose messages say what was asked, of whom, and why it failed. Pure. */

import { ApiError, type LocalReason, type Status } from "../errors.ts";
import { tryJson } from "../parse.ts";
import { doesNotServe, unservedIn } from "../served.ts";
import { parseStatus, reasonsByCode, retryAfterOf } from "../status.ts";
import { type Answer, type Phase, TooLong } from "./answer.ts";
import { type Trust, untrusted } from "./certificates.ts";
import { LONGEST_ANSWER } from "./exchange.ts";

/** What was asked, for messages. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly server: string;
  /** Milliseconds. */
  readonly timeout: number;
  /** What is wrong with our credentials, as far as we can tell. */
  readonly fault?: string | undefined;
  readonly trust?: Trust;
}

/** What an answer says, and whether as a Status. */
interface Saying {
  readonly said: string;
  readonly isStatus: boolean;
}

/** Characters of an answer that is no Status which go into a message. */
const EXCERPT = 300;
/** Characters of what a Status says that go into a message, and from there into logs, conditions and Events; `status` keeps all. */
const LONGEST_SAID = 2_000;
/** Characters of it that are looked at: its tags may be many. */
const LOOKED_AT = 4_096;

/** The error for an answer of 400 and above. Secrets that a strange server echoes are blotted out. */
export function answerError(
  asked: Asked,
  { status: code, body }: Pick<Answer, "status" | "body">,
  retryAfter: number | undefined,
  secrets: readonly string[],
): ApiError {
  const text = withoutSecrets(body.toString("utf8"), secrets);
  const status = statusIn(text);
  const fromStatus = cut(status?.message, LONGEST_SAID);
  const said = fromStatus ?? excerpt(text);
  const unserved = code === 404 ? unservedIn(asked.path, said) : undefined;
  return new ApiError({
    message:
      unserved === undefined
        ? `${asked.method} ${asked.path}: ${explain(code, { said, isStatus: fromStatus !== undefined }, asked)}`
        : doesNotServe(asked.server, unserved),
    code,
    reason: status?.reason || (reasonsByCode[code] ?? "Unknown"),
    method: asked.method,
    path: asked.path,
    server: asked.server,
    status,
    retryAfter: retryAfter ?? retryAfterOf(status),
  });
}

/** The error for an attempt without a whole answer. */
export function lostError(asked: Asked, phase: Phase, cause: unknown): ApiError {
  if (isInvalidRequest(cause)) return localError(asked, "BadRequest", describeCause(cause), cause);
  const distrust = distrustOf(asked, cause);
  if (distrust !== undefined) {
    const what = `the certificate of ${asked.server} is not trusted`;
    return localError({ ...asked, unsent: true }, "Untrusted", `${what}: ${distrust}`); // its cause would add Node's own advice
  }
  const unsent = phase === "waiting for a connection";
  const what = unsent
    ? `${asked.server} cannot be reached`
    : `${asked.server} broke the connection while we were ${phase}`;
  const text = `${what}: ${describeCause(cause)}`;
  return localError({ ...asked, unsent }, "Unreachable", text, cause);
}

/** The error when the time of a call is up. */
export function timeoutError(asked: Asked, during: string): ApiError {
  const seconds = asked.timeout / 1_000;
  return localError(asked, "Timeout", `${asked.server}: time is up after ${seconds} s, ${during}`);
}

/** The error for an answer that came, but is of no use. */
export function uselessError(asked: Asked, cause: unknown): ApiError {
  const text =
    cause instanceof TooLong
      ? `${asked.server} answered ${cause.message}; ${remedyFor(cause)}`
      : `the answer of ${asked.server} cannot be used: ${describeCause(cause)}`;
  return localError(asked, "BadAnswer", text, cause);
}

/** A call that sets its own limit knows how long such an answer is. */
function remedyFor({ limit }: TooLong): string {
  return limit < LONGEST_ANSWER
    ? "an API server says less; is this its address?"
    : "ask for pages, or for a stream";
}

/** An error at code 0. */
export function localError(
  asked: Pick<Asked, "method" | "path"> & { readonly unsent?: boolean },
  reason: LocalReason,
  text: string,
  cause?: unknown,
): ApiError {
  const { method, path, unsent } = asked;
  return new ApiError({
    message: `${method} ${path}: ${text}`,
    code: 0,
    reason,
    method,
    path,
    cause,
    unsent,
  });
}

/** What a Status says stands for itself; of anything else, perhaps a proxy's, it is told who answered it, and with which code. */
function explain(code: number, { said, isStatus }: Saying, asked: Asked): string {
  if (code === 401) {
    const fault = asked.fault === undefined ? "" : `: ${asked.fault}`;
    return `${asked.server} does not accept our credentials (401 ${said})${fault}`;
  }
  if (isStatus && said !== "") return said;
  const answered = `${asked.server} answered ${code} ${reasonsByCode[code] ?? ""}`.trimEnd();
  return said === "" ? answered : `${answered}: ${said}`;
}

function statusIn(text: string): Status | undefined {
  return text.startsWith("{") ? parseStatus(tryJson(text)) : undefined;
}

function excerpt(text: string): string {
  const line = text
    .slice(0, LOOKED_AT)
    .replaceAll(/<[^<>]*>/g, " ") // with [^>]* it would look from every < to the end
    .replaceAll(/\s+/g, " ")
    .trim();
  return cut(line, EXCERPT);
}

function cut<T extends string | undefined>(text: T, most: number): T | string {
  return text === undefined || text.length <= most ? text : `${text.slice(0, most)}...`;
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, "<redacted>"), text);
}

/** What an error says, also those that keep it in a list (happy eyeballs) or only in their code. */
export function describeCause(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) {
    return [...new Set(cause.errors.map(describeCause))].join(", ");
  }
  if (!(cause instanceof Error)) return String(cause);
  return cause.message === "" ? (codeOf(cause) ?? cause.name) : cause.message;
}

function codeOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error) || !("code" in cause)) return undefined;
  return typeof cause.code === "string" ? cause.code : undefined;
}

function isInvalidRequest(cause: unknown): boolean {
  const code = codeOf(cause);
  return code === "UND_ERR_INVALID_ARG" || code === "UND_ERR_NOT_SUPPORTED";
}

function distrustOf({ trust = anybody }: Asked, cause: unknown): string | undefined {
  const code = codeOf(cause);
  return code === undefined ? undefined : untrusted(code, trust, describeCause(cause));
}

const anybody: Trust = { cluster: undefined, ca: false };
