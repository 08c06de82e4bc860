import {
  type Clock,
  type Logger,
  messageOf,
  silentLogger,
  systemClock,
  TemporaryError,
} from "../base/index.ts";
import type { Client, RequestOptions } from "../kube/index.ts";
import { type ScannedObject, Watch, type WatchSink } from "../watch/index.ts";
import { instantOf } from "./leadership.ts";
import { heldLease, Lease, type LeaseObject, microTime, type Term } from "./lease.ts";
import { LeaseClient } from "./lease-client.ts";
import {
  checkedMembersTiming,
  defaultMemberId,
  type MembersOptions,
  type MembersTiming,
  membersLabel,
} from "./members-options.ts";
import { Nap } from "./nap.ts";
import { type Peer, Peers } from "./peers.ts";

/** Told the ids of all members, in order, whenever they are others than before. */
export type MembersListener = (ids: readonly string[]) => void;

/**
 * Who else of a group of processes is alive: each keeps a Lease of its own and watches those of the others. Guarantees: a member counts as gone
 * only after nobody renewed its lease for its whole duration, by the clock of who looks, and after a live read has shown the same; who says so
 * deletes the lease, so that all agree. A member that stops cleanly is gone at once. A steady group costs one request per member and
 * `renewPeriod`, and a watch each.
 *
 * `ids` is what one last knew: while the API server is away nobody can take over anything, so nothing changes. Whether others may count us as
 * gone, `isMember` tells by the clock; it is to be asked before each write that only one may do.
 */
export class Members {
  readonly id: string;
  readonly #client: Client;
  readonly #namespace: string;
  readonly #group: string;
  readonly #leases: LeaseClient;
  readonly #timing: Required<MembersTiming>;
  readonly #releaseTimeout: number;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #peers: Peers;
  readonly #nap: Nap;
  readonly #listeners = new Set<MembersListener>();
  #own: LeaseObject | undefined;
  #renewed: ReturnType<typeof instantOf> | undefined;
  #nextRenewal = Number.NEGATIVE_INFINITY;
  /** When it is worth to ask about doubtful ones again. */
  #nextLook = Number.NEGATIVE_INFINITY;
  #isListed = false;
  #failed = false;
  #told: readonly string[] = [];
  #running = false;

  /** Throws a TypeError unless leaseDuration > renewDeadline > renewPeriod > 0. */
  constructor(client: Client, options: MembersOptions) {
    const { namespace, group, clock = systemClock, logger = silentLogger } = options;
    this.id = options.id ?? defaultMemberId();
    this.#client = client;
    this.#namespace = namespace;
    this.#group = group;
    this.#leases = new LeaseClient(client, { namespace, name: `${group}-${this.id}` });
    this.#timing = checkedMembersTiming(options);
    this.#releaseTimeout = options.releaseTimeout ?? 5000;
    this.#clock = clock;
    this.#log = logger.child({ group, member: this.id });
    this.#peers = new Peers(this.#timing.leaseDuration);
    this.#nap = new Nap(clock);
  }

  /** The members that are alive as far as this process knows, itself among them, in order; empty until it knows. */
  get ids(): readonly string[] {
    return this.#told;
  }

