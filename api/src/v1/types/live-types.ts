import {
  apiVersionOf,
  type Client,
  type Clock,
  type Informers,
  type Logger,
  messageOf,
  type Timer,
} from "kopf-ts";
import { parseJson, Refresh, type RefreshTiming, RestMapper } from "kopf-ts/kube";
import type { ErrorMapping } from "../summary/error-mapping.ts";
import { textAt } from "../tree.ts";
import { assemble, digestOf, type TypeParts } from "./assemble.ts";
import { type ChosenKind, chooseKinds } from "./choose.ts";
import { ServerTables, type WantedTable } from "./columns/server-tables.ts";
import { KnownTypes } from "./known-types.ts";
import type { ResourceType, Types } from "./resource-type.ts";
import { TypeSources } from "./sources.ts";

/** What LiveTypes work with. */
export interface LiveTypesParts {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly log: Logger;
  /** Which conditions mean an error, where the environment says so. */
  readonly errorMapping?: ErrorMapping | undefined;
}

/** Changes of CRDs and APIServices are gathered for half a second, as Steve does. */
const timing: Partial<RefreshTiming> = { gather: 500, spacing: 500, retry: 2_000 };

/** Milliseconds that the first types wait for CRDs, so that they need not be told again with their columns. */
const PATIENCE = 2_000;
/** Milliseconds between two looks at groups and tables that could not be had. */
const LOOK = 30_000;
/** One of so many looks is made though nothing seems to have changed: every ten minutes. */
const IDLE_LOOKS = 20;
/** Milliseconds for which columns that came are gathered before they are told. */
const GATHER_COLUMNS = 100;

/** What lives as long as the types are followed. */
interface Run {
  readonly signal: AbortSignal;
  readonly sources: TypeSources;
  /** Ends when no table is being asked for. */
  learning: Promise<void>;
}

/** A type and what it was made of. */
interface Made {
  readonly digest: string;
  readonly type: ResourceType;
}

/**
 * The types of a cluster, followed without a restart. Guarantees: what discovery says is known after one round trip to the server, and half a
 * second after each change of CRDs and APIServices; columns of kinds that are built in come later, and are told as changes. A group that does
 * not answer keeps the types it had; a CRD or APIService that is broken harms no others. A failure is logged once, however often it is repeated.
 */
export class LiveTypes implements Types {
  readonly #parts: LiveTypesParts;
  readonly #known: KnownTypes;
  readonly #mapper: RestMapper;
  readonly #tables: ServerTables;
  #chosen: ReadonlyMap<string, ChosenKind> = new Map();
  #made: ReadonlyMap<string, Made> = new Map();
  #serverVersion = "";
  /** Groups and versions that do not answer. */
  #silent: ReadonlySet<string> = new Set();
  #isFailing = false;

  constructor(parts: LiveTypesParts) {
    const { client, clock, log } = parts;
    this.#parts = parts;
    this.#known = new KnownTypes(log);
    this.#mapper = new RestMapper(client, { clock, logger: log });
    this.#tables = new ServerTables(client, clock, log);
  }

  get revision(): number {
    return this.#known.revision;
  }

  find(text: string): ResourceType | undefined {
    return this.#known.find(text);
  }

  ofKind(apiVersion: string, kind: string): ResourceType | undefined {
    return this.#known.ofKind(apiVersion, kind);
  }

  all(): Iterable<ResourceType> {
    return this.#known.all();
  }

  onChange(listener: (ids: ReadonlySet<string>) => void): Disposable {
    return this.#known.onChange(listener);
  }

  ready(signal: AbortSignal): Promise<void> {
    return this.#known.ready(signal);
  }

