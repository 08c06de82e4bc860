/** A cluster whose objects are in caches of this process. */

import type { Caller } from "@drover/platform";
import type { Clock } from "kopf-ts";
import { type Access, isNothing } from "../access/access.ts";
import type { Collection } from "../collections/collection.ts";
import type { ItemWriter } from "../items/item.ts";
import { Finder, type FoundRows, type Question } from "../lists/find.ts";
import { ownerOf } from "../lists/owners.ts";
import { pageOf } from "../lists/pages.ts";
import { unknownRevision } from "../lists/problems.ts";
import { hasReached } from "../lists/reached.ts";
import type { Documents } from "../lists/told.ts";
import { notListable, problem } from "../problem.ts";
import { shorten } from "../query/field.ts";
import { unsupported } from "../route.ts";
import { isHidden, isListed, methodsOf } from "../schemas/index.ts";
import { resultOf } from "../search/answer.ts";
import { orderOf, searchIn } from "../search/search.ts";
import { Slices } from "../slices.ts";
import type { ClusterWatches } from "../subscribe/index.ts";
import type { ResourceType } from "../types/resource-type.ts";
import type {
  ClusterList,
  ClusterRow,
  ClusterSearch,
  ClusterSource,
  ClusterWatch,
  ListQuestion,
  SearchQuestion,
  WatchQuestion,
} from "./cluster-source.ts";
import type { ClusterV1 } from "./cluster-v1.ts";

/** What a source needs beside the cluster. */
export interface SourceParts {
  readonly clock: Clock;
  readonly watches: ClusterWatches;
  /** Without it, fields of built-in types are the usual ones and those that objects have. */
  readonly openApi?: Documents | undefined;
}

/** Answers from the caches of a cluster. */
export class CachedSource implements ClusterSource {
  readonly #cluster: ClusterV1;
  readonly #clock: Clock;
  readonly #watches: ClusterWatches;
  readonly #finder: Finder;

  constructor(cluster: ClusterV1, parts: SourceParts) {
    const { types, collections, fields, inventory } = cluster;
    this.#cluster = cluster;
    this.#clock = parts.clock;
    this.#watches = parts.watches;
    this.#finder = new Finder({ ...parts, types, collections, fields, inventory });
  }

  async list(asked: ListQuestion): Promise<ClusterList> {
    const { signal } = asked;
    const warnings: string[] = [];
    const question = await this.#question(asked, (text) => warnings.push(text));
    const { type } = question;
    if (isNothing(question.reach, type.kind.scope)) {
      await this.#finder.understand(question, undefined);
      return nothingOf(type.id);
    }
    const collection = await this.#cluster.collections.use(type, signal);
    try {
      const { cache } = collection;
      if (!(await hasReached(cache, asked.query.revision, signal))) throw unknownRevision();
      const found = await this.#finder.find(question, collection);
      const rows = await this.#rows(found, collection, question, asked.most);
      const writer = this.#writer(collection.type, question.access, asked);
      return { ...listed(collection, writer), ...rows, warnings };
    } catch (thrown) {
      collection[Symbol.dispose]();
      throw thrown;
    }
  }

  async search({ caller, query, base, signal }: SearchQuestion): Promise<ClusterSearch> {
    const access = await this.#accessOf(caller, signal);
    this.#cluster.takeStock();
    const { types, inventory } = this.#cluster;
    const slices = new Slices(this.#clock, signal);
    const { hits, ...found } = await searchIn({ types, inventory, access }, query, slices);
    const results = hits.map((hit) => ({
      order: orderOf(hit),
      item: resultOf(hit, { access, base }),
    }));
    return { ...found, results };
  }

  onChange(caller: Caller, listener: () => void): Disposable {
    const { access, types } = this.#cluster;
    const changes = [access.onChange(caller, listener), types.onChange(() => listener())];
    return {
      [Symbol.dispose]() {
        for (const each of changes) each[Symbol.dispose]();
      },
    };
  }

  async watch(question: WatchQuestion): Promise<ClusterWatch> {
    const { caller, signal } = question;
    await this.#accessOf(caller, signal);
    const { access } = this.#cluster;
    const watch = await this.#watches.open(
      { ...question, access: () => access.of(caller) },
      signal,
    );
    const changes = access.onChange(caller, () => watch.accessChanged(access.of(caller)));
    const ended = new AbortController();
    return {
      start: () => void watch.start(ended.signal).catch(() => undefined), // with the signal's reason alone
      [Symbol.dispose]() {
        ended.abort();
        changes[Symbol.dispose]();
        watch[Symbol.dispose]();
      },
    };
  }

