/** The first admin, without whom nobody could log in. */

import { systemNamespace, User } from "@drover/crds";
import {
  Confidential,
  type Environment,
  type FeatureName,
  generateKey,
  type LiveSettings,
} from "@drover/platform";
import { ApiError, type TaskContext } from "kopf-ts";
import { ClusterRoleBinding, ConfigMap, Namespace, Secret } from "kopf-ts/kinds";
import { bringAbout } from "../write.ts";
import {
  adminUser,
  type BootstrapPassword,
  clusterAdminBinding,
  guard,
  mustChange,
  readPassword,
  withPassword,
} from "./desired.ts";
import { ensure, refuseTerminating } from "./ensure.ts";
import { nameFrom, passwordVariable, prefixes, secretName } from "./names.ts";
import { bindAdmin, findPassword, storePassword } from "./user.ts";

/** What the first admin depends on. */
export interface AdminOptions {
  /** It may bring the first password. */
  readonly env: Environment;
  readonly settings: Pick<LiveSettings, "boolean">;
  readonly features: (name: FeatureName) => boolean;
  /** Shows a generated password to whoever installs the server. It must not go to a log: logs are collected and kept. */
  readonly announce: (password: Confidential) => void | Promise<void>;
}

/**
 * Makes the default admin in a cluster without users, once for all times: ConfigMap `admincreated` says that it happened, also where there were users
 * already. Does nothing, and leaves no mark, while setting no-default-admin is true.
 *
 * Guarantees: cut short between any two writes, the next run completes what is missing. The names follow from the cluster, so that also a write
 * whose answer was lost makes no second admin. An admin that people deleted, or whose password they changed, is not touched again. A generated
 * password is announced when everything else is done, right before the mark: again only if the process ends between these two.
 */
export async function bootstrapAdmin(context: TaskContext, options: AdminOptions): Promise<void> {
  if (options.settings.boolean("no-default-admin") || (await isDone(context))) return;

  const name = await adminName(context);
  const ours = await context.client.find(User, name, { signal: context.signal });
  if (ours !== undefined || !(await hasUsers(context)))
    await complete(context, options, name, ours);

  await ensure(context, ConfigMap, guard);
}

/** Makes what the admin lacks. */
async function complete(
  context: TaskContext,
  options: AdminOptions,
  name: string,
  ours: User | undefined,
): Promise<void> {
  const user = await withoutDoubt(context, options, name, ours);
  await bind(context, options, user);
  const first = readPassword(await findSecret(context));
  if (first?.generated) await options.announce(first.text);
  context.log.info("made the default admin", { user: name, keptIn: secretPath });
}

const secretPath = `${systemNamespace}/${secretName}`;

/** The admin, with a password. One that has a password keeps it: it may be another by now. */
async function withoutDoubt(
  context: TaskContext,
  { env }: AdminOptions,
  name: string,
  ours: User | undefined,
): Promise<User> {
  if (ours !== undefined && (await findPassword(context, refuseTerminating(ours)))) return ours;
  const password = await bootstrapPassword(context, env);
  const user = await ensure(context, User, adminUser(name, mustChange(password)));
  await storePassword(context, user, password.text);
  return user;
}

/** The first password: that of the Secret, which is made if need be. */
async function bootstrapPassword(
  context: TaskContext,
  env: Environment,
): Promise<BootstrapPassword> {
  const given = env[passwordVariable] ?? "";
  const generated = given === "";
  const fresh = { text: generated ? generateKey() : new Confidential(given), generated };
  let password: BootstrapPassword = fresh;
  await bringAbout(context, async () => {
    const secret = await findSecret(context);
    password = readPassword(secret) ?? fresh;
    if (password !== fresh) return { create: [], update: [] };
    const wanted = withPassword(secret, fresh);
    return secret === undefined
      ? { create: [wanted], update: [] }
      : { create: [], update: [wanted] };
  });
  return password;
}

/** Where there are no managed clusters, there may be no global roles either. */
async function bind(context: TaskContext, { features }: AdminOptions, user: User): Promise<void> {
  try {
    await bindAdmin(context, user);
  } catch (error) {
    if (features("multi-cluster-management") || !isRefusal(error)) throw error;
    await ensure(context, ClusterRoleBinding, clusterAdminBinding(user));
  }
}

/** The server understood, and says that it cannot be: another attempt would not help. */
function isRefusal(thrown: unknown): boolean {
  return thrown instanceof ApiError && thrown.code >= 400 && thrown.code < 500;
}

async function isDone({ client, signal }: TaskContext): Promise<boolean> {
  const { name, namespace } = guard.metadata;
  return (await client.find(ConfigMap, name, { namespace, signal })) !== undefined;
}

async function hasUsers({ client, signal }: TaskContext): Promise<boolean> {
  return (await client.list(User, { limit: 1, signal })).items.length > 0;
}

function findSecret({ client, signal }: TaskContext): Promise<Secret | undefined> {
  return client.find(Secret, secretName, { namespace: systemNamespace, signal });
}

/** The same at every start until the namespace is made anew, which takes guard and password along. */
async function adminName({ client, signal }: TaskContext): Promise<string> {
  const { metadata } = await client.get(Namespace, systemNamespace, { signal });
  return nameFrom(prefixes.user, metadata.uid ?? "");
}
