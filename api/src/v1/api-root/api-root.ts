import type { Exchange, Stage } from "../../stage.ts";
import { jsonOf, sendCollection, sendObject } from "../answers/answer.ts";
import { problem } from "../problem.ts";
import { nameIn, type Route } from "../route.ts";
import { baseSchemas } from "../schemas/base-schemas.ts";
import type { Schemas, VisibleType } from "../schemas/schemas.ts";

/**
 * Serves `/v1`, and with it `/v1/apiRoots` and `/v1/apiRoots/{id}` (apiserver: pkg/store/apiroot): where everything is that the caller can get a
 * collection of. The link `schemas` leads to the schemas; upstream it leads to `/v1`.
 */
export function apiRootRoute(schemas: Schemas, self: "/v1" | "/v1/apiRoots"): Route {
  return async (exchange, place) => {
    const name = nameIn(exchange, place);
    const roots = rootsOf(await schemas.seen(place.access), place.base);
    const root = roots.find(({ id }) => id === name);
    if (name !== undefined && root === undefined) {
      throw problem("NotFound", `no API root ${JSON.stringify(name)}`);
    }
    const links = { self: `${place.base}${self}` };
    const envelope = { type: "collection", links, actions: {}, resourceType: "apiRoot" };
    if (root !== undefined) return sendObject(exchange, `${JSON.stringify(root)}\n`);
    await sendCollection(exchange, { envelope, items: jsonOf(roots) });
  };
}

/** Whether a request for `/` wants the API root rather than a page: those that accept JSON by name do (steve: pkg/server/router). */
export function wantsApiRoot({ path, request }: Pick<Exchange, "path" | "request">): boolean {
  return path === "/" && (request.headers.accept ?? "").includes("json");
}

/** Lets a request for `/` that wants JSON be one for `/v1`; `serve` is what serves that. */
export function rootAsV1(serve: Stage): Stage {
  return (exchange, next) => {
    if (!wantsApiRoot(exchange)) return next();
    exchange.path = "/v1";
    return serve(exchange, next);
  };
}

interface Root {
  readonly id: string;
  readonly type: string;
  readonly links: Readonly<Record<string, string>>;
}

function rootsOf(visible: readonly VisibleType[], base: string): readonly Root[] {
  const v1 = `${base}/v1`;
  const collections = namesOf(visible).map((name) => [name, `${v1}/${name}`] as const);
  const links = { ...Object.fromEntries(collections), root: v1, self: v1 };
  const version = { apiVersion: { version: "v1" } };
  const proxyLinks = { root: `${base}/apis`, self: `${v1}/apiRoots/proxy` };
  return [
    { id: "v1", type: "apiRoot", links, ...version },
    { id: "proxy", type: "apiRoot", links: proxyLinks },
  ];
}

/** Plural names of everything that the caller can get a collection of, in order. */
function namesOf(visible: readonly VisibleType[]): readonly string[] {
  const types = visible.map(({ type: { pluralName }, methods }) => ({ pluralName, ...methods }));
  return [...baseSchemas, ...types]
    .filter(({ collectionMethods }) => collectionMethods.includes("GET"))
    .map(({ pluralName }) => pluralName)
    .toSorted();
}
