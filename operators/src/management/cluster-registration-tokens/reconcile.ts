import {
  Cluster,
  ClusterRegistrationToken,
  Feature,
  registrationTokenNames,
  Setting,
} from "@drover/crds";
import {
  caChecksum,
  type Environment,
  type FeatureDefaults,
  fromTimestamp,
  liveFeatures,
  liveSettings,
  type RegistrationValues,
  readRegistrationValues,
  settle,
  throwForRetry,
  toTimestamp,
} from "@drover/platform";
import {
  type Context,
  done,
  isAlreadyExists,
  patchStatus,
  type Result,
  requeueAt,
  TemporaryError,
} from "kopf-ts";
import { Namespace, Role, Secret } from "kopf-ts/kinds";
import type { CommandInput } from "./commands.ts";
import {
  defaultToken,
  isSecretOf,
  legacyValues,
  newSecret,
  readerRole,
  secretNameOf,
  secretPatch,
  statusOf,
} from "./desired.ts";
import { byNamespace, readerLabel, reasons } from "./names.ts";
import { livesOf, nextChange, rotated } from "./rotation.ts";

/** What all runs share. */
export interface Shared {
  /** Overrides settings. */
  readonly env: Environment;
  readonly features: FeatureDefaults;
}

/** Keeps the value in a Secret, replaces it in time, and tells commands and times in the status; never the value. */
export async function reconcile(
  token: ClusterRegistrationToken,
  context: Context,
  shared: Shared,
): Promise<Result> {
  const name = secretNameOf(token);
  if (name === undefined) return tellLongName(context);
  const stored = await secretOf(token, name, context);
  if (stored?.metadata.deletionTimestamp !== undefined) return done; // made anew when it is gone
  if (stored !== undefined && !isSecretOf(token, stored)) return tellStranger(name, context);

  const isOn = liveFeatures(context.cache(Feature), shared.features)("crt-token-ttl-rotation");
  const values = await store(token, { name, stored, isOn }, context, shared);
  const status = statusOf(name, values, commandInput(token, context, shared));
  await patchStatus(context.client, token, status, { subresource: false });
  const next = nextChange(values, isOn);
  return next === undefined ? done : requeueAt(next);
}

/** One made by a Rancher lacks the label by which the cache sees it, so the server is asked before one is made. */
async function secretOf(
  { metadata: { namespace = "" } }: ClusterRegistrationToken,
  name: string,
  { cache, client }: Context,
): Promise<Secret | undefined> {
  return cache(Secret).get(`${namespace}/${name}`) ?? client.find(Secret, name, { namespace });
}

interface Stored {
  readonly name: string;
  readonly stored: Secret | undefined;
  readonly isOn: boolean;
}

async function store(
  token: ClusterRegistrationToken,
  { name, stored, isOn }: Stored,
  context: Context,
  { env }: Shared,
): Promise<RegistrationValues> {
  const { client, cache, clock } = context;
  const settings = liveSettings(cache(Setting), env);
  const ttl = settings.number("crt-default-ttl-minutes");
  const grace = settings.number("crt-default-grace-period-minutes");
  const now = clock.now();
  const { uid = "", creationTimestamp } = token.metadata;
  const before = stored === undefined ? undefined : readRegistrationValues(stored);
  const values = rotated({
    values: before ?? legacyValues(token),
    lives: livesOf(token.spec ?? {}, { ttl, grace }),
    isOn,
    uid,
    created: fromTimestamp(creationTimestamp) ?? now,
    now,
  });
  if (stored === undefined) {
    await client.create(newSecret(token, name, values)).catch(orRetry);
  } else {
    const merge = secretPatch(stored, values);
    if (merge !== undefined) await client.patch(stored, { merge });
  }
  if (before !== undefined && before.token !== values.token) tellRotation(values, context);
  return values;
}

/** Somebody was faster: what they stored counts. */
function orRetry(error: unknown): never {
  if (!isAlreadyExists(error)) throw error;
  throw new TemporaryError("the Secret was just made by somebody else", { cause: error });
}

function commandInput(
  { metadata: { namespace = "" } }: ClusterRegistrationToken,
  { cache }: Context,
  { env }: Shared,
): CommandInput {
  const settings = liveSettings(cache(Setting), env);
  return {
    serverUrl: settings.text("server-url"),
    caChecksum: caChecksum(settings.text("cacerts")),
    cluster: namespace,
    env: cache(Cluster).get(namespace)?.spec?.agentEnvVars ?? [],
  };
}

function tellRotation({ previous }: RegistrationValues, { events, log }: Context): void {
  const until = previous === undefined ? "now" : toTimestamp(previous.expiresAt);
  events.normal(reasons.rotated, `a new value replaced the old one, which counts until ${until}`);
  log.info("replaced the value of a registration token", { until });
}

function tellLongName({ events }: Context): Result {
  events.warning(
    reasons.nameTooLong,
    "no Secret can be named after this token: make one with a shorter name",
  );
  return done;
}

/** Milliseconds until it is worth a look whether somebody gave up the name. */
const giveUp = 60_000;

/** A Secret that does not refer to this token may be anybody's, also that of a token of this name before, which the garbage collector takes. */
function tellStranger(name: string, { events }: Context): never {
  const message = `Secret ${name} does not belong to this token: delete it`;
  events.warning(reasons.nameTaken, message);
  throw new TemporaryError(message, { delay: giveUp });
}

/** The Role that reads the Secrets of a namespace's tokens; none where there are none. */
export async function reconcileReaders(namespace: Namespace, context: Context): Promise<Result> {
  const { name } = namespace.metadata;
  const tokens = context.cache(ClusterRegistrationToken).byIndex(byNamespace, name);
  const role = readerRole(name, tokens);
  const part = { id: "reader", kinds: [Role], objects: role === undefined ? [] : [role] };
  const ownership = { owner: namespace, label: { key: readerLabel, value: name } };
  const problems = await settle([part], ownership, context);
  throwForRetry(problems.flat());
  return done;
}

/** Makes the token once there is a namespace for it, and again when it was deleted; what people change in it stays. */
export async function ensureDefault(
  { metadata: { name } }: Cluster,
  { cache, client }: Context,
): Promise<Result> {
  const key = `${name}/${registrationTokenNames.defaultToken}`;
  if (cache(ClusterRegistrationToken).has(key) || !isOpen(cache(Namespace).get(name))) return done;
  await client.create(defaultToken(name)).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  return done;
}

function isOpen(namespace: Namespace | undefined): boolean {
  return namespace !== undefined && namespace.metadata.deletionTimestamp === undefined;
}
