import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ClusterConfig } from "../kube/index.ts";
import { formOf, type SeenRequest } from "./faults/fault.ts";

/** Answers one request; `index` counts those of its form from 0. */
export type ServerScript = (
  response: ServerResponse,
  request: SeenRequest & { readonly index: number },
) => void;

/** A server that follows a script; disposing it cuts its connections. */
export interface ScriptedServer extends AsyncDisposable {
  readonly config: ClusterConfig;
  /** Every request that came, oldest first. */
  readonly requests: readonly SeenRequest[];
}

/** Starts a server on 127.0.0.1 for what a real API server never says on demand. */
export async function startScriptedServer(script: ServerScript): Promise<ScriptedServer> {
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const { method = "", url: path = "", headers } = request;
    const url = new URL(path, "http://server");
    const seen = { method, path, query: url.searchParams, headers, form: formOf(method, url) };
    const index = requests.filter(({ form }) => form === seen.form).length;
    requests.push(seen);
    script(response, { ...seen, index });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    config: { server: `http://127.0.0.1:${port}` },
    requests,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** An event of a watch, as a line. */
export function eventLine(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}

/** The bookmark that ends a streamed list, as a line. */
export function endOfList(resourceVersion: string): string {
  const annotations = { "k8s.io/initial-events-end": "true" };
  return eventLine("BOOKMARK", { metadata: { resourceVersion, annotations } });
}
