import { type HealthSource, health } from "./health/index.ts";
import { methods } from "./methods/index.ts";
import { notFound } from "./not-found/index.ts";
import { compose, type Exchange } from "./stage.ts";

/** What the stages need of the rest of the process. */
export interface PipelineOptions {
  readonly health: HealthSource;
}

/** The way of a request, in order. */
export function pipeline(options: PipelineOptions): (exchange: Exchange) => Promise<void> {
  return compose([methods, health(options.health), notFound]);
}
