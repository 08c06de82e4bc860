/** One path of the server: a handler with the caches that it reads. */

import { Declared, type InformerSource } from "../control/index.ts";
import { resourceName } from "../kube/index.ts";
import { type Phase, pathOf } from "./names.ts";
import type { Scope } from "./review/parse.ts";
import type { AnyWebhook } from "./webhook.ts";

/** A handler that can be asked. */
export interface Hook extends Scope {
  readonly path: string;
  readonly phase: Phase;
  readonly webhook: AnyWebhook;
  /** Begin to fill when they are asked for the first time. */
  readonly caches: LazyCaches;
}

/** What a handler reads; nothing is watched before somebody asks, since the kinds may still have to be installed. */
export class LazyCaches {
  readonly #open: () => Declared;
  #opened: Declared | undefined;

  constructor(open: () => Declared) {
    this.#open = open;
  }

  get opened(): Declared {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  release(): void {
    this.#opened?.release();
  }
}

/** What each webhook does; one may have both handlers. */
export function phasesOf(webhook: AnyWebhook): readonly Phase[] {
  const phases: Phase[] = [];
  if ("mutate" in webhook) phases.push("mutation");
  if ("validate" in webhook) phases.push("validation");
  return phases;
}

/** Throws a TypeError when two handlers would share a path. */
export function checkPaths(webhooks: readonly AnyWebhook[]): void {
  const known = new Set<string>();
  for (const webhook of webhooks) {
    for (const phase of phasesOf(webhook)) {
      const path = pathOf("", phase, webhook.kind);
      if (known.has(path)) {
        throw new TypeError(`${resourceName(webhook.kind)} has two handlers for ${phase}`);
      }
      known.add(path);
    }
  }
}

/** The hooks by their paths. */
export function openHooks(
  webhooks: readonly AnyWebhook[],
  prefix: string,
  informers: InformerSource,
): ReadonlyMap<string, Hook> {
  const hooks = webhooks.flatMap((webhook) => {
    const { kind, rules, reads = [] } = webhook;
    const subresources = new Set(rules.flatMap((rule) => rule.subresources ?? []));
    return phasesOf(webhook).map((phase): Hook => {
      const path = pathOf(prefix, phase, kind);
      const caches = new LazyCaches(() => Declared.reads(`webhook ${path}`, reads, informers));
      return { path, phase, webhook, kind, subresources, caches };
    });
  });
  return new Map(hooks.map((hook) => [hook.path, hook]));
}
