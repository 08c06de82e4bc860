/** Stages behind a real listener, for tests. */

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { request } from "node:https";
import { type Logger, silentLogger, systemClock } from "kopf-ts";
import { type Login, nobody } from "../../caller.ts";
import { compose, type Stage } from "../../stage.ts";
import { type ServingCertificate, selfSigned } from "../certificate.ts";
import { type Listener, listen } from "../index.ts";
import { Raw } from "./raw.ts";

/** What a client got. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What a client sends besides a path. */
export interface Ask {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

/** A listener on a free port whose requests go through some stages. */
export class Served implements AsyncDisposable {
  readonly listener: Listener;
  readonly certificate: ServingCertificate;

  private constructor(listener: Listener, certificate: ServingCertificate) {
    this.listener = listener;
    this.certificate = certificate;
  }

  static async open(stages: readonly Stage[], log: Logger = silentLogger): Promise<Served> {
    const certificate = await selfSigned(["localhost", "127.0.0.1"], Date.now());
    const ports = { httpsPort: 0, httpPort: 0 };
    const handle = compose(stages);
    const listener = await listen({ ...ports, certificate, handle, clock: systemClock, log });
    return new Served(listener, certificate);
  }

  call(path: string, { method = "GET", headers = {}, body }: Ask = {}): Promise<Answer> {
    const { httpsPort: port } = this.listener;
    const options = { host: "127.0.0.1", port, path, method, headers, agent: false };
    return new Promise((resolve, reject) => {
      request({ ...options, servername: "localhost", ca: this.certificate.cert }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.once("end", () => {
          const { statusCode: status = 0, headers: received } = response;
          resolve({ status, headers: received, body: text });
        });
      })
        .on("error", reject)
        .end(body);
    });
  }

  raw(): Raw {
    return new Raw(this.listener, this.certificate.cert);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.listener.close(0);
  }
}

/** Somebody who is known. */
export const somebody: Login = {
  caller: { username: "u-abc12", groups: ["system:authenticated"] },
  token: undefined,
};

/** Says who asks: somebody where the request shows anything, else nobody. */
export const fakeAuthn: Stage = async (exchange, next) => {
  exchange.login = exchange.request.headers.authorization === undefined ? nobody : somebody;
  await next();
};
