import type { Dispatcher } from "undici";
import type { Clock, Logger } from "../../base/index.ts";
import type { ClusterConfig } from "../config/cluster-config.ts";
import type { Credentials } from "../config/credentials.ts";
import { ApiError } from "../errors.ts";
import type { ClientMetrics } from "../metrics.ts";
import { type Answer, headerOf, Unanswered } from "./answer.ts";
import { outOfForce } from "./certificates.ts";
import { Deadline, timeUp } from "./deadline.ts";
import { Exchange } from "./exchange.ts";
import {
  type Asked,
  answerError,
  describeCause,
  localError,
  lostError,
  timeoutError,
  uselessError,
} from "./failures.ts";
import { type Failure, isTransient, parseRetryAfter, retryDelay } from "./retry.ts";
import type { Stream } from "./stream.ts";
import type { Access, Transport } from "./transport.ts";
import { Warnings } from "./warnings.ts";

/** One call: a request with all its attempts. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Begins with `/`, below the server's own path, and carries its query. */
  readonly path: string;
  /** For metrics. */
  readonly verb: string;
  readonly resource: string;
  /** Names and values in turn, so that names may repeat. */
  readonly headers: readonly string[];
  readonly userAgent?: string | undefined;
  readonly body?: string | Uint8Array | undefined;
  /** Whether a repetition does no harm even if the first attempt was carried out. */
  readonly safe: boolean;
  readonly streaming?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly timeout?: number | undefined;
  /** Bytes of the answer at most. */
  readonly answerLimit?: number | undefined;
  readonly beforeSend?: (() => void) | undefined;
  /** What `within` gave, for a call that is a part of something longer. */
  readonly deadline?: Deadline | undefined;
}

/** Somebody else's request: passed on once, whatever comes back. */
export interface Forward extends Pick<Call, "path" | "verb" | "resource" | "headers" | "signal"> {
  readonly method: string;
  /** Read as fast as the server takes it. */
  readonly body: AsyncIterable<Uint8Array> | undefined;
  /** Its own Authorization, in place of ours. */
  readonly authorization: string | undefined;
  /** The protocol to change to. */
  readonly upgrade: string | undefined;
}

/** Something that takes several steps under one deadline; method and path are for messages. */
export type Span = Pick<Call, "path" | "signal" | "timeout"> & { readonly method: string };

/** What a caller works with. */
export interface CallerOptions {
  readonly transport: Transport;
  /** The server's address, for messages. */
  readonly server: string;
  /** Path of the server's address, without a trailing slash; empty for most. */
  readonly basePath: string;
  /** What the kubeconfig calls the cluster and us, for messages. */
  readonly names: Pick<ClusterConfig, "cluster" | "user">;
  readonly userAgent: string;
  readonly timeout: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ClientMetrics | undefined;
}

/** The reason that ends calls when their client is closed. */
const closed: unique symbol = Symbol("closed");

const readingCredentials = "reading credentials";

/** An attempt that failed, with the error to throw unless another follows. */
interface Failed extends Failure {
  readonly error: ApiError;
}

/** Makes calls: attempts, credentials, repetitions, the deadline around them, metrics. Failures become ApiErrors. */
export class Caller {
  readonly #options: CallerOptions;
  readonly #warnings: Warnings;
  readonly #running = new Set<Deadline>();

  constructor(options: CallerOptions) {
    this.#options = options;
    this.#warnings = new Warnings(options.logger);
  }