  /** Whether the others surely count this process in; by the clock, so also right after it was stopped or stuck. */
  get isMember(): boolean {
    if (this.#renewed === undefined) return false;
    const { monotonic, wall } = this.#renewed;
    const { renewDeadline } = this.#timing;
    const now = instantOf(this.#clock);
    return now.monotonic - monotonic < renewDeadline && now.wall - wall < renewDeadline;
  }

  /** Calls the listener with the ids whenever they change, until the result is disposed. */
  onChange(listener: MembersListener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  /** Is a member until the signal aborts, then takes its lease away; rejects only when it runs already. What fails is logged and tried again. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#running) throw new Error("these members run already");
    this.#running = true;
    const over = new AbortController();
    const following = this.#follow(over.signal);
    const term = this.#newTerm();
    while (!signal.aborted) {
      await this.#renewWhenDue(term, signal);
      await this.#lookAfterOthers(signal);
      this.#tell();
      await this.#nap.sleep(this.#untilNext(), signal);
    }
    over.abort(new DOMException("the member leaves", "AbortError"));
    await following;
    await this.#leave();
    this.#running = false;
  }

  #newTerm(): Term {
    const { leaseDuration } = this.#timing;
    const acquireTime = microTime(this.#clock.now());
    return { identity: this.id, leaseDuration, acquireTime, transitions: 0 };
  }

  #untilNext(): number {
    const now = this.#clock.monotonic();
    const left = Math.max(this.#peers.timeLeft(now), this.#nextLook - now);
    return Math.max(0, Math.min(this.#nextRenewal - now, left));
  }

  async #renewWhenDue(term: Term, signal: AbortSignal): Promise<void> {
    if (this.#clock.monotonic() < this.#nextRenewal) return;
    const { renewPeriod, retryPeriod } = this.#timing;
    const started = instantOf(this.#clock);
    try {
      const timeout = renewPeriod / 2;
      // a new one is not made under the signal: it could come to be after a stop has looked for it, and nobody would take it away
      this.#own = await this.#write(
        term,
        this.#own === undefined ? { timeout } : { timeout, signal },
      );
      this.#renewed = started;
      this.#nextRenewal = started.monotonic + renewPeriod;
      this.#failed = false;
    } catch (error) {
      if (signal.aborted) return;
      this.#nextRenewal = this.#clock.monotonic() + retryPeriod;
      const level = this.#failed ? "debug" : "warn"; // once: every two seconds helps nobody
      this.#log[level]("cannot keep the lease of this member, trying on", { error });
      this.#failed = true;
    }
  }

  async #write(term: Term, options: RequestOptions): Promise<LeaseObject> {
    for (let attempt = 0; attempt < 3; attempt++) {
      const renewTime = microTime(this.#clock.now());
      const wanted = this.#labelled(heldLease(this.#own ?? this.#leases, term, renewTime));
      const written = await this.#leases.write(wanted, options);
      if (written !== undefined) return written;
      this.#own = await this.#leases.read(options); // deleted, labelled, or left over from an earlier run
    }
    throw new TemporaryError("somebody keeps writing the lease");
  }

  #labelled(lease: LeaseObject): LeaseObject {
    const labels = { ...lease.metadata.labels, [membersLabel]: this.#group };
    return { ...lease, metadata: { ...lease.metadata, labels } };
  }

  /** Asks the server about members that seem gone, and clears away the leases of those that are. */
  async #lookAfterOthers(signal: AbortSignal): Promise<void> {
    if (this.#clock.monotonic() < this.#nextLook) return;
    const doubtful = this.#peers.doubtful(this.#clock.monotonic());
    try {
      for (const peer of doubtful) await this.#lookAfter(peer, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#nextLook = this.#clock.monotonic() + this.#timing.retryPeriod;
      this.#log.debug("cannot ask about a member that seems gone", { error: messageOf(error) });
    }
  }

  async #lookAfter({ name, id }: Peer, signal: AbortSignal): Promise<void> {
    const asked = this.#clock.monotonic();
    const namespace = this.#namespace;
    const options = { signal, timeout: this.#timing.renewPeriod / 2 };
    const lease = await this.#client.find(Lease, name, { ...options, namespace });
    if (lease === undefined) {
      this.#peers.forget(name);
      return;
    }
    this.#peers.see(lease, this.#clock.monotonic(), asked);
    if (!this.#isDoubtful(name)) return;
    this.#peers.bury(name);
    this.#log.info("a member is gone", { gone: id });
    await this.#client.delete(lease, options).catch(() => undefined); // another was faster, or it came back
  }

  #isDoubtful(name: string): boolean {
    return this.#peers.doubtful(this.#clock.monotonic()).some((peer) => peer.name === name);
  }

  #follow(signal: AbortSignal): Promise<void> {
    const options = {
      namespace: this.#namespace,
      labelSelector: `${membersLabel}=${this.#group}`,
      clock: this.#clock,
    };
    return new Watch(this.#client, Lease, this.#sink(), options).start(signal);
  }

  #sink(): WatchSink {
    let listed = new Set<string>();
    return {
      begin: () => {
        listed = new Set();
      },
      item: (object) => {
        listed.add(object.name);
        this.#hear(object);
      },
      end: () => {
        this.#peers.retain(listed);
        this.#isListed = true;
        this.#tell();
      },
      change: (type, object) => {
        if (type === "DELETED") this.#lost(object.name);
        else this.#hear(object);
        this.#tell();
      },
      bookmark: () => undefined,
      state: () => undefined,
    };
  }

  #hear({ name, bytes, start, end }: ScannedObject): void {
    if (name === this.#leases.name) return;
    const lease = JSON.parse(bytes.toString("utf8", start, end)) as LeaseObject; // the watch is on leases
    this.#peers.hear(lease, this.#clock.monotonic());
  }

  #lost(name: string): void {
    if (name !== this.#leases.name) {
      this.#peers.forget(name);
      return;
    }
    this.#renewed = undefined; // the others count us as gone
    this.#nextRenewal = Number.NEGATIVE_INFINITY;
    this.#nap.wake();
  }

  /** Nothing is known before both the others were listed and our own lease was written: a process that starts must not believe it is alone. */
  #tell(): void {
    if (!this.#isListed || this.#own === undefined) return;
    const ids = [...new Set([this.id, ...this.#peers.ids()])].sort();
    if (ids.join() === this.#told.join()) return;
    this.#told = ids;
    this.#log.info("the members are others", { members: ids });
    for (const listener of [...this.#listeners]) {
      try {
        listener(ids);
      } catch (error) {
        this.#log.error("a listener to members failed", { error });
      }
    }
  }

  /** Only after what ran under the membership has ended: the others begin at once. */
  async #leave(): Promise<void> {
    this.#renewed = undefined;
    const { namespace, name } = this.#leases;
    const lease = this.#labelled({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { namespace, name },
    });
    try {
      await this.#client.delete(lease, { timeout: this.#releaseTimeout });
    } catch (error) {
      this.#log.warn("could not delete the lease, the others wait for its end", { error });
    }
  }
}
