/** Long-lived tokens of ServiceAccounts, each in one Secret (rancher: pkg/serviceaccounttoken/secret.go). */

import {
  type Client,
  type Clock,
  exponential,
  isAlreadyExists,
  isConflict,
  keyOf,
  type ObjectRef,
  systemClock,
  TemporaryError,
} from "kopf-ts";
import { Secret, ServiceAccount } from "kopf-ts/kinds";
import {
  accountLabel,
  accountLabelValue,
  isTokenOf,
  referredSecret,
  secretRefAnnotation,
  tokenSecret,
} from "./names.ts";

/** Options of ensureServiceAccountToken. */
export interface EnsureTokenOptions {
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

/** Others that ask for the same token are rarely faster more than once. */
const attempts = 5;
/** Until Kubernetes has filled a Secret: 2 ms, 4 ms, ... 100 ms, 4.5 s in all. */
const population = { steps: 50, min: 2, max: 100 };
/** Milliseconds until it is worth asking again. */
const later = { population: 1_000, stranger: 60_000 };

/**
 * The Secret with a token of the ServiceAccount, filled: the one that it refers to, else one that is there, else a new one. The reference is repaired
 * when its Secret is gone or not the account's.
 *
 * Guarantees: any number of callers at once, in any number of processes, end with one and the same Secret, and so does a call after a crash. A token in use
 * is never replaced. Errors: ApiError 404 when there is no such ServiceAccount; a TemporaryError when no token comes within 5 s, as without a
 * controller manager, and when the name of the Secret is taken by something else.
 */
export async function ensureServiceAccountToken(
  client: Client,
  { metadata: { name, namespace } }: Pick<ObjectRef, "metadata">,
  { clock = systemClock, signal }: EnsureTokenOptions = {},
): Promise<Secret> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    signal?.throwIfAborted();
    const account = await client.get(ServiceAccount, name, { namespace });
    const secret = (await referred(client, account)) ?? (await settle(client, account));
    const filled = secret && (await whenFilled(client, secret, clock, signal));
    if (filled !== undefined) return filled;
  }
  const message = `others keep changing the token of ServiceAccount ${namespace}/${name}`;
  throw new TemporaryError(message, { delay: later.population });
}

async function referred(client: Client, account: ServiceAccount): Promise<Secret | undefined> {
  const name = referredSecret(account);
  if (name === undefined) return undefined;
  const { namespace } = account.metadata;
  const secret = await client.find(Secret, name, { namespace });
  return secret !== undefined && isTokenOf(secret, account) ? secret : undefined;
}

/** Makes the account refer to a Secret; undefined when somebody else was faster with another, so that what we made is taken back. */
async function settle(client: Client, account: ServiceAccount): Promise<Secret | undefined> {
  const found = await existing(client, account);
  const { secret, isNew } = found ? { secret: found, isNew: false } : await make(client, account);
  try {
    await refer(client, account, secret);
    return secret;
  } catch (error) {
    if (!isConflict(error)) throw error;
    const { name, namespace } = account.metadata;
    const now = await client.get(ServiceAccount, name, { namespace });
    const winner = await referred(client, now);
    if (isNew && winner !== undefined && winner.metadata.name !== secret.metadata.name) {
      await client.delete(secret, { preconditions: "uid" });
    }
    return winner;
  }
}

/** The oldest one that nobody refers to: of a crash, or of a Rancher that knew no references. */
async function existing(client: Client, account: ServiceAccount): Promise<Secret | undefined> {
  const { name, namespace } = account.metadata;
  const labelSelector = `${accountLabel}=${accountLabelValue(name)}`;
  const { items } = await client.list(Secret, { namespace, labelSelector });
  const age = ({ metadata }: Secret): string => `${metadata.creationTimestamp} ${metadata.name}`;
  return items
    .filter((secret) => isTokenOf(secret, account))
    .toSorted((a, b) => (age(a) < age(b) ? -1 : 1))[0];
}

async function make(
  client: Client,
  account: ServiceAccount,
): Promise<{ readonly secret: Secret; readonly isNew: boolean }> {
  const wanted = tokenSecret(account);
  try {
    return { secret: await client.create(wanted), isNew: true };
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { name, namespace } = wanted.metadata;
    const secret = await client.find(Secret, name, { namespace });
    if (secret !== undefined && isTokenOf(secret, account)) return { secret, isNew: false };
    const message = `Secret ${keyOf(wanted)} is in the way of a token: delete it`;
    throw new TemporaryError(message, { cause: error, delay: later.stranger });
  }
}

/** In the very version in which the account referred to none: of two that do so at once, the later one fails. */
async function refer(client: Client, account: ServiceAccount, secret: Secret): Promise<void> {
  const { resourceVersion } = account.metadata;
  const annotations = { [secretRefAnnotation]: keyOf(secret) };
  await client.patch(account, { merge: { metadata: { resourceVersion, annotations } } });
}

/** Undefined when the Secret goes meanwhile. */
async function whenFilled(
  client: Client,
  made: Secret,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<Secret | undefined> {
  const { name, namespace } = made.metadata;
  let secret: Secret | undefined = made;
  for (let step = 0; step < population.steps; step++) {
    if (secret === undefined || secret.data?.token) return secret;
    await clock.sleep(exponential(step, population), signal);
    secret = await client.find(Secret, name, { namespace });
  }
  const message = `Secret ${namespace}/${name} has no token yet: does a controller manager run?`;
  throw new TemporaryError(message, { delay: later.population });
}
