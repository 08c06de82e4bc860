/** The commands that register a cluster or a node, with `{token}` where the value belongs (rancher: pkg/controllers/dashboard/clusterregistrationtoken). Pure. */

import type { ClusterRegistrationTokenStatus, EnvVar } from "@drover/crds";

/** What the commands depend on. */
export interface CommandInput {
  /** Setting server-url. */
  readonly serverUrl: string;
  /** SHA-256 of the CA bundle as agents compute it; empty for none. */
  readonly caChecksum: string;
  readonly cluster: string;
  /** For agents of the cluster. */
  readonly env: readonly EnvVar[];
}

/** Stands for the value, which is put in only for those who may read it. */
const token = "{token}";

type Commands = Omit<
  ClusterRegistrationTokenStatus,
  "token" | "tokenSecretName" | "expiresAt" | "gracePeriodExpiresAt"
>;

/** None until the server knows where it is reached. */
export function commandsOf({ serverUrl, caChecksum, cluster, env }: CommandInput): Commands {
  const server = originOf(serverUrl);
  if (server === undefined) return {};
  const manifestUrl = `${server}/v3/import/${token}_${cluster}.yaml`;
  const input = { server, caChecksum, env };
  return {
    manifestUrl,
    command: `kubectl apply -f ${manifestUrl}`,
    insecureCommand: `curl --insecure -sfL ${manifestUrl} | kubectl apply -f -`,
    nodeCommand: linux({ ...input, flags: "-fL" }),
    insecureNodeCommand: linux({ ...input, flags: "--insecure -fL" }),
    windowsNodeCommand: windows({ ...input, flags: "-fL" }),
    insecureWindowsNodeCommand: windows({ ...input, flags: "--insecure -fL" }),
  };
}

interface NodeInput {
  readonly server: string;
  readonly caChecksum: string;
  readonly env: readonly EnvVar[];
  /** Of curl. */
  readonly flags: string;
}

function linux({ server, caChecksum, env, flags }: NodeInput): string {
  const variables = assignments(env, (name, value) => `${name}="${escaped(value, "\\")}"`);
  const checksum = caChecksum === "" ? "" : ` --ca-checksum ${caChecksum}`;
  return [
    `${variables}curl ${flags} ${server}/system-agent-install.sh | sudo ${variables}sh -s -`,
    `--server ${server} --label 'cattle.io/os=linux' --token ${token}${checksum}`,
  ].join(" ");
}

function windows({ server, caChecksum, env, flags }: NodeInput): string {
  const variables = assignments(env, (name, value) => `$env:${name}="${escaped(value, "`")}";`);
  const checksum = caChecksum === "" ? "" : ` -CaChecksum ${caChecksum}`;
  return [
    `${variables}curl.exe ${flags} ${server}/wins-agent-install.ps1 -o install.ps1;`,
    "Set-ExecutionPolicy Bypass -Scope Process -Force;",
    `./install.ps1 -Server ${server} -Label 'cattle.io/os=windows' -Token ${token} -Worker${checksum}`,
  ].join(" ");
}

/** What a shell takes as the name of a variable; with anything else the command would be another one. */
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

function assignments(
  env: readonly EnvVar[],
  format: (name: string, value: string) => string,
): string {
  return env
    .flatMap(({ name = "", value = "" }) =>
      value !== "" && variableName.test(name) ? [`${format(name, value)} `] : [],
    )
    .join("");
}

/** Within double quotes, so that a value runs nothing: whoever pastes the command is root on the node. */
function escaped(value: string, mark: string): string {
  return value.replace(/["$`\\]/g, (each) =>
    each === "\\" && mark !== "\\" ? each : `${mark}${each}`,
  );
}

/** Without a path, as Rancher; undefined for what is no address. */
function originOf(serverUrl: string): string | undefined {
  const url = URL.parse(serverUrl);
  return url === null || !/^https?:$/.test(url.protocol) ? undefined : url.origin;
}
