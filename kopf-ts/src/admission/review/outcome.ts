/** Asks a handler and writes its answer as an AdmissionReview. */

import { type JsonPatchOperation, type KubeObject, reasonsByCode } from "../../kube/index.ts";
import type { Phase } from "../names.ts";
import type { AdmissionContext, AdmissionRequest, Denied, Verdict } from "../request.ts";
import type { AnyWebhook } from "../webhook.ts";
import { jsonPatch } from "./json-patch.ts";
import type { Review } from "./parse.ts";

/** What a handler has decided. */
export type Outcome = Verdict & { readonly patch?: readonly JsonPatchOperation[] };

/** Rejects with whatever the handler throws, and with a TypeError when it answers what is no answer. */
export async function ask(
  webhook: AnyWebhook,
  phase: Phase,
  request: AdmissionRequest,
  context: AdmissionContext,
): Promise<Outcome> {
  if (phase === "mutation" && "mutate" in webhook) {
    deepFreeze(request.object);
    return mutation(request, await webhook.mutate(request, context));
  }
  if (phase === "validation" && "validate" in webhook) {
    return verdict(await webhook.validate(request, context));
  }
  throw new TypeError(`the webhook has no handler for ${phase}`);
}

function verdict(answer: unknown): Verdict {
  if (isRecord(answer) && typeof answer.allowed === "boolean") return answer as unknown as Verdict; // the handler's type says the rest
  throw new TypeError("validate must answer allow() or deny()");
}

function mutation(request: AdmissionRequest, answer: unknown): Outcome {
  if (answer === undefined) return { allowed: true };
  if (isDenied(answer)) return answer;
  if (!isObject(answer)) throw new TypeError("mutate must answer an object, deny() or undefined");
  if (request.operation === "DELETE") return { allowed: true };
  const patch = jsonPatch(request.object, answer);
  return patch.length === 0 ? { allowed: true } : { allowed: true, patch };
}

/** The answer as JSON, in the version of the question. */
export function reviewOf({ apiVersion, request }: Review, outcome: Outcome): string {
  const { allowed, warnings, patch } = outcome;
  const response = {
    uid: request.uid,
    allowed,
    ...(!outcome.allowed && { status: statusOf(outcome) }),
    ...(warnings !== undefined && warnings.length > 0 && { warnings }),
    ...(patch !== undefined && {
      patchType: "JSONPatch",
      patch: Buffer.from(JSON.stringify(patch)).toString("base64"),
    }),
  };
  return JSON.stringify({ apiVersion, kind: "AdmissionReview", response });
}

/** The API server takes codes below 400 for 400; so do we, for the metrics' sake. */
function statusOf({ code, reason, message }: Denied): object {
  const status = Number.isInteger(code) && code >= 400 ? code : 400;
  return {
    status: "Failure",
    code: status,
    reason: reason ?? reasonsByCode[status] ?? "",
    message,
  };
}

function isDenied(value: unknown): value is Denied {
  return isRecord(value) && value.allowed === false && !("metadata" in value);
}

function isObject(value: unknown): value is KubeObject {
  return isRecord(value) && isRecord(value.metadata);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A mutator that changed what it got instead of returning another object would find its changes lost; frozen, it fails at once. */
function deepFreeze(value: unknown): void {
  const left: unknown[] = value === undefined ? [] : [value];
  for (let each = left.pop(); each !== undefined; each = left.pop()) {
    for (const inner of Object.values(Object.freeze(each as object))) {
      if (typeof inner === "object" && inner !== null) left.push(inner);
    }
  }
}
