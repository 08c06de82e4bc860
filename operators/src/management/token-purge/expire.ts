import { toTimestamp } from "@drover/platform";
import {
  type Context,
  type Counter,
  done,
  type KubeObject,
  messageOf,
  type Result,
  requeueAfter,
  requeueAt,
  type Throttle,
} from "kopf-ts";
import { legacyFinalizer, purgeAction, reasons } from "./names.ts";

/** What all runs of a controller share. */
export interface Shared {
  readonly pace: Throttle;
  readonly purged: Counter | undefined;
}

/** How people are told of an object: "the token of user ada", and the user for the log. */
export interface Told {
  readonly what: string;
  readonly user?: string | undefined;
}

/** Deletes what has expired when it is its turn; answers when to look again. */
export async function expire(
  object: KubeObject,
  { expiry, told }: { readonly expiry: number; readonly told: Told },
  context: Context,
  { pace, purged }: Shared,
): Promise<Result> {
  const { client, clock, key } = context;
  const late = clock.now() - expiry;
  if (late < 0) return requeueAt(expiry);

  const wait = pace.wait(key, late, clock.monotonic());
  if (wait > 0) return requeueAfter(wait);

  const deleted = await client.delete(object); // carries uid and resourceVersion
  if (!deleted) return done;
  tell(object, told, toTimestamp(expiry), context);
  purged?.inc();
  return done;
}

/** What cannot be read is told where people look for it, then left alone until it changes. */
export function orEvent<T>({ events }: Context, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const message = messageOf(error);
    events.event({ type: "Warning", reason: reasons.invalid, action: purgeAction, message });
    throw error;
  }
}

/** One that finalizers hold is only marked; the delete carried its version, so these are the ones it had then. */
function tell(
  { metadata }: KubeObject,
  { what, user }: Told,
  expired: string,
  { log, events }: Context,
): void {
  const holders = (metadata.finalizers ?? []).filter((name) => name !== legacyFinalizer);
  const whose = `${what}, which expired at ${expired}`;
  const waits = `it waits for the finalizers [${holders.join(", ")}]`;
  const message =
    holders.length === 0 ? `deleted ${whose}` : `marked ${whose}, for deletion; ${waits}`;
  events.event({ type: "Normal", reason: reasons.expired, action: purgeAction, message });
  if (holders.length === 0) log.info("deleted expired token", { expired, user });
  else log.info("marked expired token for deletion", { expired, user, finalizers: holders });
}
