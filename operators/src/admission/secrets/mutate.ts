import { annotations, Setting, User } from "@drover/crds";
import {
  type Environment,
  hashPassword,
  liveSettings,
  passwordHashAnnotation,
  passwordNamespace,
  passwordProblem,
} from "@drover/platform";
import {
  type AdmissionContext,
  type AdmissionRequest,
  type Denied,
  deny,
  type Mutator,
} from "kopf-ts/admission";
import { Slots } from "kopf-ts/base";
import { Role, RoleBinding, Secret } from "kopf-ts/kinds";
import { annotation, anyOf, sets } from "../cel.ts";
import { annotated } from "../creator.ts";
import { isTerminating } from "../terminating.ts";
import { cloudCredentialType } from "./names.ts";
import { ownedBy, reducedRules } from "./owned.ts";
import { passwordChange, withHash } from "./password.ts";

/** What Secrets need besides the context. */
export interface SecretOptions {
  /** It may set password-min-length. */
  readonly env: Environment;
}

type Changed = Exclude<AdmissionRequest<Secret>, { readonly operation: "DELETE" }>;

/** A hash takes a thread for 150 ms; libuv has four, which others need too. */
const hashesAtOnce = 2;

/** Hashes passwords, says who made cloud credentials, and takes away what roles of a deleted Secret allow. */
export function secretDefaults({ env }: SecretOptions): Mutator<Secret> {
  const slots = new Slots(hashesAtOnce);
  return {
    kind: Secret,
    rules: [
      {
        operations: ["CREATE"],
        suffix: "cloud-credential",
        timeoutSeconds: 15,
        matchConditions: anyOf("cloud-credential", isCredential("object")),
      },
      {
        operations: ["CREATE", "UPDATE"],
        suffix: "password",
        timeoutSeconds: 15,
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": passwordNamespace } },
        matchConditions: anyOf(
          "password-changes",
          'request.operation == "CREATE"',
          sets(".?data", "{}"),
          sets(annotation(passwordHashAnnotation)),
        ),
      },
      {
        operations: ["DELETE"],
        suffix: "delete",
        timeoutSeconds: 15,
        sideEffects: "NoneOnDryRun",
        matchConditions: anyOf("kept-by-a-user", `oldObject != null && (${keptByUser})`),
      },
    ],
    reads: [Setting],
    mutate: (request, context) => {
      if (request.operation === "DELETE") return reduceRoles(request, context);
      if (request.namespace === passwordNamespace) return hashed(request, context, env, slots);
      if (request.operation === "CREATE" && request.object.type === cloudCredentialType) {
        return annotated(request.object, annotations.creatorId, request.user.username);
      }
      return undefined;
    },
  };
}

const isCredential = (object: string): string =>
  `${object}.?type.orValue("") == "${cloudCredentialType}"`;

const keptByUser = `${isCredential("oldObject")} || oldObject${annotation(annotations.creatorId)}.hasValue()`;

/** Nothing that was said about the password enters an error: what is thrown here may be logged. */
async function hashed(
  request: Changed,
  context: AdmissionContext,
  env: Environment,
  slots: Slots,
): Promise<Secret | Denied | undefined> {
  const { object: secret, oldObject, name } = request;
  if (oldObject !== undefined && isTerminating(oldObject)) return undefined;
  const { client, cache, signal } = context;
  const user = name === "" ? undefined : await client.find(User, name, { signal });
  if (user === undefined) return deny(400, "metadata.name must be that of a User that exists");

  const change = passwordChange(secret, oldObject);
  if (change.type === "hashed") return withHash(secret, user, change.hash);
  if (change.text === undefined) return deny(422, "data.password must be text in UTF-8");
  const problem = passwordProblem(change.text, {
    minimum: liveSettings(cache(Setting), env).number("password-min-length"),
    username: user.username,
  });
  if (problem !== undefined) return deny(422, `data.password is refused: ${problem}`);
  using _slot = await slots.take(signal);
  signal.throwIfAborted();
  return withHash(secret, user, await hashPassword(change.text));
}

/** Until the Secret is gone (it may wait for finalizers), whoever kept it can delete it, and nothing else. */
async function reduceRoles(
  { oldObject: secret, dryRun }: AdmissionRequest<Secret> & { readonly operation: "DELETE" },
  { client, signal, log }: AdmissionContext,
): Promise<undefined> {
  const { namespace } = secret.metadata;
  const bindings = await client.list(RoleBinding, { namespace, signal });
  const names = bindings.items
    .filter(ownedBy(secret))
    .filter(({ roleRef }) => roleRef.kind === "Role")
    .map(({ roleRef }) => roleRef.name);
  for (const name of new Set(names)) {
    const role = await client.find(Role, name, { namespace, signal });
    const rules = role === undefined ? undefined : reducedRules(role, secret);
    if (role === undefined || rules === undefined || dryRun) continue;
    await client.update({ ...role, rules }, { signal });
    log.info("reduced the role of a deleted secret", { role: name });
  }
}
