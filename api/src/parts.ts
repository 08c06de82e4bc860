/** What the API is given by the process it runs in. */

import type { FeatureDefaults, LiveSettings } from "@drover/platform";
import type {
  Client,
  Clock,
  ClusterSet,
  ForwardingClient,
  Informers,
  Logger,
  Metrics,
} from "kopf-ts";
import type { ErrorMapping } from "./v1/summary/error-mapping.ts";

/** One cluster: its API server and the caches of it. */
export interface ClusterParts {
  /** Acts as the server itself; `as` makes it somebody else's. */
  readonly client: Client;
  /** Shared with the operators; they keep managedFields packed. */
  readonly informers: Informers;
}

/** The parts of the API. Whoever made them disposes them, after the API. */
export interface ApiParts extends ClusterParts {
  /** On the connections of `client`, for requests that pass through as they are. */
  readonly forwarding: ForwardingClient;
  readonly settings: LiveSettings;
  /** What features are unless their objects say otherwise. */
  readonly features: FeatureDefaults;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** What the server calls itself, such as `0.1.0`. */
  readonly version: string;
  /** Whether Impersonate-* headers are believed; for tests and development on this machine alone. */
  readonly headerAuth: boolean;
  /** Bytes that the caches of all types of all clusters may take together; 1 GiB unless told. */
  readonly cacheMemory?: number | undefined;
  /** Which conditions of objects of any cluster mean an error, where the environment says so. */
  readonly errorMapping?: ErrorMapping | undefined;
  /** Clusters that this process works for beside its own; without them questions to several clusters are answered for its own alone. */
  readonly clusters?: Pick<ClusterSet, "get" | "state" | "onChange"> | undefined;
}
