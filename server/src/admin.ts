/** `drover reset-password` and `drover ensure-default-admin`. */

import { kinds } from "@drover/crds";
import {
  type Access,
  ensureDefaultAdmin,
  ownIdentity,
  resetAdminPassword,
} from "@drover/operators";
import { userAgent } from "@drover/platform";
import { connect, loadConfig, messageOf } from "kopf-ts";

/** Options of both commands. */
export interface AdminCommandOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Milliseconds to reach the API server, before anything is changed. */
const reachTimeout = 8_000;

/** Gives the default admin a new password, alone on standard output; resolves with the exit code. */
export async function runResetPassword(options: AdminCommandOptions): Promise<number> {
  return run("reset-password", options, async (access, tell) => {
    const { user, password } = await resetAdminPassword(access);
    tell(`new password of user admin (${user}):`);
    process.stdout.write(`${password.reveal()}\n`);
  });
}

/** Sees to it that there is a default admin; its password, if it got one, alone on standard output. Resolves with the exit code. */
export async function runEnsureDefaultAdmin(options: AdminCommandOptions): Promise<number> {
  return run("ensure-default-admin", options, async (access, tell) => {
    const { user, done, password } = await ensureDefaultAdmin(access);
    for (const step of done) tell(`user admin (${user}): ${step}`);
    if (done.length === 0) tell(`user admin (${user}) lacks nothing`);
    if (password === undefined) {
      tell("it keeps its password; `drover reset-password` gives it another");
      return;
    }
    tell("its password:");
    process.stdout.write(`${password.reveal()}\n`);
  });
}

type Tell = (line: string) => void;

/** Connects as the server itself, whom webhooks are not asked about: these commands must work while it is down. */
async function run(
  name: string,
  options: AdminCommandOptions,
  command: (access: Access, tell: Tell) => Promise<void>,
): Promise<number> {
  const tell = (line: string): void => void process.stderr.write(`drover ${name}: ${line}\n`);
  try {
    await using client = connect(await loadConfig(options), { kinds, userAgent });
    await client.request({ method: "GET", path: "/version", timeout: reachTimeout });
    await command({ client: client.as(ownIdentity) }, tell);
    return 0;
  } catch (error) {
    tell(messageOf(error));
    return 1;
  }
}
