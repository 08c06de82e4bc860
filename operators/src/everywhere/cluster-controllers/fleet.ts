import { annotations } from "@drover/crds";
import {
  isReachable,
  legacyOwner,
  type Reachable,
  rendezvousOwner,
  userAgent,
} from "@drover/platform";
import {
  type Client,
  type ClusterSet,
  type ClusterSource,
  type ClusterState,
  connect,
  hubSource,
  type Logger,
  type Metrics,
  silentLogger,
  TemporaryError,
} from "kopf-ts";
import { never } from "kopf-ts/base";
import type { Members } from "kopf-ts/election";
import { type Facts, isEngageable, takesFrom } from "./facts.ts";
import { clustersMetric } from "./names.ts";
import { type Phase, Phases } from "./phases.ts";
import { identityOf } from "./probe.ts";
import { StartQueue } from "./start-queue.ts";

/** What a fleet works with. */
export interface FleetOptions {
  /** Of the server's own cluster. */
  readonly hub: Client;
  /** The replicas that share the clusters; without them this one works for all. */
  readonly members?: Pick<Members, "id" | "ids" | "isMember" | "onChange">;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

/** What administrators choose. */
export interface FleetRules {
  /** How many clusters begin at once. */
  readonly startCount: number;
  /** Whether owners follow from rendezvous hashing, else from Rancher's former hash. */
  readonly consistentHashing: boolean;
}

/** A cluster, and what this replica does about it. */
interface Entry {
  facts: Facts;
  /** How to engage it as it is reached now; another one as soon as that changes. */
  source: ClusterSource | undefined;
  /** For questions about health and identity, apart from what controllers ask. */
  client: Client | undefined;
  /** The uid of kube-system that was last seen. */
  seen: string | undefined;
  /** Who answers: the right one, another one, or not known since it was last silent. */
  standing: "unknown" | "right" | "other";
  /** It is being removed: never engaged again. */
  isRetired: boolean;
  /** Whose it is, and by which members and rule that was found: to find out costs some microseconds, and each write asks. */
  share: Share | undefined;
}

/** Whether a cluster falls to this replica. */
interface Share {
  readonly ids: readonly string[];
  readonly consistentHashing: boolean;
  readonly isOurs: boolean;
}

/** Thrown when another cluster answers than the one that it was. */
export class OtherCluster extends Error {
  override readonly name = "OtherCluster";
}

/**
 * The clusters of a server, and which of them this replica works for. Guarantees: a cluster is engaged only while it can be reached, belongs to this
 * replica and is the one that it was; no more than `startCount` begin at once, and one that fails or hangs gives its place to the next; other
 * members are followed at once. Writes of clusters' controllers ask `beforeWrite`.
 */
export class Fleet implements AsyncDisposable {
  readonly #hub: Client;
  readonly #members: FleetOptions["members"];
  readonly #log: Logger;
  /** Told by the metric. */
  readonly #phases: Phases;
  readonly #entries = new Map<string, Entry>();
  readonly #starts: StartQueue<ClusterSource>;
  readonly #subscriptions: Disposable[] = [];
  #rules: FleetRules = { startCount: 50, consistentHashing: true };
  #set: ClusterSet | undefined;
  #hubIdentity: string | undefined;
  #isDisposed = false;

  constructor({ hub, members, logger = silentLogger, metrics }: FleetOptions) {
    this.#hub = hub;
    this.#members = members;
    this.#log = logger.child({ controller: "cluster-controllers" });
    this.#phases = new Phases(metrics?.gauge(clustersMetric));
    this.#starts = new StartQueue((name, source) => this.#begin(name, source));
  }

  /** Begins to engage what belongs to this replica in a set, which the fleet disposes. */
  use(set: ClusterSet): void {
    this.#set = set;
    this.#subscriptions.push(set.onChange((name, state) => this.#onState(name, state)));
    const members = this.#members?.onChange(() => this.#decideAll());
    if (members !== undefined) this.#subscriptions.push(members);
    this.#decideAll();
  }

