/** Calls the API as clients do: over TLS that is verified, with the cookies and the token that they were given. */

import { Agent, request } from "undici";
import { Subscriber } from "./subscriber.ts";

/** What the server answered. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** An object of an answer. */
export type Json = Readonly<Record<string, unknown>>;

/** What is sent along; a body that is no text goes as JSON. */
export interface Sent {
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Somebody who calls. Keeps cookies as a browser does. */
export class Visitor implements AsyncDisposable {
  readonly base: string;
  readonly cookies: Map<string, string> = new Map();
  readonly #agent: Agent;
  readonly #headers: Readonly<Record<string, string>>;

  /** `ca` is the only authority that is trusted. */
  constructor(base: string, ca: string, headers: Readonly<Record<string, string>> = {}) {
    this.base = base;
    this.#agent = new Agent({ connect: { ca } });
    this.#headers = headers;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.send("GET", path, { headers });
  }

  post(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.send("POST", path, { body, headers });
  }

  /** The answer, which has to have status 200, as JSON. */
  async read(path: string): Promise<Json> {
    const { status, text } = await this.get(path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text.slice(0, 500)}`);
    return JSON.parse(text);
  }

  /** Ids of what a list has; its status has to be 200. */
  async ids(path: string): Promise<readonly string[]> {
    const { data } = await this.read(path);
    return Array.isArray(data) ? data.map(({ id }) => String(id)) : [];
  }

  async send(method: string, path: string, { body, headers = {} }: Sent = {}): Promise<Reply> {
    const sent = typeof body === "object" ? JSON.stringify(body) : body;
    const answer = await request(`${this.base}${path}`, {
      ...{ method, dispatcher: this.#agent },
      headers: {
        ...(sent === undefined ? {} : { "content-type": "application/json" }),
        ...this.#own(),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
    });
    this.#keep(answer.headers["set-cookie"]);
    return {
      status: answer.statusCode,
      headers: Object.fromEntries(
        Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
      ),
      text: await answer.body.text(),
    };
  }

  /** Opens the websocket of /v1/subscribe, of a cluster where its prefix is told. */
  subscribe(prefix = ""): Promise<Subscriber> {
    const url = `${this.base.replace(/^http/, "ws")}${prefix}/v1/subscribe`;
    return Subscriber.open(url, { dispatcher: this.#agent, headers: this.#own() });
  }

  /** Resolves when answers in work are read. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }

  #own(): Readonly<Record<string, string>> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    return { ...this.#headers, ...(cookie === "" ? {} : { cookie }) };
  }

  #keep(set: string | readonly string[] | undefined): void {
    for (const line of [set ?? []].flat()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}
