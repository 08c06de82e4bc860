/** Makes the objects of a set be what a reconciler wants. */

import {
  type Client,
  isConflict,
  type Kind,
  type KubeObject,
  type ObjectRef,
  resourceName,
} from "../kube/index.ts";
import { ApplyError, type ApplyFailure, nameOf } from "./apply-error.ts";
import {
  dress,
  groupByKind,
  inAnyVersion,
  isOf,
  isSameKind,
  type OwnerReferenceMode,
} from "./desired.ts";
import { claimOf, marksOf } from "./marks.ts";
import { type MemberCache, type Members, membersInCache, membersOnServer } from "./members.ts";
import { waves } from "./order.ts";
import { decide, type Plan, plan, type Sending, type WantedSet } from "./plan.ts";
import type { ApplyReport } from "./report.ts";

/** Options of applySet. */
export interface ApplySetOptions {
  /** Whom the set belongs to; its members carry its name, and a reference to it where scopes allow one. */
  readonly owner?: ObjectRef;
  /**
   * Tells apart several sets of one owner; the field manager unless told. Another one makes another set, which knows nothing of the first. A
   * controller that watches the hub has another set in each cluster by itself.
   */
  readonly id?: string;
  /** The client's own unless told, which in a reconciler is its controller's; a TypeError where neither names one. */
  readonly fieldManager?: string;
  /** Kinds that the set may contain, now or ever: members of these kinds that are no longer wanted, in any version, are deleted. */
  readonly prune: readonly Kind[];
  /** Kinds that the set may contain and that are never deleted, not even where `prune` names them. */
  readonly keep?: readonly Kind[];
  /** The cache of a kind; without one the kind's members are listed. The caches need the index `setIndex`. */
  readonly caches?: (kind: Kind) => MemberCache | undefined;
  /** "controller" unless told, "none" where the owner is in the hub and the object in one of its clusters. */
  readonly ownerReference?: OwnerReferenceMode;
  /** Whether an object of a wanted name that bears no marks becomes a member; any does unless told. One that does not is a failure with `stranger`. */
  readonly adopts?: (live: KubeObject) => boolean;
  /** Takes over fields that other managers own; true unless told. */
  readonly force?: boolean;
  /** Requests at once; 8 unless told. */
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
}

/**
 * Server-side applies each object and deletes members of the set that are not among them.
 *
 * Guarantees: nothing is sent for an object that is as it should be; a field of ours that somebody changed is put back, and a field that
 * left the object is removed; only objects that bear this set's marks are deleted, as the cache saw them (uid and resourceVersion) or
 * after a live read, and never by a cache that is not in touch with its server; an object of another set is not touched; one failure
 * stops nothing else, and all are thrown together as an ApplyError; Namespaces, CustomResourceDefinitions and RBAC go first.
 *
 * Caveats: an existing object without marks is adopted unless `adopts` says no, and from then on is a member like any other. What a cache does not show yet is
 * judged when the server tells of a conflict; an object that agrees with ours in all that both set is adopted unseen. Of two sets that create one object
 * at the same moment under one field manager, the later has it. Fields that others set beside ours stay. Objects are only recreated after their deletion is finished (`terminating`).
 */
export async function applySet(
  client: Client,
  objects: readonly KubeObject[],
  options: ApplySetOptions,
): Promise<ApplyReport> {
  const fieldManager = managerOf(client, options);
  const { owner, prune, keep = [], id = fieldManager } = options;
  const marks = marksOf({ id, owner, scope: client.sets?.scope });
  const reference = client.sets?.ownersElsewhere === true ? "none" : "controller";
  const dressing = { marks, owner, ownerReference: options.ownerReference ?? reference };
  const groups = groupByKind(objects, [...prune, ...keep]);
  const kept = new Set(objects.map(inAnyVersion));
  const prunes = (kind: Kind): boolean =>
    prune.some((each) => isSameKind(each, kind)) && !keep.some((each) => isSameKind(each, kind));
  const set = { hash: marks.hash, adopts: options.adopts ?? anything };
  const run = new Run(client, { ...options, fieldManager }, set);

  const plans = await Promise.all(
    [...groups].map(async ([kind, wanted]) => {
      const view = await run.view(kind);
      if (view === undefined) return [];
      const dressed = wanted.map((object) => dress(object, dressing));
      return [plan({ wanted: dressed, kept, view, set, prune: prunes(kind) })];
    }),
  );
  await run.carryOut(plans.flat());
  return run.end();
}

type Outcome = { -readonly [K in keyof ApplyReport]: ApplyReport[K][number][] };

type RunOptions = ApplySetOptions & { readonly fieldManager: string };

