/** Preferences of a user, one object each, in the namespace that is named like the user (rancher: pkg/api/steve/userpreferences). */

import { Preference } from "@drover/crds";
import {
  apiVersionOf,
  type Client,
  isAlreadyExists,
  isForbidden,
  isNotFound,
  refTo,
} from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";

/** Values by name. */
export type Values = Readonly<Record<string, string>>;

/** Whose preferences, and who acts. */
export interface Owner {
  /** Acts as the user. */
  readonly asUser: Client;
  /** The user's namespace. */
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** The preferences of a user: none for one who may not have any. Rejects with ApiErrors. */
export async function readValues({ asUser, namespace, signal }: Owner): Promise<Values> {
  try {
    const { items } = await asUser.list(Preference, { namespace, signal });
    return Object.fromEntries(items.map(({ metadata, value }) => [metadata.name, value ?? ""]));
  } catch (thrown) {
    if (isForbidden(thrown) || isNotFound(thrown)) return {};
    throw thrown;
  }
}

/**
 * Makes these the preferences of a user; what is there and not among them goes. `prepare` makes the namespace, and is called when the first
 * preference cannot be kept without. Rejects with ApiErrors; then some may be written and others not, and a second try does the rest.
 */
export async function writeValues(
  owner: Owner,
  values: Values,
  prepare: () => Promise<void>,
): Promise<void> {
  const before = await readValues(owner);
  for (const [name, value] of Object.entries(values)) {
    if (!Object.hasOwn(before, name)) await create(owner, name, value, prepare);
    else if (before[name] !== value) await change(owner, name, value);
  }
  for (const name of Object.keys(before)) {
    if (!Object.hasOwn(values, name)) await remove(owner, name);
  }
}

/** The namespace in which a user's preferences are; harmless when it is there. */
export async function makeNamespace(client: Client, name: string): Promise<void> {
  try {
    await client.create({ ...refTo(Namespace, name) });
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown;
  }
}

async function create(
  { asUser, namespace, signal }: Owner,
  name: string,
  value: string,
  prepare: () => Promise<void>,
): Promise<void> {
  const object = {
    ...{ apiVersion: apiVersionOf(Preference), kind: Preference.kind, value },
    metadata: { name, namespace },
  };
  try {
    await asUser.create(object, { signal });
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    await prepare();
    await asUser.create(object, { signal });
  }
}

async function change(
  { asUser, namespace, signal }: Owner,
  name: string,
  value: string,
): Promise<void> {
  await asUser.patch(refTo(Preference, name, namespace), { merge: { value } }, { signal });
}

async function remove({ asUser, namespace, signal }: Owner, name: string): Promise<void> {
  await asUser.delete(refTo(Preference, name, namespace), { signal });
}
