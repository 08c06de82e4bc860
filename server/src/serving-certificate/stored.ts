import type { ServingCertificate } from "@drover/api";
import { ApiError, type Client, type Clock, type Logger, messageOf } from "kopf-ts";
import { readServing } from "kopf-ts/certificates";
import { Secret } from "kopf-ts/kinds";
import { secrets } from "./names.ts";

/** What the stored certificate is read and presented with. */
export interface StoredParts {
  readonly client: Pick<Client, "find">;
  /** Throws when it cannot be served. */
  readonly present: (certificate: ServingCertificate) => void;
  readonly clock: Pick<Clock, "sleep">;
  readonly log: Logger;
}

/** Of one look at the Secret, and from one to the next; milliseconds. */
const timeout = 5_000;
const pause = 500;

/**
 * Presents the certificate that replicas share, where there is one already, before any data is served under another: to clients that trust its authority that looks like an attack,
 * not like a restart. Waits for an API server that does not answer, as all that follows would; rejects with the signal's reason alone. What is wrong with the certificate is told by the
 * task that makes and follows it.
 */
export async function presentStored(
  { client, present, clock, log }: StoredParts,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name } = secrets.serving;
  for (;;) {
    try {
      const read = readServing(await client.find(Secret, name, { namespace, timeout, signal }));
      if ("found" in read) present(read.found.pair);
      return;
    } catch (error) {
      signal.throwIfAborted();
      log.debug("the stored certificate is not presented yet", { reason: messageOf(error) });
      if (!isAway(error)) return;
    }
    await clock.sleep(pause, signal);
  }
}

/** Whether the API server gave no answer: one that refuses would do so again. */
function isAway(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 0 || error.code >= 500);
}