  /** The answer, its status below 400. A streaming call resolves with the head. Rejects with the signal's reason when that aborts. */
  call(call: Call): Promise<Answer> {
    return call.deadline === undefined
      ? this.within(call, (deadline) => this.#attempts(call, deadline))
      : this.#attempts(call, call.deadline);
  }

  /**
   * The answer, whatever its status; its body is left to a Stream. Sent once, but for two cases that do no harm: a read without a body whose kept
   * connection turns out to be lost, and a request without a body whose answer shows that our credentials were old.
   */
  forward(call: Forward): Promise<Answer> {
    return this.within({ ...call, timeout: ENDLESS }, async (deadline) => {
      const access = await this.#access(call, deadline);
      const first = await this.#pass(call, access, deadline);
      const again =
        "error" in first
          ? isRepeatable(call, first)
          : isOurs(call, first) && (await this.#renew(call, access, deadline).catch(() => false));
      if (!again) return headOf(first);
      if (!("error" in first)) first.stream?.close();
      if (call.body !== undefined) throw this.#outdated(call);
      return headOf(await this.#pass(call, await this.#access(call, deadline), deadline));
    });
  }

  /** Runs steps that share one timeout and one signal: `wait` and calls that carry the deadline. */
  async within<T>(span: Span, run: (deadline: Deadline) => Promise<T>): Promise<T> {
    const { clock, timeout } = this.#options;
    const deadline = new Deadline(clock, span.timeout ?? timeout, span.signal);
    this.#running.add(deadline);
    try {
      return await run(deadline);
    } finally {
      this.#running.delete(deadline);
      deadline.dispose();
    }
  }

  /** Waits for something within a deadline; rejects as a call does when that ends first. */
  wait<T>(span: Span, deadline: Deadline, promise: Promise<T>, during: string): Promise<T> {
    if (this.#options.transport.closed) throw this.#closed(span);
    return this.#waiting(span, deadline.race(promise), during);
  }

  /** Ends all calls and streams, then every connection. */
  async close(): Promise<void> {
    const closing = this.#options.transport.close(new Error("closed"));
    for (const deadline of this.#running) deadline.end(closed);
    await closing;
  }

  async #attempts(call: Call, deadline: Deadline): Promise<Answer> {
    let renewed = false;
    for (let attempt = 0; ; attempt++) {
      const access = await this.#access(call, deadline);
      const outcome = await this.#attempt(call, access, deadline);
      if (!("error" in outcome)) return outcome;
      const stale: boolean = outcome.code === 401 && !renewed;
      renewed ||= stale;
      const again = stale
        ? await this.#renew(call, access, deadline)
        : await this.#pause(call, outcome, attempt, deadline);
      if (!again) throw outcome.error;
    }
  }

  /** Waits until it is time for the next attempt; false when there is none. */
  async #pause(call: Call, failed: Failed, attempt: number, deadline: Deadline): Promise<boolean> {
    const delay = retryDelay(failed, attempt, call.safe);
    if (delay === undefined || delay >= deadline.left) return false;
    if (delay > 0) await this.#waiting(call, deadline.sleep(delay), "waiting to try again");
    return true;
  }

  /** Connections and identity; a promise only while credentials must be read first. */
  #access(call: Span, deadline: Deadline): Access | Promise<Access> {
    const { transport } = this.#options;
    if (transport.closed) throw this.#closed(call);
    const access = transport.access();
    return access instanceof Promise
      ? this.#waiting(call, deadline.race(access), readingCredentials)
      : access;
  }

  #renew(call: Span, access: Access, deadline: Deadline): Promise<boolean> {
    const renewal = deadline.race(this.#options.transport.renew(access));
    return this.#waiting(call, renewal, readingCredentials);
  }

  async #attempt(call: Call, access: Access, deadline: Deadline): Promise<Answer | Failed> {
    const { clock, metrics } = this.#options;
    const exchange = new Exchange(call.streaming === true, call.beforeSend, call.answerLimit);
    const start = metrics === undefined ? 0 : clock.monotonic();
    deadline.bind(exchange);
    if (!exchange.cancelled) this.#dispatch(call, access, exchange);
    let code = 0;
    try {
      const answer = await exchange.answer;
      code = answer.status;
      if (answer.stream !== undefined) this.#attach(call, answer.stream);
      this.#warnings.read(answer.headers, call.path);
      return code < 400 ? answer : this.#refused(call, access, answer);
    } catch (thrown) {
      if (thrown instanceof Unanswered) return this.#lost(call, access, thrown);
      throw exchange.refused ? thrown : this.#ended(call, thrown, exchange.phase);
    } finally {
      metrics?.observe(call.verb, code, call.resource, (clock.monotonic() - start) / 1_000);
    }
  }

  async #pass(call: Forward, access: Access, deadline: Deadline): Promise<Answer | Failed> {
    const { basePath, clock, metrics, transport } = this.#options;
    const { method, body = null, upgrade = null } = call;
    const authorization = call.authorization ?? access.authorization;
    const headers = [...call.headers, ...(authorization ? ["authorization", authorization] : [])];
    const exchange = new Exchange("all");
    const pool = call.authorization === undefined ? access.streams : transport.nobody(access);
    const start = clock.monotonic();
    deadline.bind(exchange);
    const path = basePath + call.path;
    const request = { method, path, headers, body, upgrade, reset: false };
    if (!exchange.cancelled) pool.dispatch(request as Dispatcher.DispatchOptions, exchange); // its type knows fewer methods than it takes
    let code = 0;
    try {
      const answer = await exchange.answer;
      code = answer.status;
      if (answer.stream !== undefined) this.#attach(call, answer.stream);
      return answer;
    } catch (thrown) {
      if (thrown instanceof Unanswered) return this.#lost(call, access, thrown);
      throw this.#ended(call, thrown, exchange.phase);
    } finally {
      metrics?.observe(call.verb, code, call.resource, (clock.monotonic() - start) / 1_000);
    }
  }