  async #accessOf(caller: ListQuestion["caller"], signal: AbortSignal): Promise<Access> {
    const { types, access } = this.#cluster;
    await Promise.all([types.ready(signal), access.ready(signal)]);
    return access.of(caller);
  }

  async #question(
    { caller, type: name, namespace, query, signal }: ListQuestion,
    warn: (text: string) => void,
  ): Promise<Question> {
    const access = await this.#accessOf(caller, signal);
    const type = typeFor(this.#cluster, name, access, namespace);
    const owner = query.owner && ownerOf(query.owner, access, this.#cluster.types);
    if (owner !== undefined) this.#cluster.takeStock();
    return {
      ...{ type, access, namespace, query, owner, signal, warn },
      username: caller.username,
      reach: access.listed(type.kind),
      slices: new Slices(this.#clock, signal),
    };
  }

  async #rows(
    { rows, order }: FoundRows,
    { cache }: Collection,
    { query, slices }: Question,
    most: number,
  ): Promise<Pick<ClusterList, "rows" | "directions" | "total" | "revision">> {
    const pageSize = Number.isFinite(most) ? most : undefined;
    const first = { ...query, page: 1, pageSize, limit: undefined, cursor: undefined };
    const { keys, total, revision } = await pageOf(cache, first, rows);
    const { directions, valuesOf } = order();
    const found: ClusterRow[] = [];
    for (const id of keys) {
      found.push({ id, values: valuesOf(id) });
      await slices.rest();
    }
    return { rows: found, directions, total, revision };
  }

  #writer(type: ResourceType, access: Access, { base, shape }: ListQuestion): ItemWriter {
    return this.#cluster.items.writer({ type, access, base, shape, now: this.#clock.now() });
  }
}

/** The type, where the caller may know that there is one, and it may be listed. */
function typeFor(
  { types }: ClusterV1,
  name: string,
  access: Access,
  namespace: string | undefined,
): ResourceType {
  const type = types.find(name);
  const methods = type && methodsOf(type, access);
  if (type === undefined || methods === undefined || isHidden(methods)) {
    throw problem("NotFound", `there is no type ${shorten(name)}`);
  }
  if (!isListed(methods)) throw unsupported("GET");
  if (!type.verbs.includes("list")) throw notListable(type.id);
  if (namespace === undefined || type.kind.scope === "Namespaced") return type;
  throw problem("NotFound", `${type.id} is not in namespaces`);
}

function listed(
  collection: Collection,
  writer: ItemWriter,
): Pick<ClusterList, "resourceType" | "item" | typeof Symbol.dispose> {
  return {
    resourceType: collection.type.id,
    item: async ({ id }, signal) => {
      await writer.prepare?.(collection.cache.raw(id), signal);
      collection.gone.throwIfAborted();
      return writer.ofKey(collection, id);
    },
    [Symbol.dispose]: () => collection[Symbol.dispose](),
  };
}

function nothingOf(resourceType: string): ClusterList {
  return {
    ...{ resourceType, total: 0, revision: "", rows: [], directions: [], warnings: [] },
    item: async () => undefined,
    [Symbol.dispose]: () => undefined,
  };
}
