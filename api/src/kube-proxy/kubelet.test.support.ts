/** A node of the API server whose kubelet is a server of the test's own, with a Pod on it. */

import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type ControlPlane, freshNamespace, uniqueName } from "@drover/env";
import { eventually } from "kopf-ts/testing";

/** What the kubelet was asked. */
export interface Asked {
  readonly request: IncomingMessage;
  /** Of upgrades. */
  readonly socket: Duplex | undefined;
}

/** The kubelet echoes what comes over connections that change their protocol, and answers other requests with `answer`. */
export class Kubelet implements AsyncDisposable {
  readonly asked: Asked[] = [];
  readonly node: string = uniqueName("node");
  namespace = "";
  readonly pod = "web";
  answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) =>
    response.end("ok");
  readonly #env: ControlPlane;
  readonly #server: Server;

  private constructor(env: ControlPlane, server: Server) {
    this.#env = env;
    this.#server = server;
  }

  static async start(env: ControlPlane): Promise<Kubelet> {
    const { cert, key } = await env.serverCertificate(["127.0.0.1"]);
    const kubelet = new Kubelet(env, createServer({ cert, key }));
    await kubelet.#listen();
    await kubelet.#register();
    return kubelet;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#env.request("DELETE", `/api/v1/nodes/${this.node}`);
    for (const { socket } of this.asked) socket?.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #listen(): Promise<void> {
    this.#server.on("request", (request, response) => {
      this.asked.push({ request, socket: undefined });
      this.answer(request, response);
    });
    this.#server.on("upgrade", (request, socket) => this.#upgrade(request, socket));
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  #upgrade(request: IncomingMessage, socket: Duplex): void {
    this.asked.push({ request, socket });
    const {
      upgrade,
      "sec-websocket-key": key,
      "sec-websocket-protocol": protocol,
    } = request.headers;
    const lines = [
      "HTTP/1.1 101 Switching Protocols",
      "Connection: Upgrade",
      `Upgrade: ${upgrade}`,
      ...["Set-Cookie: R_SESS=planted", "Set-Cookie: grafana=1", "Set-Cookie: CSRF=planted"],
      ...(key === undefined ? ["X-Stream-Protocol-Version: v4.channel.k8s.io"] : []),
      ...(key === undefined ? [] : [`Sec-WebSocket-Accept: ${acceptanceOf(key)}`]),
      ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol.split(",")[0]}`]),
    ];
    socket.on("error", () => undefined);
    socket.write(`${lines.join("\r\n")}\r\n\r\nhello `);
    socket.pipe(socket);
  }

  async #register(): Promise<void> {
    const { port } = this.#server.address() as AddressInfo;
    const status = {
      addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
    };
    await this.#create("/api/v1/nodes", { metadata: { name: this.node }, status });
    this.namespace = await freshNamespace(this.#env);
    const containers = [{ name: "web", image: "web" }];
    const spec = { nodeName: this.node, containers, automountServiceAccountToken: false };
    const pods = `/api/v1/namespaces/${this.namespace}/pods`;
    await eventually(() => this.#create(pods, { metadata: { name: this.pod }, spec }), {
      within: 30_000, // the namespace's service account must be there
    });
  }

  async #create(path: string, body: object): Promise<boolean> {
    const { status } = await this.#env.request("POST", path, { body });
    return status === 201;
  }
}

function acceptanceOf(key: string): string {
  return createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
}