  /** The server did not take credentials that have changed since; the request's body has been read and cannot be sent again. */
  #outdated(call: Span): ApiError {
    const text = `${this.#options.server} did not take our credentials, which are new now`;
    return localError({ ...this.#asked(call), unsent: true }, "NoCredentials", text);
  }

  #dispatch(call: Call, access: Access, exchange: Exchange): void {
    const { basePath, userAgent } = this.#options;
    const headers = ["user-agent", call.userAgent ?? userAgent, ...call.headers];
    if (access.authorization !== undefined) headers.push("authorization", access.authorization);
    const pool = call.streaming === true ? access.streams : access.calls;
    const body = call.body ?? null;
    // Without `reset: false` undici closes the connection behind every DELETE that has a body.
    pool.dispatch(
      { method: call.method, path: basePath + call.path, headers, body, reset: false },
      exchange,
    );
  }

  #refused(call: Call, { credentials }: Access, answer: Answer): Failed {
    const header = headerOf(answer.headers, "retry-after");
    const retryAfter = parseRetryAfter(header, this.#options.clock.now());
    const { token = "", password = "" } = credentials;
    const secrets = [token, password].filter((secret) => secret !== "");
    const fault = answer.status === 401 ? this.#faultOf(credentials) : undefined;
    const error = answerError({ ...this.#asked(call), fault }, answer, retryAfter, secrets);
    return { code: answer.status, sent: true, transient: false, retryAfter, error };
  }

  #faultOf({ cert }: Credentials): string | undefined {
    const { names, clock } = this.#options;
    return outOfForce(cert, quoted("user", names.user), clock.now());
  }

  #lost(call: Span, { credentials }: Access, { phase, cause }: Unanswered): Failed {
    if (this.#options.transport.closed) throw this.#closed(call);
    const { cluster } = this.#options.names;
    const trust = { cluster: quoted("cluster", cluster), ca: credentials.ca !== undefined };
    return {
      code: 0,
      sent: phase !== "waiting for a connection",
      transient: isTransient(cause),
      retryAfter: undefined,
      error: lostError({ ...this.#asked(call), trust }, phase, cause),
    };
  }

  /** From here on the call's signal and the client's end are the stream's own business. */
  #attach(call: Span, stream: Stream): void {
    const { signal } = call;
    const { transport } = this.#options;
    stream.describe = (cause) =>
      transport.closed
        ? this.#closed(call)
        : lostError(this.#asked(call), "reading the answer", cause);
    if (signal === undefined) return;
    const onAbort = (): void => stream.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    stream.onDone = () => signal.removeEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
  }

  async #waiting<T>(call: Span, promise: Promise<T>, during: string): Promise<T> {
    try {
      return await promise;
    } catch (thrown) {
      throw this.#ended(call, thrown, during);
    }
  }

  /** What a call rejects with when it ended early: its signal's reason, or an ApiError. */
  #ended(call: Span, thrown: unknown, during: string): unknown {
    if (thrown === timeUp) return timeoutError(this.#asked(call), during);
    if (thrown === closed) return this.#closed(call);
    if (call.signal?.aborted || thrown instanceof ApiError) return thrown;
    if (during !== readingCredentials) return uselessError(this.#asked(call), thrown);
    const text = `no credentials for ${this.#options.server}: ${describeCause(thrown)}`;
    return localError({ ...this.#asked(call), unsent: true }, "NoCredentials", text, thrown);
  }

  #closed(call: Span): ApiError {
    return localError(
      this.#asked(call),
      "Closed",
      `the client of ${this.#options.server} is closed`,
    );
  }

  #asked({ method, path, timeout }: Span): Asked {
    const { server, basePath } = this.#options;
    return { method, path: basePath + path, server, timeout: timeout ?? this.#options.timeout };
  }
}

/** Heads of answers may take as long as whoever asked has patience: watches, and programs behind the server. */
const ENDLESS = Number.MAX_SAFE_INTEGER;

/** A read whose kept connection the server had given up already. */
function isRepeatable({ method, body, upgrade }: Forward, { sent, transient }: Failed): boolean {
  const isRead = (method === "GET" || method === "HEAD") && upgrade === undefined;
  return sent && transient && isRead && body === undefined;
}

/** Whether a 401 may be about our own credentials: what lies behind the server (subresource proxy) has its own. */
function isOurs({ authorization, path }: Forward, { status }: Answer): boolean {
  return status === 401 && authorization === undefined && !/\/proxy([/?]|$)/.test(path);
}

function headOf(outcome: Answer | Failed): Answer {
  if ("error" in outcome) throw outcome.error;
  return outcome;
}

function quoted(sort: string, name: string | undefined): string | undefined {
  return name === undefined ? undefined : `${sort} ${JSON.stringify(name)}`;
}
