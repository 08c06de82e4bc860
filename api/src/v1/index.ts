/** Everything behind /v1: the long-lived parts, and the stage that serves them. */

import { localClusterName } from "@drover/crds";
import { Background } from "kopf-ts";
import type { ApiParts } from "../parts.ts";
import type { Stage } from "../stage.ts";
import type { Tenures } from "../tenures.ts";
import { YamlReader } from "../yaml/index.ts";
import {
  accessRoute,
  DeclaredAccess,
  type ReviewedCluster,
  type ReviewParts,
} from "./access-review/index.ts";
import type { ResponseCache } from "./answers/response-cache.ts";
import { apiRootRoute, rootAsV1 } from "./api-root/index.ts";
import {
  CachedSource,
  Clusters,
  ClusterV1,
  cacheShares,
  listOfClusters,
  Members,
  searchOfClusters,
  watchOfClusters,
} from "./clusters/index.ts";
import { CountsFeed, countItem, countsRoute } from "./counts/index.ts";
import { listHandler } from "./lists/index.ts";
import type { Route } from "./route.ts";
import { router } from "./router.ts";
import { methodsOf, Schemas, schemaRoutes } from "./schemas/index.ts";
import { searchRoute } from "./search/index.ts";
import {
  ClusterWatches,
  countsFeed,
  Subscriptions,
  schemaFeed,
  WatchShares,
} from "./subscribe/index.ts";
import type { LiveTypes } from "./types/index.ts";
import { userPreferencesRoute } from "./user-preferences/index.ts";
import { writes } from "./writes/index.ts";

/** What /v1 needs of the rest of the API. */
export interface V1Parts extends ApiParts, Pick<ReviewParts, "personCalled"> {
  /** Ends what outlives its login. */
  readonly tenures: Tenures;
}

/** The types, rights, caches and subscribers of one cluster. */
export class V1 {
  readonly types: LiveTypes;
  readonly #cluster: ClusterV1;
  readonly #members: Members;
  readonly #responses: ResponseCache;
  readonly #declared: DeclaredAccess;
  readonly #schemas: Schemas;
  readonly #subscriptions: Subscriptions;
  /** Serves /v1, and / for those who want JSON; everything else goes on. */
  readonly stage: Stage;

  constructor(parts: V1Parts) {
    const { clock, log, client, version, tenures } = parts;
    const caches = cacheShares(parts, parts.cacheMemory);
    const cluster = new ClusterV1({
      ...parts,
      cluster: "",
      caches,
      errorMapping: parts.errorMapping,
    });
    const { types, access, inventory, collections, items, fields } = cluster;
    const declared = new DeclaredAccess(parts);
    const calm = (signal: AbortSignal): Promise<void> => collections.calm(signal);
    const schemas = new Schemas({ ...parts, types, calm });
    const isListed = (...of: Parameters<typeof methodsOf>): boolean =>
      methodsOf(...of).collectionMethods.includes("GET");
    const counted = { types, inventory, isListed };
    const specials = {
      count: countsFeed(new CountsFeed({ ...counted, clock, log }), countItem),
      schema: schemaFeed({ types, schemas, background: new Background(log) }),
    };
    const shares = new WatchShares(parts);
    const watches = new ClusterWatches({ types, collections, items, clock, log }, shares);
    const { openApi } = schemas;
    const { clusters: managed, errorMapping } = parts;
    const members = new Members({ managed, caches, errorMapping, shares, clock, log });
    const source = new CachedSource(cluster, { clock, watches, openApi });
    const clusters = new Clusters({ own: source, members, types, collections, clock, log });

    this.types = types;
    this.#cluster = cluster;
    this.#members = members;
    this.#responses = caches.responses;
    this.#declared = declared;
    this.#schemas = schemas;
    this.#subscriptions = new Subscriptions({
      ...{ access, watches, shares, specials, clock, log, version, tenures },
      several: watchOfClusters({ clusters, clock }),
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
      access: accessRoute({ clusterOf, declared, personCalled: parts.personCalled }),
      counts: countsRoute(counted),
      count: countsRoute(counted),
      search: searchRoute({ types, inventory, clock, several: searchOfClusters(clusters) }),
      subscribe: this.#subscriptions.route,
    };
    const handlers = {
      list: listHandler({
        ...{ types, collections, fields, items, inventory, openApi, clock },
        responses: caches.responses,
      }),
      ...writes({ client, items, yaml: new YamlReader(clock), clock }),
    };
    const several = listOfClusters(clusters);
    const serve = router({ types, access, clock, methodsOf, handlers, routes, several });
    const root = rootAsV1(serve);
    this.stage = (exchange, next) => root(exchange, () => serve(exchange, next));
  }

  /** Follows the cluster until the signal aborts; resolves when everything is given back. */
  async start(signal: AbortSignal): Promise<void> {
    using _subscriptions = this.#subscriptions;
    this.#members.start(signal);
    this.#declared.start(signal);
    this.#cluster.takeStock();
    await Promise.all([
      ...[this.#cluster.start(signal), this.#schemas.start(signal)],
      this.#responses.start(signal),
    ]);
  }
}