  /** Takes in what is known of a cluster now. */
  learn(facts: Facts, rules: FleetRules): void {
    if (this.#isDisposed) return;
    const changed = rules.consistentHashing !== this.#rules.consistentHashing;
    this.#rules = rules;
    this.#starts.limit = rules.startCount;
    const known = this.#entries.get(facts.name);
    const entry = known?.facts.uid === facts.uid ? known : this.#replace(facts);
    if (known === entry) this.#update(entry, facts);
    if (changed) this.#decideAll();
    else this.#decide(facts.name);
  }

  /** The cluster is no more. */
  forget(name: string): void {
    void this.#close(this.#entries.get(name)?.client);
    this.#entries.delete(name);
    this.#decide(name);
  }

  /** Ends the cluster's controllers for good; resolves when nothing of them is left. */
  async retire(name: string): Promise<void> {
    const entry = this.#entries.get(name);
    if (entry !== undefined) entry.isRetired = true;
    this.#starts.drop(name);
    await this.#set?.disengage(name);
  }

  /** Whether this replica works for the cluster; false until it knows who else could, and from when another may have taken it over, as after a standstill. */
  owns(name: string): boolean {
    const entry = this.#entries.get(name);
    if (entry === undefined || this.#members?.isMember === false) return false;
    return this.#isOwner(entry);
  }

  /** Whether it is known who else could work for clusters. */
  get knowsMembers(): boolean {
    return this.#members === undefined || this.#members.ids.length > 0;
  }

  /** What to ask the cluster about itself with; undefined while it cannot be reached. */
  clientOf(name: string): Client | undefined {
    return this.#entries.get(name)?.client;
  }

  /** How far the cluster is; undefined while this replica does nothing about it. */
  stateOf(name: string): ClusterState | undefined {
    return this.#set?.state(name);
  }

  /**
   * Takes in who answered as the cluster. Throws OtherCluster when that is not the one that it was, or is the server's own; its controllers are stopped
   * then, and begun again once the right one answers or a person has said that this one is right.
   */
  async identify(name: string, seen: string | undefined): Promise<void> {
    const entry = this.#entries.get(name);
    if (entry === undefined || entry.facts.isInternal) return;
    this.#hubIdentity ??= await identityOf(this.#hub, never);
    entry.seen = seen;
    this.#judge(entry);
    this.#decide(name);
    if (entry.standing !== "right") throw new OtherCluster(this.#otherMessage(entry));
  }

  /** Throws unless this replica may write for the cluster now. */
  readonly beforeWrite = (name: string): void => {
    const entry = this.#entries.get(name);
    if (entry === undefined || entry.isRetired) throw refusal(name, "is no longer managed");
    if (!this.#isOwner(entry)) throw refusal(name, "belongs to another replica");
    if (this.#members !== undefined && !this.#members.isMember) {
      throw refusal(name, "may belong to another replica: the lease of this one was not renewed");
    }
    if (!entry.facts.isInternal && entry.standing !== "right") {
      throw refusal(name, "was silent, and may be another one now");
    }
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    for (const each of this.#subscriptions) each[Symbol.dispose]();
    await this.#set?.[Symbol.asyncDispose]();
    const clients = [...this.#entries.values()].map(({ client }) => this.#close(client));
    this.#entries.clear();
    await Promise.all(clients);
  }

  #replace(facts: Facts): Entry {
    void this.#close(this.#entries.get(facts.name)?.client);
    const none = { source: undefined, client: undefined, seen: undefined };
    const entry: Entry = {
      facts,
      ...none,
      standing: "unknown",
      isRetired: false,
      share: undefined,
    };
    this.#entries.set(facts.name, entry);
    this.#connect(entry);
    return entry;
  }

  #update(entry: Entry, facts: Facts): void {
    const former = entry.facts;
    entry.facts = facts;
    if (markOf(former) !== markOf(facts)) this.#connect(entry);
    else if (former.identity !== facts.identity) this.#judge(entry); // a person has spoken, or we have
  }

  #judge(entry: Entry): void {
    const { seen, facts } = entry;
    if (seen === undefined) return;
    const isRight = seen === (facts.identity ?? seen) && seen !== this.#hubIdentity;
    entry.standing = isRight && this.#twinOf(entry) === undefined ? "right" : "other";
  }

  /** The cluster as which the one that answered is managed already. */
  #twinOf({ seen, facts }: Entry): string | undefined {
    if (seen === undefined) return undefined;
    for (const [name, other] of this.#entries) {
      if (takesFrom(other.facts, facts, seen)) return name;
    }
    return undefined;
  }

  #otherMessage(entry: Entry): string {
    const { seen, facts } = entry;
    const twin = this.#twinOf(entry);
    if (twin !== undefined && seen !== this.#hubIdentity) {
      return `the API server is that of cluster ${twin}, which is managed already; delete one of the two`;
    }
    if (seen === this.#hubIdentity) {
      return "the API server is that of the server's own cluster, which is managed as `local`; delete this Cluster";
    }
    return `the API server is that of another cluster: the uid of its namespace kube-system is ${seen}, not ${facts.identity}. Nothing is written to it. If it is the right one, set annotation ${annotations.clusterUid} to ${seen}`;
  }

  /** Another way, or the first one. */
  #connect(entry: Entry): void {
    void this.#close(entry.client);
    const { way, isInternal } = entry.facts;
    entry.standing = "unknown";
    entry.seen = undefined;
    entry.client = entry.source = undefined;
    if (isInternal) {
      entry.client = this.#hub;
      entry.source = hubSource;
    } else if (isReachable(way)) {
      entry.client = connect(way.config, { userAgent, maxConnections: 2, logger: this.#log });
      entry.source = this.#sourceOf(entry, way, entry.client);
    }
  }

  /** Who answers is looked at before controllers begin, at each attempt. */
  #sourceOf({ facts: { name } }: Entry, { config }: Reachable, client: Client): ClusterSource {
    return async (signal) => {
      await this.identify(name, await identityOf(client, signal));
      return config;
    };
  }

  async #close(client: Client | undefined): Promise<void> {
    if (client !== undefined && client !== this.#hub) await client[Symbol.asyncDispose]();
  }

  #isOwner(entry: Entry): boolean {
    if (this.#members === undefined) return true;
    const { id, ids } = this.#members;
    const { consistentHashing } = this.#rules;
    const { share } = entry;
    if (share?.ids === ids && share.consistentHashing === consistentHashing) return share.isOurs;
    const owner = consistentHashing ? rendezvousOwner : legacyOwner;
    const isOurs = owner(ids, entry.facts.uid) === id;
    entry.share = { ids, consistentHashing, isOurs };
    return isOurs;
  }

  #decideAll(): void {
    for (const name of this.#entries.keys()) this.#decide(name);
  }

  /** Engages what is to be engaged, and lets go of what is not. */
  #decide(name: string): void {
    if (this.#set === undefined) return;
    const source = this.#wanted(name);
    if (source === undefined) {
      this.#starts.drop(name);
      void this.#set.disengage(name);
    } else this.#starts.add(name, source);
    this.#count(name);
  }

  #wanted(name: string): ClusterSource | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined || entry.isRetired || entry.facts.isDeleted) return undefined;
    if (!isEngageable(entry.facts) || !this.#isOwner(entry)) return undefined;
    return entry.standing === "other" ? undefined : entry.source;
  }

  #begin(name: string, source: ClusterSource): void {
    this.#set?.engage(name, source).then(
      () => this.#starts.done(name),
      () => undefined, // disengaged, or replaced by one that has begun since
    );
  }

