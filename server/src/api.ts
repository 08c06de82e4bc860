/** The API of a server: what it is made of, and how long it is served. */

import {
  Api,
  type ApiParts,
  errorMappingVariable,
  type Listener,
  parseErrorMapping,
} from "@drover/api";
import { Setting } from "@drover/crds";
import { liveSettings } from "@drover/platform";
import { type Informers, messageOf, systemClock } from "kopf-ts";
import type { ServerOptions } from "./options.ts";
import { version } from "./version.ts";

/** What the server has that the API needs. */
export interface ServedParts
  extends Pick<ApiParts, "client" | "forwarding" | "log" | "metrics" | "clusters"> {
  readonly informers: Informers;
}

/** The API for these options; it serves what it knows as soon as it is started. */
export function apiFor(
  { features, enableHeaderAuth = false, cacheMemory }: ServerOptions,
  { informers, ...served }: ServedParts,
): Api {
  const { cache } = informers.acquire(Setting);
  return new Api({
    ...served,
    ...{ informers, clock: systemClock, version: version() },
    ...{ features, headerAuth: enableHeaderAuth, cacheMemory },
    errorMapping: errorMappingOf(process.env, served.log),
    settings: liveSettings(cache, process.env),
  });
}

/** As Rancher has it, what cannot be read is told and passed over (wrangler: pkg/summary/summarizers.go). */
export function errorMappingOf(
  env: Readonly<Record<string, string | undefined>>,
  log: Pick<ApiParts["log"], "warn">,
): ApiParts["errorMapping"] {
  try {
    return parseErrorMapping(env[errorMappingVariable]);
  } catch (error) {
    log.warn("which conditions mean an error is not read", { error: messageOf(error) });
    return undefined;
  }
}

/** Runs the API beside `work`: when that has ended, requests in work get their time, and then the API ends as well. A failure of the API is told, and ends the work. */
export async function serveBeside<T>(
  {
    api,
    listener,
    log,
  }: { readonly api: Api; readonly listener: Listener } & Pick<ApiParts, "log">,
  work: () => Promise<T>,
  end: () => void,
): Promise<T> {
  const stop = new AbortController();
  const serving = api.start(stop.signal).catch((error: unknown) => {
    log.error("the API failed", { error: messageOf(error) });
    end();
  });
  try {
    return await work();
  } finally {
    await listener.close();
    stop.abort();
    await serving;
  }
}
