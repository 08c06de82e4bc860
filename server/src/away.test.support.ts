/** Clusters that are away. */

import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { Cluster, dataNamespace } from "@drover/crds";
import { aCluster } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { type Client, ownerReference, refTo } from "kopf-ts";
import { Namespace, Secret } from "kopf-ts/kinds";

/** A server that takes every connection and never answers. */
export class SilentServer implements AsyncDisposable {
  readonly sockets: Socket[] = [];
  readonly #server: Server = createServer((socket) => {
    socket.on("error", () => undefined);
    this.sockets.push(socket);
  });

  static async open(): Promise<SilentServer> {
    const silent = new SilentServer();
    silent.#server.listen(0, "127.0.0.1");
    await once(silent.#server, "listening");
    return silent;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new TypeError("it does not listen");
    return `http://127.0.0.1:${address.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** Nobody listens there. */
export const nowhere = "http://127.0.0.1:1";

/** A cluster that has all that it is reached with, at `apiEndpoint`. */
export async function clusterAt(apiEndpoint: string, hub: Client): Promise<string> {
  const name = uniqueName("c");
  await hub.apply(refTo(Namespace, dataNamespace), { fieldManager: "test" });
  const cluster = await hub.create(aCluster({ metadata: { name } }));
  await hub.create<Secret>({
    ...{ apiVersion: "v1", kind: Secret.kind },
    metadata: {
      name: `${name}-token`,
      namespace: dataNamespace,
      ownerReferences: [ownerReference(cluster)],
    },
    stringData: { credential: "none" },
  });
  const needed = ["Provisioned", "ServiceAccountSecretsMigrated"];
  const status = {
    ...{ apiEndpoint, serviceAccountTokenSecret: `${name}-token` },
    caCert: Buffer.from("-----BEGIN CERTIFICATE-----").toString("base64"),
    conditions: needed.map((type) => ({ type, status: "True" })),
  };
  await hub.patch<Cluster>(cluster, { merge: { status } }, { subresource: "status" });
  return name;
}

/** Takes it away again: other tests look at all clusters. */
export async function forget(name: string, hub: Client): Promise<void> {
  await hub.delete(refTo(Cluster, name));
  await hub.delete(refTo(Secret, `${name}-token`, dataNamespace));
}
