/** Single answers of an HTTPS server, read whole: to compare them, and to wait until one says what it should. */

import { gunzipSync } from "node:zlib";
import { Client } from "undici";
import type { Aim } from "./load.ts";

/** Milliseconds from an answer that was not enough to the next question. */
const pause = 20;

/** Asks on one connection until an answer is enough; `isEnough` is given undefined for what is no 200, and may throw to end it. */
export async function untilBody(
  aim: Aim,
  isEnough: (body: Buffer | undefined) => boolean,
): Promise<void> {
  await using server = new Server(aim);
  for (;;) {
    const body = await server.body(0).catch(() => undefined);
    if (isEnough(body)) return;
    await new Promise((resolve) => setTimeout(resolve, pause)); // until it is asked again: servers tell nothing
  }
}

/** The body of one answer, unpacked; rejects when it is no 200. */
export async function fetchBody(aim: Aim, index: number): Promise<Buffer> {
  await using server = new Server(aim);
  return await server.body(index);
}

/** The body of one answer as it came, packed or not; rejects when it is no 200. */
export async function fetchBytes(aim: Aim, index: number): Promise<Buffer> {
  await using server = new Server(aim);
  return (await server.bytes(aim.path(index))).body;
}

/** One connection to a server. */
class Server implements AsyncDisposable {
  readonly #aim: Aim;
  readonly #client: Client;

  constructor(aim: Aim) {
    this.#aim = aim;
    this.#client = new Client(aim.base, { connect: { rejectUnauthorized: false } });
  }

  /** Packed answers are unpacked. */
  async body(index: number): Promise<Buffer> {
    return unpacked(await this.bytes(this.#aim.path(index)));
  }

  /** As they came. */
  async bytes(path: string): Promise<Came> {
    const { headers } = this.#aim;
    const answer = await this.#client.request({ path, method: "GET", headers });
    const body = Buffer.from(await answer.body.arrayBuffer());
    const encoding = answer.headers["content-encoding"];
    if (answer.statusCode === 200) return { body, encoding };
    const text = unpacked({ body, encoding }).toString("utf8", 0, 300);
    throw new Error(`${path}: status ${answer.statusCode} ${text}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }
}

/** The body of an answer as it came. */
interface Came {
  readonly body: Buffer;
  readonly encoding: unknown;
}

function unpacked({ body, encoding }: Came): Buffer {
  return encoding === "gzip" ? gunzipSync(body) : body;
}