  #onState(name: string, state: ClusterState | undefined): void {
    if (state?.phase !== "engaging" || state.reason !== undefined) this.#starts.done(name);
    const entry = this.#entries.get(name);
    if (entry !== undefined && state?.phase === "unreachable") entry.standing = "unknown";
    if (entry?.standing === "unknown" && state?.phase === "ready") this.#verify(entry);
    this.#count(name);
  }

  /** It answers again: its controllers may go on as soon as it is known to be the same. */
  #verify({ facts: { name }, client }: Entry): void {
    if (client === undefined) return;
    void identityOf(client, never)
      .then((seen) => this.identify(name, seen))
      .catch((error: unknown) =>
        this.#log.debug("cannot tell who answers", { cluster: name, error }),
      );
  }

  /** Costs the same however many there are: it follows every change of each. */
  #count(name: string): void {
    const entry = this.#entries.get(name);
    this.#phases.set(name, entry === undefined ? undefined : this.#phaseOf(entry));
  }

  #phaseOf(entry: Entry): Phase {
    const { name } = entry.facts;
    const state = this.#set?.state(name);
    if (state !== undefined) return state.phase;
    return this.#isOwner(entry) ? "waiting" : "elsewhere";
  }
}

function refusal(name: string, why: string): TemporaryError {
  return new TemporaryError(`cluster ${name} ${why}`, { shared: true });
}

function markOf({ way, isInternal }: Facts): string {
  return isInternal ? "internal" : isReachable(way) ? way.mark : "";
}
