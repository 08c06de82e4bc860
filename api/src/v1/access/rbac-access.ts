import { type Caller, isSuperuser, keysOf, type Wish } from "@drover/platform";
import { type Informers, Latch, type Logger, messageOf } from "kopf-ts";
import { LRUCache } from "lru-cache";
import type { Access, AccessSets } from "./access.ts";
import { followRbac } from "./follow-rbac.ts";
import { grantsOf } from "./grants.ts";
import { type Bound, RbacGraph } from "./graph.ts";
import { everything, HeldAccess } from "./held-access.ts";
import { type RbacSources, rbacSources } from "./rbac-sources.ts";
import { Watched } from "./watched.ts";

/** What was worked out for a caller, and from what. */
interface Known {
  readonly access: HeldAccess;
  readonly subjects: readonly (Bound | undefined)[];
  /** The graph's revision when it was last found to be true. */
  checked: number;
}

/** Grants and namespaces in the rights that are kept, all together; some 50 to 100 bytes each. */
const mostHeld = 1_000_000;
/** Callers, and sets of rights, that are kept. */
const mostKept = 10_000;

/**
 * The rights of all callers in one cluster, from its roles and bindings (steve: pkg/accesscontrol). Guarantees: rights are what the API server's RBAC authorizer finds
 * in the same objects; a look-up costs the caller's groups while nothing of theirs changed, and the caller's own bindings when something did; a change costs the
 * subjects that it concerns. Equal rights share one object, whoever has them. Rights are behind by the time an event takes.
 */
export class RbacAccess implements AccessSets {
  readonly #informers: Informers;
  readonly #log: Logger;
  readonly #graph: RbacGraph;
  readonly #watched: Watched;
  readonly #known = new LRUCache<string, Known>({
    ...{ max: mostKept, maxSize: mostHeld },
    sizeCalculation: ({ access, subjects }) => access.weight + subjects.length,
  });
  readonly #shared = new LRUCache<string, HeldAccess>({
    ...{ max: mostKept, maxSize: mostHeld },
    sizeCalculation: ({ weight }) => weight,
  });
  readonly #filled = new Latch();

  constructor({ informers, log }: { readonly informers: Informers; readonly log: Logger }) {
    this.#informers = informers;
    this.#log = log;
    this.#watched = new Watched((caller) => this.of(caller).fingerprint, log);
    this.#graph = new RbacGraph((subject) => this.#watched.touch(subject));
  }

  /** Follows roles and bindings until the signal aborts. */
  start(signal: AbortSignal): void {
    const failed = (error: unknown): void => {
      if (!signal.aborted) this.#log.error("roles cannot be followed", { error: messageOf(error) });
    };
    followRbac(this.#informers, this.#graph, signal).then(() => this.#filled.open(), failed);
    signal.addEventListener("abort", () => this.#watched.dispose(), { once: true });
  }

  ready(signal: AbortSignal): Promise<void> {
    return this.#filled.wait(signal);
  }

  of(caller: Caller): Access {
    if (isSuperuser(caller)) return everything;
    const keys = keysOf(caller);
    const name = nameOf(keys);
    const known = this.#known.get(name);
    return known !== undefined && this.#isTrue(known, keys) ? known.access : this.#make(name, keys);
  }

  onChange(caller: Caller, listener: () => void): Disposable {
    if (isSuperuser(caller)) return { [Symbol.dispose]: () => undefined };
    const keys = keysOf(caller);
    return this.#watched.add({ name: nameOf(keys), keys, caller }, listener);
  }

  /** What grants a wish, as `rbacChains` reads it. */
  sourcesFor(wish: Wish): RbacSources {
    return rbacSources(this.#graph, wish);
  }

  #isTrue(known: Known, keys: readonly string[]): boolean {
    const { revision } = this.#graph;
    const { checked, subjects } = known;
    if (checked === revision) return true;
    const isSame = keys.every((key, index) => {
      const now = this.#graph.subject(key);
      return now === subjects[index] && (now === undefined || now.revision <= checked);
    });
    if (isSame) known.checked = revision;
    return isSame;
  }

  #make(name: string, keys: readonly string[]): Access {
    const subjects = keys.map((key) => this.#graph.subject(key));
    const grants = grantsOf(subjects, (role) => this.#graph.rulesOf(role));
    const access = this.#share(new HeldAccess(grants));
    this.#known.set(name, { access, subjects, checked: this.#graph.revision });
    return access;
  }

  /** With the answers that were worked out for others with the same rights. */
  #share(made: HeldAccess): HeldAccess {
    const known = this.#shared.get(made.fingerprint);
    if (known !== undefined) return known;
    this.#shared.set(made.fingerprint, made);
    return made;
  }
}

/** In order: groups may come in any. */
function nameOf(keys: readonly string[]): string {
  return JSON.stringify(keys);
}
