/** From an HTTP request to what is sent back. */

import type { IncomingMessage } from "node:http";
import type { Clock, Logger, Slots } from "../../base/index.ts";
import { RunClient } from "../../control/index.ts";
import type { Client } from "../../kube/index.ts";
import type { Hook } from "../hook.ts";
import type { AdmissionContext, AdmissionRequest } from "../request.ts";
import { ask, reviewOf } from "../review/outcome.ts";
import { parseReview } from "../review/parse.ts";
import { ReviewError } from "../review/review-error.ts";
import type { Call } from "./call.ts";
import { readBody } from "./read-body.ts";

/** What answering takes. */
export interface AnswerDeps {
  readonly client: Client;
  /** Under which writes of handlers go. */
  readonly fieldManager: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Reviews in work at once. */
  readonly slots: Slots;
}

/** An HTTP answer. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Never rejects: what a handler throws is logged and told as an HTTP 500 without its message, which may quote the object. */
export async function answer(
  hook: Hook,
  request: IncomingMessage,
  call: Call,
  deps: AnswerDeps,
): Promise<Answer> {
  const told: { log: Logger } = { log: deps.log.child({ webhook: hook.path }) };
  try {
    const body = await review(hook, request, call, deps, told);
    return { status: 200, type: "application/json", body };
  } catch (error) {
    return failure(error, told.log);
  }
}

/** The steps of a review. A request that waits for its turn is not read, so that it holds no memory. */
async function review(
  hook: Hook,
  request: IncomingMessage,
  call: Call,
  deps: AnswerDeps,
  told: { log: Logger },
): Promise<string> {
  using _slot = await call.within(deps.slots.take(call.signal));
  call.waitsFor = "the request";
  const asked = parseReview(await call.within(readBody(request)), hook);
  told.log = told.log.child(fieldsOf(hook, asked.request));
  call.waitsFor = `caches (${hook.caches.opened.missing.map(({ resource }) => resource).join(", ")})`;
  await call.within(hook.caches.opened.synced(call.signal));
  call.waitsFor = "the handler";
  const context = contextOf(hook, call, deps, told.log);
  const asking = ask(hook.webhook, hook.phase, asked.request, context);
  const outcome = await call.within(asking);
  if (!outcome.allowed) told.log.debug("denied", { code: outcome.code });
  return reviewOf(asked, outcome);
}

function contextOf(
  { caches }: Hook,
  { signal }: Call,
  { client, fieldManager, clock }: AnswerDeps,
  log: Logger,
): AdmissionContext {
  const own = new RunClient(client, { fieldManager, signal });
  return { client: own, cache: caches.opened.cache, clock, log, signal };
}

function fieldsOf(
  { kind }: Hook,
  { uid, name, namespace, operation }: AdmissionRequest,
): Readonly<Record<string, unknown>> {
  return { kind: kind.kind, name, namespace, operation, uid };
}

function failure(error: unknown, log: Logger): Answer {
  if (error instanceof ReviewError) {
    log.warn("a review was not answered", { code: error.status, reason: error.message });
    return textAnswer(error.status, error.message);
  }
  log.error("a webhook failed", { error });
  return textAnswer(500, "the webhook failed; its log says why");
}

/** Plain text is what the API server passes on to people. */
export function textAnswer(status: number, text: string): Answer {
  return { status, type: "text/plain; charset=utf-8", body: text };
}
