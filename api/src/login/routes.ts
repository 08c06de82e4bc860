/** Which path and method is which action of login. Pure. */

/** What a request wants here. */
export type Route =
  | { readonly action: "login"; readonly api: "v1" }
  | { readonly action: "login"; readonly api: "v3"; readonly types: string; readonly name: string }
  | { readonly action: "list"; readonly api: "v1" | "v3" }
  /** `types` is undefined where all kinds are asked through one path. */
  | { readonly action: "show"; readonly types: string | undefined; readonly name: string }
  | { readonly action: "logout"; readonly all: boolean }
  | { readonly action: "unknown-action" }
  | { readonly action: "wrong-method"; readonly allow: string };

/** A path that is served here for other methods only. */
const only = (allow: string): Route => ({ action: "wrong-method", allow });

/** What is asked; undefined for what is nothing of ours. */
export function routeOf(method: string, path: string, query: URLSearchParams): Route | undefined {
  if (!mayBeServed(path)) return undefined;
  const isRead = method === "GET" || method === "HEAD";
  switch (withoutSlashes(path)) {
    case "/v1-public/login":
      return method === "POST" ? { action: "login", api: "v1" } : only("POST");
    case "/v1-public/authproviders":
      return isRead ? { action: "list", api: "v1" } : only("GET, HEAD");
    case "/v3-public/authProviders":
      return isRead ? { action: "list", api: "v3" } : only("GET, HEAD");
    case "/v1/logout":
      return method === "POST" ? { action: "logout", all: query.has("all") } : only("POST");
    case "/v3/tokens":
      return method === "POST" ? logoutOf(query) : undefined;
    default:
      return providerRoute(method, path, query);
  }
}

const beginnings: readonly string[] = ["/v1-public/", "/v3-public/", "/v1/logout", "/v3/tokens"];

/** What most paths are not. */
function mayBeServed(path: string): boolean {
  return beginnings.some((beginning) => path.startsWith(beginning));
}

/** Without those at its end. From where slashes begin alone: they could be looked at from each of thousands. */
function withoutSlashes(path: string): string {
  return path.replace(/(?<!\/)\/+$/, "");
}

/** Other actions on tokens are not ours. */
function logoutOf(query: URLSearchParams): Route | undefined {
  const action = query.get("action");
  if (action !== "logout" && action !== "logoutAll") return undefined;
  return { action: "logout", all: action === "logoutAll" };
}

function providerRoute(method: string, path: string, query: URLSearchParams): Route | undefined {
  const [, types, name] = /^\/v3-public\/([A-Za-z]+Providers)\/([\w.-]+)\/*$/.exec(path) ?? [];
  if (types === undefined || name === undefined) return undefined;
  const isAny = types === "authProviders";
  if (method === "GET" || method === "HEAD") {
    return { action: "show", types: isAny ? undefined : types, name };
  }
  if (method !== "POST" || isAny) return only(isAny ? "GET, HEAD" : "GET, HEAD, POST");
  if (query.get("action") !== "login") return { action: "unknown-action" };
  return { action: "login", api: "v3", types, name };
}
