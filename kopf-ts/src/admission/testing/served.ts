/** Webhooks served over HTTPS without an API server, and a client that sends whatever a test likes. */

import { request } from "node:https";
import { Slots, systemClock } from "../../base/index.ts";
import type { KeyPair } from "../../certificates/index.ts";
import { issueAuthority, issueServing } from "../../certificates/issue.ts";
import type { Client } from "../../kube/index.ts";
import { Metrics } from "../../observe/index.ts";
import { openHooks } from "../hook.ts";
import { Listener } from "../http/listener.ts";
import type { AnyWebhook } from "../webhook.ts";
import { type KeptLog, keptLog } from "./lines.ts";

/** What to send; an AdmissionReview by POST unless told otherwise. */
export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  readonly signal?: AbortSignal;
}

/** What came back. */
export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

const options = { commonName: "test", life: 60_000 };

/** A listener on a free port. */
export class Served implements AsyncDisposable {
  readonly listener: Listener;
  readonly log: KeptLog = keptLog();
  readonly metrics: Metrics = new Metrics({ process: false });
  port = 0;
  readonly #authority: KeyPair;

  private constructor(
    authority: KeyPair,
    pair: KeyPair,
    webhooks: readonly AnyWebhook[],
    at: number,
  ) {
    this.#authority = authority;
    const informers = {
      acquire: () => {
        throw new Error("these webhooks read nothing");
      },
    };
    this.listener = new Listener(
      {
        hooks: openHooks(webhooks, "/w", informers),
        client: { server: "" } as unknown as Client, // these webhooks ask nothing
        fieldManager: "test",
        clock: systemClock,
        log: this.log.logger,
        slots: new Slots(at),
        metricsOf: (path) => this.metrics.webhook(path),
      },
      pair,
    );
  }

  /** `slots` is how many reviews it works on at once. */
  static async open(
    webhooks: readonly AnyWebhook[],
    { slots = 256, port = 0 }: { readonly slots?: number; readonly port?: number } = {},
  ): Promise<Served> {
    const now = systemClock.now();
    const authority = await issueAuthority({ ...options, commonName: "authority", now });
    const pair = await issueServing(authority, { ...options, now, names: ["127.0.0.1"] });
    const served = new Served(authority, pair, webhooks, slots);
    served.port = await served.listener.listen({ host: "127.0.0.1", port });
    return served;
  }

  /** Another certificate of the same authority. */
  async otherPair(): Promise<KeyPair> {
    const now = systemClock.now();
    return issueServing(this.#authority, { ...options, now, names: ["127.0.0.1", "other"] });
  }

  /** Each on a connection of its own. */
  send({ method = "POST", path, headers, body, signal }: Sent): Promise<Received> {
    const type = { "Content-Type": "application/json" };
    return new Promise((resolve, reject) => {
      const asking = request(
        {
          ...{ host: "127.0.0.1", port: this.port, ca: this.#authority.cert, agent: false },
          ...{ method, path, headers: { ...type, ...headers }, ...(signal && { signal }) },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(chunks).toString(),
            }),
          );
        },
      );
      asking.on("error", reject);
      asking.end(body);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.listener.close(0);
  }
}
