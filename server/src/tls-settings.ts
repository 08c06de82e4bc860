/** Has the listener speak the TLS that settings say, as soon as they say it. */

import { type Listener, type Tls, type TlsRules, tlsOf } from "@drover/api";
import { Setting } from "@drover/crds";
import { type Environment, type LiveSettings, liveSettings, namesIn } from "@drover/platform";
import type { Informers, Logger, Task } from "kopf-ts";
import { aborted } from "kopf-ts/base";

/** What it works with. */
export interface TlsSettingsParts {
  readonly listener: Pick<Listener, "speak">;
  readonly env: Environment;
  /** Of the operator that runs the task; asked for when it does. */
  readonly informers: () => Pick<Informers, "acquire">;
}

/** Until the settings are known: what the environment says of them, which comes first then too. */
export function tlsOfEnvironment(env: Environment): Tls {
  return tlsOf(rulesOf(liveSettings({ get: () => undefined }, env))).tls;
}

/** Follows settings `tls-min-version` and `tls-ciphers` on each replica; what they name that is not known here is warned of, and passed over. */
export function tlsSettings({ listener, env, informers }: TlsSettingsParts): Task {
  return {
    name: "tls-settings",
    on: "everywhere",
    run: async ({ log, signal }) => {
      using stack = new DisposableStack();
      const shared = informers().acquire(Setting);
      stack.defer(() => shared.release());
      await shared.whenSynced(signal);
      const settings = liveSettings(shared.cache, env);
      let followed = "";
      const follow = (): void => {
        const rules = rulesOf(settings);
        const now = JSON.stringify(rules);
        if (now === followed) return;
        followed = now;
        speak(rules, listener, log);
      };
      stack.use(shared.cache.subscribe(follow));
      follow();
      await aborted(signal);
    },
  };
}

function rulesOf(settings: LiveSettings): TlsRules {
  return {
    minVersion: settings.text("tls-min-version"),
    ciphers: namesIn(settings.text("tls-ciphers")),
  };
}

function speak(rules: TlsRules, listener: TlsSettingsParts["listener"], log: Logger): void {
  const { tls, unknown } = tlsOf(rules);
  if (unknown.length > 0) {
    const names = unknown.join(", ");
    log.warn("settings tls-min-version and tls-ciphers name what is not known", { names });
  }
  listener.speak(tls);
  log.info("speaking TLS", { ...tls });
}
