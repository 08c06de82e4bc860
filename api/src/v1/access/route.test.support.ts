/** One route of /v1 behind a real HTTP server, for tests. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Caller } from "@drover/platform";
import { silentLogger } from "kopf-ts";
import { answer } from "../../listener/exchange.ts";
import type { Route } from "../route.ts";
import type { Access } from "./access.ts";

/** What a request was answered with. */
export interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

/** Who asks, and what they may do. */
export interface Asker {
  readonly caller: Caller;
  readonly access: Access;
}

/** A server with one route. */
export interface Served extends AsyncDisposable {
  ask(target: string, asker: Asker, method?: string): Promise<Reply>;
}

/** Serves a route at `/v1/<name>`; URLs in its answers begin with `https://drover`. */
export async function serve(route: Route): Promise<Served> {
  let asker: Asker | undefined;
  const { signal: stopping } = new AbortController();
  const server = createServer((request, response) =>
    answer(request, response, undefined, {
      ...{ log: silentLogger, stopping },
      handle: async (exchange) => {
        if (asker === undefined) throw new Error("nobody asks");
        exchange.login = { caller: asker.caller, token: undefined };
        const rest = exchange.path.split("/").slice(3);
        const { signal } = exchange;
        await route(exchange, { access: asker.access, rest, base: "https://drover", signal });
      },
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    ask: async (target, by, method = "GET") => {
      asker = by;
      const reply = await fetch(`http://127.0.0.1:${port}${target}`, { method });
      const body = (await reply.json()) as Reply["body"]; // an object, as all answers
      return { status: reply.status, body, headers: reply.headers };
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
