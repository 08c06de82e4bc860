/** Everything behind /v1: the long-lived parts, and the stage that serves them. */

import { localClusterName } from "@drover/crds";
import { Background } from "kopf-ts";
import type { Login } from "../caller.ts";
import type { ApiParts } from "../parts.ts";
import type { Stage } from "../stage.ts";
import { YamlReader } from "../yaml/index.ts";
import { RbacAccess } from "./access/index.ts";
import { accessRoute, DeclaredAccess, type ReviewedCluster } from "./access-review/index.ts";
import { apiRootRoute, rootAsV1 } from "./api-root/index.ts";
import { TypeCollections } from "./collections/index.ts";
import { CountsFeed, countItem, countsRoute } from "./counts/index.ts";
import { Fields } from "./fields/index.ts";
import { LiveInventory } from "./inventory/index.ts";
import { CachedItems } from "./items/index.ts";
import { listHandler } from "./lists/index.ts";
import type { Route } from "./route.ts";
import { router } from "./router.ts";
import { methodsOf, Schemas, schemaRoutes } from "./schemas/index.ts";
import { searchRoute } from "./search/index.ts";
import { countsFeed, Subscriptions, schemaFeed } from "./subscribe/index.ts";
import { LiveTypes } from "./types/index.ts";
import { userPreferencesRoute } from "./user-preferences/index.ts";
import { writes } from "./writes/index.ts";

/** What /v1 needs of the rest of the API. */
export interface V1Parts extends ApiParts {
  /** Whether what proved somebody's identity still counts. */
  readonly stillCounts: (login: Login) => boolean;
}

/** The types, rights, caches and subscribers of one cluster. */
export class V1 {
  readonly types: LiveTypes;
  readonly #access: RbacAccess;
  readonly #declared: DeclaredAccess;
  readonly #schemas: Schemas;
  readonly #inventory: LiveInventory;
  readonly #collections: TypeCollections;
  readonly #subscriptions: Subscriptions;
  /** Serves /v1, and / for those who want JSON; everything else goes on. */
  readonly stage: Stage;

  constructor(parts: V1Parts) {
    const { clock, log, client, version, stillCounts } = parts;
    const types = new LiveTypes(parts);
    const access = new RbacAccess(parts);
    const declared = new DeclaredAccess(parts);
    const inventory = new LiveInventory({ ...parts, types });
    const collections = new TypeCollections({ ...parts, types }, { memory: parts.cacheMemory });
    const items = new CachedItems({ types, inventory });
    const fields = new Fields(clock);
    const schemas = new Schemas({ ...parts, types });
    const isListed = (...of: Parameters<typeof methodsOf>): boolean =>
      methodsOf(...of).collectionMethods.includes("GET");
    const counted = { types, inventory, isListed };
    const specials = {
      count: countsFeed(new CountsFeed({ ...counted, clock, log }), countItem),
      schema: schemaFeed({ types, schemas, background: new Background(log) }),
    };
    const shared = { types, access, collections, methodsOf, items, clock, log };

    this.types = types;
    this.#access = access;
    this.#declared = declared;
    this.#schemas = schemas;
    this.#inventory = inventory;
    this.#collections = collections;
    this.#subscriptions = new Subscriptions({
      ...shared,
      ...{ specials, version, stillCounts, metrics: parts.metrics },
    });
    const own: ReviewedCluster = {
      ...{ types, access },
      sourcesFor: (wish) => access.sourcesFor(wish),
      projectOf: (namespace) => declared.projectOf(namespace),
    };
    const clusterOf = (name: string): ReviewedCluster | undefined =>
      name === localClusterName ? own : undefined;
    const routes: Readonly<Record<string, Route>> = {
      ...schemaRoutes({ schemas, types, client }),
      "": apiRootRoute(schemas, "/v1"),
      apiroot: apiRootRoute(schemas, "/v1/apiRoots"),
      apiroots: apiRootRoute(schemas, "/v1/apiRoots"),
      userpreference: userPreferencesRoute(client),
      userpreferences: userPreferencesRoute(client),
      access: accessRoute({ clusterOf, declared }),
      counts: countsRoute(counted),
      count: countsRoute(counted),
      search: searchRoute({ types, inventory, clock }),
      subscribe: this.#subscriptions.route,
    };
    const handlers = {
      list: listHandler({
        ...{ types, collections, fields, items, inventory, clock },
        openApi: schemas.openApi,
      }),
      ...writes({ client, items, yaml: new YamlReader(clock), clock }),
    };
    const serve = router({ types, access, clock, methodsOf, handlers, routes });
    const root = rootAsV1(serve);
    this.stage = (exchange, next) => root(exchange, () => serve(exchange, next));
  }

  /** Follows the cluster until the signal aborts; resolves when everything is given back. */
  async start(signal: AbortSignal): Promise<void> {
    using _subscriptions = this.#subscriptions;
    this.#access.start(signal);
    this.#declared.start(signal);
    this.#inventory.start(signal);
    await Promise.all([
      this.types.start(signal),
      this.#schemas.start(signal),
      this.#collections.start(signal),
    ]);
  }
}
