/** How long tokens live, from settings. */

import type { LiveSettings } from "../settings/index.ts";
import type { TtlLimits } from "./ttl.ts";

/** The limits for a kind of token now (rancher: pkg/auth/tokens/manager.go, pkg/settings). A session has its own; a kubeconfig obeys both maxima. */
export function ttlLimits(kind: string, settings: Pick<LiveSettings, "milliseconds">): TtlLimits {
  const of = (name: Parameters<LiveSettings["milliseconds"]>[0]): number =>
    settings.milliseconds(name) ?? 0;
  const maximum = of("auth-token-max-ttl-minutes");
  if (kind === "session") {
    const standard = of("auth-user-session-ttl-minutes");
    return { standard, maximum: standard };
  }
  if (kind !== "kubeconfig") return { standard: of("auth-token-default-ttl-minutes"), maximum };
  return {
    standard: of("kubeconfig-default-token-ttl-minutes"),
    maximum: lower(maximum, of("kubeconfig-max-token-ttl-minutes")),
  };
}

/** How long a session may be idle now; 0 for ever. */
export function idleTtl(settings: Pick<LiveSettings, "milliseconds">): number {
  return settings.milliseconds("auth-user-session-idle-ttl-minutes") ?? 0;
}

/** 0 or less is no limit. */
function lower(one: number, other: number): number {
  if (one <= 0) return other;
  return other <= 0 ? one : Math.min(one, other);
}
