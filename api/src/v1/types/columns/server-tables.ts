import { createHash } from "node:crypto";
import { ApiError, type Client, type Clock, type Kind, type Logger, messageOf } from "kopf-ts";
import { collectionPath, parseJson } from "kopf-ts/kube";
import { listAt, textAt, wholeAt } from "../../tree.ts";
import type { ColumnDefinition } from "../resource-type.ts";

/** What an API server said of a kind's table. */
export interface ServerTable {
  /** Empty when it said nothing of columns. */
  readonly columns: readonly ColumnDefinition[];
  /** False when it refused. */
  readonly table: boolean;
  /** Equal for equal tables. */
  readonly digest: string;
}

/** A kind whose table is wanted; another `token` means that it may have become another one. */
export interface WantedTable {
  readonly kind: Kind;
  readonly token: string;
}

interface Known extends ServerTable {
  readonly token: string;
  /** Until when it is not asked again, by the monotonic clock; for failures that pass. */
  readonly until: number;
}

const accept = ["v1", "v1beta1"]
  .map((version) => `application/json;as=Table;v=${version};g=meta.k8s.io`)
  .join(",");

/** Requests at once. */
const WORKERS = 10;
/** Milliseconds for one. */
const TIMEOUT = 10_000;
/** Milliseconds after which a server that failed is asked again. */
const AGAIN = 60_000;

/**
 * The columns of kinds, asked of the API server with one request each, ten at once, in the background. Guarantees: a kind is asked for again only
 * with another token, or a minute after a failure; what was known stays until there is an answer.
 */
export class ServerTables {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #known = new Map<string, Known>();

  constructor(client: Client, clock: Clock, log: Logger) {
    this.#client = client;
    this.#clock = clock;
    this.#log = log;
  }

  /** What is known of a kind. */
  of(kind: Kind): ServerTable | undefined {
    return this.#known.get(collectionPath(kind));
  }

  /** Whether some server failed long enough ago to be asked again. */
  get isDue(): boolean {
    const now = this.#clock.monotonic();
    return [...this.#known.values()].some(({ until }) => until <= now);
  }

  /** Asks for what is not known, calls `onAnswer` for each that came, forgets all others. Never rejects; ends early with the signal. */
  async learn(
    wanted: readonly WantedTable[],
    signal: AbortSignal,
    onAnswer: () => void,
  ): Promise<void> {
    this.#forgetAllBut(new Set(wanted.map(({ kind }) => collectionPath(kind))));
    const queue = wanted.filter((each) => this.#isUnknown(each)).values();
    const work = async (): Promise<void> => {
      for (const { kind, token } of queue) {
        const answer = await this.#ask(kind, signal);
        if (signal.aborted) return;
        this.#known.set(collectionPath(kind), { ...answer, token });
        onAnswer();
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, work));
  }

  #isUnknown({ kind, token }: WantedTable): boolean {
    const known = this.#known.get(collectionPath(kind));
    return known?.token !== token || this.#clock.monotonic() >= known.until;
  }

  #forgetAllBut(paths: ReadonlySet<string>): void {
    for (const path of this.#known.keys()) {
      if (!paths.has(path)) this.#known.delete(path);
    }
  }

  async #ask(kind: Kind, signal: AbortSignal): Promise<Omit<Known, "token">> {
    const path = collectionPath(kind);
    try {
      const { body } = await this.#client.request({
        ...{ method: "GET", path: `${path}?limit=1&includeObject=None`, headers: { accept } },
        ...{ signal, timeout: TIMEOUT, answerLimit: 4 * 1024 * 1024 },
      });
      const columns = columnsOf(parseJson(body.toString("utf8")));
      const until = Number.POSITIVE_INFINITY;
      return { columns, table: true, until, digest: digestOf(columns) };
    } catch (thrown) {
      const passes = !isRefusal(thrown);
      this.#log.debug("a table cannot be had", { path, error: messageOf(thrown) });
      const until = passes ? this.#clock.monotonic() + AGAIN : Number.POSITIVE_INFINITY;
      return { columns: [], table: false, until, digest: "" };
    }
  }
}

/** The columns that a Table names; none in what is no Table. */
function columnsOf(document: unknown): readonly ColumnDefinition[] {
  return listAt(document, "columnDefinitions").map((each) => ({
    name: textAt(each, "name"),
    type: textAt(each, "type"),
    format: textAt(each, "format"),
    description: textAt(each, "description"),
    priority: wholeAt(each, "priority") ?? 0,
  }));
}

function digestOf(columns: readonly ColumnDefinition[]): string {
  return createHash("sha256").update(JSON.stringify(columns)).digest("base64url");
}

/** An answer that would be the same in a minute. */
function isRefusal(thrown: unknown): boolean {
  return thrown instanceof ApiError && thrown.code >= 400 && thrown.code < 429;
}