  /** Follows the cluster until the signal aborts; never rejects. Afterwards no request, watch or timer is left. */
  async start(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    using sources = new TypeSources(this.#parts, () => refresh.request());
    const run: Run = { signal, sources, learning: Promise.resolve() };
    const refresh = new Refresh(clock, () => this.#refresh(run), signal, timing);
    await this.#within(PATIENCE, sources.synced(signal), signal);
    if (!(await this.#refresh(run))) refresh.request();
    await this.#look(refresh, signal);
    await refresh.settled;
    await run.learning;
  }

  /** Waits for something no longer than so many milliseconds. */
  async #within(time: number, promise: Promise<void>, signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    await Promise.race([promise, this.#parts.clock.sleep(time, either).catch(() => undefined)]);
    stop.abort();
  }

  async #look(refresh: Refresh, signal: AbortSignal): Promise<void> {
    for (let looks = 1; !signal.aborted; looks++) {
      await this.#parts.clock.sleep(LOOK, signal).catch(() => undefined);
      const isMissing = this.#silent.size > 0 || this.#tables.isDue;
      if (isMissing || looks % IDLE_LOOKS === 0) refresh.request();
    }
  }

  /** Whether it worked. */
  async #refresh(run: Run): Promise<boolean> {
    try {
      await this.#discover(run.signal);
      await run.sources.read(); // behind it: of what is served the CRD is accepted
      this.#isFailing = false;
    } catch (thrown) {
      if (!run.signal.aborted) this.#complain(thrown);
      return false;
    }
    this.#make(run.sources);
    run.learning = run.learning.then(() => this.#learn(run));
    return true;
  }

  #complain(thrown: unknown): void {
    const fields = { error: messageOf(thrown) };
    if (this.#isFailing) this.#parts.log.debug("types could not be read", fields);
    else this.#parts.log.warn("types could not be read", fields);
    this.#isFailing = true;
  }

  /** An unchanged server says so in some hundred bytes. */
  async #discover(signal: AbortSignal): Promise<void> {
    this.#mapper.invalidate();
    const [kinds, version] = await Promise.all([
      this.#mapper.kinds({ signal }),
      this.#versionOfServer(signal),
    ]);
    this.#chosen = chooseKinds(kinds);
    this.#serverVersion = version;
    this.#tellSilent();
  }

  async #versionOfServer(signal: AbortSignal): Promise<string> {
    try {
      const { body } = await this.#parts.client.request({
        method: "GET",
        path: "/version",
        signal,
      });
      return textAt(parseJson(body.toString("utf8")), "gitVersion");
    } catch {
      return this.#serverVersion;
    }
  }

  #tellSilent(): void {
    const { log } = this.#parts;
    const silent = this.#mapper.failures;
    for (const { apiVersion, message } of silent) {
      if (this.#silent.has(apiVersion)) continue;
      log.warn("an API group does not answer; its types stay as they were", {
        ...{ apiVersion, error: message },
      });
    }
    this.#silent = new Set(silent.map(({ apiVersion }) => apiVersion));
  }

  /** Makes the types out of what is known now; those that did not change stay. */
  #make(sources: TypeSources): void {
    const aggregated = sources.aggregated();
    const { errorMapping } = this.#parts;
    const made = new Map<string, Made>();
    for (const [id, chosen] of this.#chosen) {
      const { served } = chosen;
      const parts: TypeParts = {
        ...{ id, chosen, crd: sources.crdOf(served), table: this.#tables.of(served) },
        isAggregated: aggregated.has(apiVersionOf(served)),
        errorMapping,
        schema: () => sources.schemaOf(served),
      };
      const digest = digestOf(parts);
      const before = this.#made.get(id);
      made.set(id, before?.digest === digest ? before : { digest, type: assemble(parts) });
    }
    this.#made = made;
    this.#known.replace([...made.values()].map(({ type }) => type));
  }

  /** Learns the columns that only the server knows. */
  async #learn({ sources, signal }: Run): Promise<void> {
    const { clock } = this.#parts;
    let gathering: Timer | undefined;
    const tell = (): void => {
      gathering = undefined;
      this.#make(sources);
    };
    const onAnswer = (): void => {
      gathering ??= clock.after(GATHER_COLUMNS, tell);
    };
    await this.#tables.learn(this.#wanted(sources), signal, onAnswer);
    if (gathering === undefined) return;
    gathering.cancel();
    if (!signal.aborted) tell();
  }

  #wanted(sources: TypeSources): readonly WantedTable[] {
    const aggregated = sources.aggregated();
    const types = [...this.#known.all()].filter(({ crd, verbs }) => !crd && isRead(verbs));
    return types.map(({ kind }) => {
      return { kind, token: aggregated.get(apiVersionOf(kind)) ?? this.#serverVersion };
    });
  }
}

function isRead(verbs: readonly string[]): boolean {
  return verbs.includes("list") || verbs.includes("get");
}
