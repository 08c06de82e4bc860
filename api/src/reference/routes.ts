/** What is served, beside the types of the cluster below /v1. */

import { oldSettings } from "../public/index.ts";

/** A path and what it is for. */
export interface Served {
  readonly path: string;
  readonly who: "anybody" | "logged in" | "the caller's rights";
  readonly about: string;
}

/** Below /v1. */
export const v1Routes: readonly Served[] = [
  { path: "/v1", who: "anybody", about: "links to all collections" },
  {
    path: "/v1/schemas, /v1/schemas/{id}",
    who: "logged in",
    about: "types, with methods and columns",
  },
  { path: "/v1/schemaDefinitions/{id}", who: "logged in", about: "fields of a type" },
  { path: "/v1/apigroups", who: "logged in", about: "API groups" },
  {
    path: "/v1/counts",
    who: "logged in",
    about:
      "how many objects of each type that has been read; just after a start, and for a type that has just come, that takes a moment",
  },
  { path: "/v1/subscribe", who: "logged in", about: "websocket: watches" },
  { path: "/v1/userpreferences", who: "logged in", about: "the caller's own preferences" },
  { path: "/v1/search", who: "logged in", about: "objects of all types by name, label or image" },
  {
    path: "/v1/access",
    who: "logged in",
    about:
      "why somebody may do something or not; `verb` and `resource`, or `path` for what is none",
  },
  {
    path: "/v1/logout",
    who: "logged in",
    about:
      "ends the session; `?all` every session of the user; API keys and tokens of kubeconfigs stay",
  },
  {
    path: "/v1/management.cattle.io.settings",
    who: "anybody",
    about:
      "before login those that are readable then; with one, as any type, by the caller's rights: of who has no role at all that is none",
  },
  { path: "/v1/{type}, /v1/{type}/{namespace}", who: "logged in", about: "list; POST creates" },
  {
    path: "/v1/{type}/{name}, /v1/{type}/{namespace}/{name}",
    who: "logged in",
    about: "one object: GET, PUT, PATCH, DELETE",
  },
];

/** Beside /v1. */
export const otherRoutes: readonly Served[] = [
  {
    path: "/ping, /healthz, /readyz",
    who: "anybody",
    about: "whether the server is there, and ready",
  },
  { path: "/rancherversion", who: "anybody", about: "version" },
  { path: "/cacerts", who: "anybody", about: "the authority of the serving certificate" },
  {
    path: "/v1-public/authproviders, /v3-public/authProviders",
    who: "anybody",
    about: "the ways in; the second while feature `v3-public` is on",
  },
  {
    path: "/v1-public/login, /v3-public/localProviders/local?action=login",
    who: "anybody",
    about: "log in; the second while feature `v3-public` is on",
  },
  {
    path: "/v3/settings/{name}",
    who: "anybody",
    about: `in norman's form, ${oldSettings.map((name) => `\`${name}\``).join(", ")} and the settings that are shown without a login`,
  },
  { path: "/v3/tokens?action=logout", who: "logged in", about: "as /v1/logout" },
  {
    path: "/api, /apis, /openapi, /version",
    who: "the caller's rights",
    about: "the Kubernetes API of the server's own cluster",
  },
  {
    path: "/k8s/clusters/local, /k8s/proxy/local",
    who: "the caller's rights",
    about:
      "before `/v1`, `/api`, `/apis`, `/openapi` and `/version`: the same; URLs in answers are those without. Before `/healthz`, `/livez`, `/readyz`, `/metrics`, `/logs`, `/openid` and `/.well-known`: the API server's",
  },
];
