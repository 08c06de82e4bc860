/** Requests as clients of an HTTPS server send them, and how long each took. */

import { gunzipSync } from "node:zlib";
import { Pool } from "undici";
import { type Percentiles, percentiles } from "./v1/latencies.ts";
import { countWithin, due } from "./v1/schedule.ts";

/** Where requests go, and as whom. */
export interface Aim {
  /** `https://host:port`. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The path of request number `index`. */
  readonly path: (index: number) => string;
}

/** What a load found; times in milliseconds. */
export interface Latencies extends Percentiles {
  readonly perSecond: number;
  readonly count: number;
  /** Of one answer, on the wire, median. */
  readonly bytes: number;
}

/** When a load ends: after so many requests, or so many milliseconds, whatever comes first. */
export interface Bounds {
  readonly requests: number;
  readonly time: number;
}

/** Sends requests at a rate, whether answers come or not; what has to wait for a connection waits in the figure. */
export async function openLoop(
  aim: Aim,
  perSecond: number,
  { requests, time }: Bounds,
): Promise<Latencies> {
  await using server = new Server(aim, 32);
  await server.get(0);
  const begin = performance.now();
  const taken: number[] = [];
  const sizes: number[] = [];
  const one = async (index: number): Promise<void> => {
    const start = begin + due(index, perSecond);
    await until(start);
    sizes.push(await server.get(index));
    taken.push(performance.now() - start);
  };
  const count = Math.min(requests, countWithin(time, perSecond));
  await Promise.all(Array.from({ length: count }, (_, index) => one(index)));
  return latencies(taken, sizes, performance.now() - begin);
}

/** Milliseconds from an answer that was not enough to the next question. */
const pause = 20;

/** Asks on one connection until an answer is enough; it is given undefined for what is no 200, and may throw to end it. */
export async function untilBody(
  aim: Aim,
  isEnough: (body: Buffer | undefined) => boolean,
): Promise<void> {
  await using server = new Server(aim, 1);
  for (;;) {
    const body = await server.body(0).catch(() => undefined);
    if (isEnough(body)) return;
    await new Promise((resolve) => setTimeout(resolve, pause)); // until it is asked again: servers tell nothing
  }
}

/** The body of one answer; unpacked. */
export async function fetchBody(aim: Aim, index: number): Promise<Buffer> {
  await using server = new Server(aim, 1);
  return await server.body(index);
}

/** The body of one answer as it came. */
export async function fetchBytes(aim: Aim, index: number): Promise<Buffer> {
  await using server = new Server(aim, 1);
  return (await server.bytes(aim.path(index))).body;
}

class Server implements AsyncDisposable {
  readonly #aim: Aim;
  readonly #pool: Pool;

  constructor(aim: Aim, connections: number) {
    this.#aim = aim;
    this.#pool = new Pool(aim.base, {
      connections,
      pipelining: 1,
      connect: { rejectUnauthorized: false },
    });
  }

  /** Resolves with the number of the body's bytes. They are counted as they come, without streams: what the load itself does is part of every figure. */
  get(index: number): Promise<number> {
    const { path, headers } = this.#aim;
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    let [status, bytes] = [0, 0];
    const fails = (): void => reject(new Error(`${path(index)}: status ${status}`));
    this.#pool.dispatch(
      { path: path(index), method: "GET", headers },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_, code) => {
          status = code;
        },
        onResponseData: (_, chunk) => {
          bytes += chunk.length;
        },
        onResponseEnd: () => (status === 200 ? resolve(bytes) : fails()),
        onResponseError: (_, error) => reject(error),
      },
    );
    return promise;
  }

  body(index: number): Promise<Buffer> {
    return this.fetch(this.#aim.path(index));
  }

  /** Packed answers are unpacked. */
  async fetch(path: string): Promise<Buffer> {
    return unpacked(await this.bytes(path));
  }

  /** As they came. */
  async bytes(path: string): Promise<Came> {
    const { headers } = this.#aim;
    const answer = await this.#pool.request({ path, method: "GET", headers });
    const body = Buffer.from(await answer.body.arrayBuffer());
    const encoding = answer.headers["content-encoding"];
    if (answer.statusCode === 200) return { body, encoding };
    const text = unpacked({ body, encoding }).toString("utf8", 0, 300);
    throw new Error(`${path}: status ${answer.statusCode} ${text}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.close();
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

async function until(time: number): Promise<void> {
  const wait = time - performance.now();
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait)); // when the open loop has it due
}

/** What so many times and sizes come to, found in so many milliseconds. */
export function latencies(
  taken: readonly number[],
  sizes: readonly number[],
  wall: number,
): Latencies {
  return {
    ...percentiles(taken),
    perSecond: (taken.length * 1000) / wall,
    count: taken.length,
    bytes: sizes.toSorted((a, b) => a - b)[sizes.length >> 1] ?? 0,
  };
}
