/** An API server with more objects than a test could make. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type ClusterConfig, connect, type ForwardingClient } from "kopf-ts";
import { endOfList, eventLine } from "kopf-ts/testing";

/** What is told of a kind, by the path of its collection, such as `/api/v1/pods`. */
export type Told = ReadonlyMap<string, readonly object[]>;

/**
 * Stands before a real API server: streamed lists of some kinds begin with generated objects and tell of no change; everything else is the server's
 * own answer.
 */
export class ManyObjects implements AsyncDisposable {
  readonly config: ClusterConfig;
  readonly #client: ForwardingClient;
  readonly #close: () => Promise<void>;

  private constructor(client: ForwardingClient, port: number, close: () => Promise<void>) {
    this.config = { server: `http://127.0.0.1:${port}` };
    this.#client = client;
    this.#close = close;
  }

  static async start(real: ClusterConfig, told: Told): Promise<ManyObjects> {
    const client = connect(real);
    const streams = new Map([...told].map(([path, objects]) => [path, streamOf(objects)]));
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "", "http://server");
      const stream = searchParams.has("sendInitialEvents") ? streams.get(pathname) : undefined;
      const done = stream === undefined ? pass(client, request, response) : tell(stream, response);
      done.catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo; // it listens on one
    return new ManyObjects(client, port, async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
    await this.#client[Symbol.asyncDispose]();
  }
}

/** Chunks as a network brings them. */
function streamOf(objects: readonly object[]): readonly Buffer[] {
  const lines = objects.map((object) => eventLine("ADDED", object));
  const bytes = Buffer.from([...lines, endOfList("1000")].join(""));
  const size = 64 * 1024;
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
}

async function tell(stream: readonly Buffer[], response: ServerResponse): Promise<void> {
  response.writeHead(200, { "Content-Type": "application/json" });
  await pipeline(Readable.from(stream), response, { end: false });
}

async function pass(
  client: ForwardingClient,
  { method = "GET", url: path = "/", rawHeaders }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const { signal } = gone;
  const { status, headers, body } = await client.forward({ method, path, rawHeaders, signal });
  response.writeHead(status, { "Content-Type": headers["content-type"] as string | undefined });
  response.flushHeaders();
  await pipeline(body, response);
}