/** One call of applySet: what it does, and what came of it. */
class Run {
  readonly #client: Client;
  readonly #options: RunOptions;
  readonly #set: WantedSet;
  readonly #failures: ApplyFailure[] = [];
  readonly #outcome: Outcome = {
    created: [],
    changed: [],
    unchanged: [],
    pruned: [],
    terminating: [],
  };

  constructor(client: Client, options: RunOptions, set: WantedSet) {
    this.#client = client;
    this.#options = options;
    this.#set = set;
  }

  async view(kind: Kind): Promise<Members | undefined> {
    const cache = this.#options.caches?.(kind);
    if (cache !== undefined) return membersInCache(kind, cache, this.#set.hash);
    let view: Members | undefined;
    await this.#attempt("list", resourceName(kind), async () => {
      view = await membersOnServer(this.#client, kind, this.#set.hash, this.#options.signal);
    });
    return view;
  }

  async carryOut(plans: readonly Plan[]): Promise<void> {
    this.#failures.push(...plans.flatMap(({ failures }) => failures));
    this.#outcome.unchanged.push(...plans.flatMap(({ unchanged }) => unchanged));
    this.#outcome.terminating.push(...plans.flatMap(({ terminating }) => terminating));

    const sendings = plans.flatMap(({ send }) => send);
    for (const wave of waves(sendings, ({ object }) => object.kind)) {
      await this.#each(wave, (sending) =>
        this.#attempt("apply", nameOf(sending.object), () => this.#send(sending)),
      );
    }
    const leaving = eachOnce(plans.flatMap(({ prune }) => prune));
    for (const wave of waves(leaving, ({ kind }) => kind).toReversed()) {
      await this.#each(wave, (member) =>
        this.#attempt("prune", nameOf(member), () => this.#prune(member)),
      );
    }
  }

  end(): ApplyReport {
    if (this.#failures.length > 0) throw new ApplyError(this.#failures, this.#outcome);
    return this.#outcome;
  }

  /** Only upon what is known to be nobody else's; where the view may be wrong about that, the server is asked. */
  async #send(sending: Sending): Promise<void> {
    const { live, view } = sending;
    if (live === undefined && !view.complete) return this.#meet(sending);
    try {
      await this.#apply(sending);
    } catch (error) {
      if (!isConflict(error) || isOurs(live, this.#set.hash)) throw error;
      await this.#meet(sending);
    }
  }

  /** Decides anew by a live read. */
  async #meet({ object, view }: Sending): Promise<void> {
    const { name, namespace } = object.metadata;
    const live = await this.#client.find(view.kind, name, { namespace, ...this.#signal() });
    const decision = decide(object, this.#set, { ...view, get: () => live });
    if (decision.do === "refuse") this.#failures.push(decision.failure);
    else if (decision.do === "wait") this.#outcome.terminating.push(decision.live);
    else if (decision.do === "leave") this.#outcome.unchanged.push(decision.live);
    else await this.#apply(decision);
  }

  /**
   * What is not there is applied without force, so that fields of somebody who was faster are a conflict; what nobody claims, in the version
   * that nobody claimed.
   */
  async #apply({ object, live, view }: Sending): Promise<void> {
    const { fieldManager, force = true } = this.#options;
    const sent =
      live === undefined || isOurs(live, this.#set.hash) ? object : inVersionOf(live, object);
    const options = { fieldManager, force: force && live !== undefined, ...this.#signal() };
    const answer = await this.#client.apply(sent, options);
    view.forms.learn(object, answer);
    const { resourceVersion } = answer.metadata;
    if (live === undefined) this.#outcome.created.push(answer);
    else if (live.metadata.resourceVersion === resourceVersion)
      this.#outcome.unchanged.push(answer);
    else this.#outcome.changed.push(answer);
  }

  async #prune(member: KubeObject): Promise<void> {
    const ref = refOf(member);
    const deleted = await this.#delete(ref).catch(async (error: unknown) => {
      if (!isConflict(error)) throw error;
      const live = await this.#stillMember(member);
      return live !== undefined && this.#delete(refOf(live));
    });
    if (deleted) this.#outcome.pruned.push(ref);
  }

  /** The cache was behind: the object as it is now, if it still is the one and still ours. */
  async #stillMember(member: KubeObject): Promise<KubeObject | undefined> {
    const kinds = this.#options.prune;
    const kind = kinds.find((each) => isOf(each, member));
    if (kind === undefined) return undefined;
    const { name, namespace, uid } = member.metadata;
    const live = await this.#client.find(kind, name, { namespace, ...this.#signal() });
    if (live === undefined || live.metadata.uid !== uid) return undefined;
    return claimOf(live) === this.#set.hash && live.metadata.deletionTimestamp === undefined
      ? live
      : undefined;
  }

  #delete(ref: ObjectRef): Promise<boolean> {
    return this.#client.delete(ref, { propagationPolicy: "Background", ...this.#signal() });
  }

  async #attempt(
    verb: ApplyFailure["verb"],
    what: string,
    act: () => Promise<void>,
  ): Promise<void> {
    this.#options.signal?.throwIfAborted();
    try {
      await act();
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      this.#failures.push({ verb, what, error });
    }
  }

  /** Works on all items, so many at once; whatever happens, nothing is on its way any more when it ends. */
  async #each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    const rest = items.values();
    const worker = async (): Promise<void> => {
      for (const item of rest) await work(item);
    };
    const { concurrency = 8 } = this.#options;
    const workers = Array.from({ length: Math.min(concurrency, items.length) }, worker);
    for (const ended of await Promise.allSettled(workers)) {
      if (ended.status === "rejected") throw ended.reason;
    }
  }

  #signal(): { readonly signal?: AbortSignal } {
    const { signal } = this.#options;
    return signal === undefined ? {} : { signal };
  }
}

function anything(): boolean {
  return true;
}

function managerOf(
  client: Client,
  { fieldManager = client.fieldManager }: ApplySetOptions,
): string {
  if (fieldManager !== undefined) return fieldManager;
  throw new TypeError("applySet needs a fieldManager, since this client has none of its own");
}

function isOurs(live: KubeObject | undefined, hash: string): boolean {
  return live !== undefined && claimOf(live) === hash;
}

/** The object with a resourceVersion, which makes the server refuse it (409) when the stored one has another. */
function inVersionOf(
  { metadata: { resourceVersion } }: KubeObject,
  object: KubeObject,
): KubeObject {
  const metadata = {
    ...object.metadata,
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  return { ...object, metadata };
}

/** Two versions of a kind show the same objects. */
function eachOnce(objects: readonly KubeObject[]): readonly KubeObject[] {
  return [...new Map(objects.map((object) => [inAnyVersion(object), object])).values()];
}

function refOf({ apiVersion, kind, metadata }: KubeObject): ObjectRef {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
  };
}
