/** What the names of an agent's credentials are, and how one set is told from another. Pure. */

import { createHash } from "node:crypto";
import { agentNames } from "@drover/crds";
import type { AgentInput } from "./input.ts";

/** The name of the Secret with what the agent connects with: other contents, another Secret. */
export function credentialsName({
  serverUrl,
  token,
  cluster,
}: Pick<AgentInput, "serverUrl" | "token" | "cluster">): string {
  const text = `${serverUrl}.${token.reveal()}.${cluster}`;
  return agentNames.credentials(shortHash(text));
}

/** By which a Cluster remembers the token that its agent has. */
export function tokenHash({ token }: Pick<AgentInput, "token">): string {
  return shortHash(token.reveal());
}

/** By which a Cluster remembers the pull Secrets that its agent has; empty for none. */
export function pullSecretsHash({ pullSecrets }: Pick<AgentInput, "pullSecrets">): string {
  const texts = pullSecrets.map(({ name, dockerConfigJson }) => `${name}.${dockerConfigJson}`);
  return texts.length === 0 ? "" : shortHash(texts.toSorted().join("\n"));
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 10);
}
