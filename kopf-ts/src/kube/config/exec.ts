/** Exec plug-ins: programs of a kubeconfig that print credentials (client-go: plugin/pkg/client/auth/exec). */

import { dirname, isAbsolute, resolve } from "node:path";
import { type Clock, messageOf, systemClock } from "../../base/index.ts";
import { tryJson } from "../parse.ts";
import { ConfigError } from "./config-error.ts";
import type { CredentialSource, Credentials } from "./credentials.ts";
import type { ClusterEntry, ExecEntry } from "./entries.ts";
import { isMapping, type Mapping } from "./fields.ts";
import { pairFault } from "./key-pair.ts";
import { masked, runProgram } from "./program.ts";
import type { Selection } from "./select.ts";

/** Milliseconds a plug-in may take. kubectl waits for ever, but there somebody sits before it. */
const TIME_LIMIT = 60_000;
/** Milliseconds before the end of credentials from which the plug-in is asked for others. */
const EARLY = 30_000;

/**
 * A source that runs the plug-in and keeps what it printed until that is about to expire; `force` runs it anew. A plug-in that takes longer
 * than a minute, or is still running when the client is disposed, is killed with all that it started.
 */
export function execSource(
  exec: ExecEntry,
  selection: Selection,
  ca: () => Promise<string | undefined>,
  clock: Clock = systemClock,
): CredentialSource {
  let kept: Credentials | undefined;
  return async ({ force, signal }) => {
    const left = (kept?.expiresAt ?? Number.POSITIVE_INFINITY) - clock.now();
    if (kept !== undefined && !force && left > EARLY) return kept;
    try {
      const info = JSON.stringify(execInfo(exec, selection.cluster.entry, await ca()));
      const { stdout } = await runProgram({
        command: commandOf(exec, selection.user.file),
        args: exec.args,
        env: { ...process.env, ...exec.env, KUBERNETES_EXEC_INFO: info },
        timeLimit: TIME_LIMIT,
        clock,
        signal,
      });
      kept = parseExecCredential(stdout, exec.apiVersion);
      return kept;
    } catch (thrown) {
      throw fault(exec, selection, thrown);
    }
  };
}

/** Beside the kubeconfig when it is a relative path; a bare name is looked up in PATH. */
function commandOf({ command }: ExecEntry, file: string): string {
  const relative = command.includes("/") && !isAbsolute(command);
  return relative ? resolve(dirname(file), command) : command;
}

/** What KUBERNETES_EXEC_INFO tells the plug-in (pkg/apis/clientauthentication: ExecCredentialSpec and Cluster). */
function execInfo(exec: ExecEntry, cluster: ClusterEntry, ca: string | undefined): object {
  const { apiVersion, provideClusterInfo } = exec;
  const about = {
    server: cluster.server,
    "tls-server-name": cluster["tls-server-name"],
    "insecure-skip-tls-verify": cluster["insecure-skip-tls-verify"] || undefined,
    "certificate-authority-data": ca === undefined ? undefined : Buffer.from(ca).toString("base64"),
    "proxy-url": cluster["proxy-url"],
    "disable-compression": cluster["disable-compression"] || undefined,
    config: cluster.execConfig,
  };
  const spec = { interactive: false, ...(provideClusterInfo ? { cluster: about } : {}) };
  return { apiVersion, kind: "ExecCredential", spec };
}

/** The credentials in what a plug-in printed. Throws Errors that never quote it. */
export function parseExecCredential(text: string, apiVersion: string): Credentials {
  if (text.trim() === "") throw new Error("it printed nothing");
  const printed = tryJson(text);
  if (!isMapping(printed) || (printed.kind ?? "ExecCredential") !== "ExecCredential") {
    throw new Error("it printed no valid ExecCredential");
  }
  if ((printed.apiVersion ?? apiVersion) !== apiVersion) {
    throw new Error(`it printed an ExecCredential of another apiVersion than ${apiVersion}`);
  }
  const { status } = printed;
  if (!isMapping(status)) throw new Error("it printed an ExecCredential without a status");
  const token = textOf(status, "token");
  const cert = textOf(status, "clientCertificateData");
  const key = textOf(status, "clientKeyData");
  if ((cert === undefined) !== (key === undefined)) {
    throw new Error("it printed a client certificate or its key, but not both");
  }
  if (pairFault(cert, key) !== undefined) {
    throw new Error("it printed a client certificate and a key that do not belong together");
  }
  if (token === undefined && cert === undefined) {
    throw new Error("it printed neither a token nor a client certificate");
  }
  return { token, cert, key, expiresAt: expiryOf(status) };
}

function textOf(status: Mapping, name: string): string | undefined {
  const value = status[name] ?? "";
  if (typeof value !== "string") throw new Error(`it printed a ${name} that is no text`);
  return value === "" ? undefined : value;
}

function expiryOf(status: Mapping): number | undefined {
  const text = textOf(status, "expirationTimestamp");
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new Error("it printed an expirationTimestamp that is no time");
  return time;
}

function fault(exec: ExecEntry, selection: Selection, cause: unknown): ConfigError {
  const { user, userName, context } = selection;
  const who = `the plug-in ${exec.command} of user ${JSON.stringify(userName)} (context ${JSON.stringify(context)})`;
  const hint = exec.installHint === undefined ? "" : `; ${exec.installHint}`;
  const text = `${user.file}: ${who} gave no credentials: ${masked(messageOf(cause))}${hint}`;
  return new ConfigError(text); // with the cause it would be told twice
}
