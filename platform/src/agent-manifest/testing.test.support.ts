import { aCluster } from "@drover/crds/testing";
import { type SettingName, settings } from "../settings/index.ts";
import { Confidential } from "../tokens/confidential.ts";
import type { AgentFacts } from "./input.ts";

/** Settings as they are by default, but for these. */
export function settingsWith(
  changes: Partial<Record<SettingName, string>> = {},
): AgentFacts["settings"] {
  return { text: (name) => changes[name] ?? settings[name].default };
}

/** Facts about a cluster c-1 that wants nothing special. */
export function factsWith(changes: Partial<AgentFacts> = {}): AgentFacts {
  return {
    cluster: aCluster({ metadata: { name: "c-1" } }),
    settings: settingsWith({ "server-url": "https://drover.test", "install-uuid": "uuid-1" }),
    token: new Confidential("secret-value"),
    taints: [],
    ...changes,
  };
}
