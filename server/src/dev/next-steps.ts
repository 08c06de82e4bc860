import { join, relative } from "node:path";

/** Where everything is. */
export interface Places {
  readonly url: string;
  readonly kubeconfig: string;
  /** The folder of the control plane's state; none when the cluster is the user's own. */
  readonly dir: string | undefined;
  /** The file with the first admin's generated password, if it was kept. */
  readonly password?: string | undefined;
}

/** For a password that was given, or is kept nowhere else. */
const fromSecret =
  "kubectl get secret -n cattle-system bootstrap-secret -o go-template='{{.data.bootstrapPassword | base64decode}}'";

/** What a person can try now, as lines to paste. */
export function nextSteps({ url, kubeconfig, dir, password }: Places): string {
  const samples = relative(process.cwd(), join(import.meta.dirname, "../../../config/samples"));
  const lines = [
    `export KUBECONFIG=${quoted(kubeconfig)}`,
    ...(dir === undefined
      ? []
      : [`export PATH=${quoted(join(dir, "bin"))}:$PATH   # kubectl, if you have none`]),
    `kubectl apply --server-side --force-conflicts -f ${quoted(samples)}`,
    "kubectl get tokens.management.cattle.io --watch   # token-ten-seconds goes after 10 s",
    "kubectl get events --field-selector reason=TokenExpired",
    `${password === undefined ? fromSecret : `cat ${quoted(password)}`}   # first password of user admin`,
  ];
  const end =
    dir === undefined
      ? "Ctrl-C ends it; the cluster keeps what it has."
      : `Logs of the control plane are in ${join(dir, "logs")}. Ctrl-C ends everything and keeps the data.`;
  return `\ndrover is ready: ${url}/readyz\n\n${lines.map((line) => `  ${line}\n`).join("")}\n${end}\n\n`;
}

/** As a shell reads it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
