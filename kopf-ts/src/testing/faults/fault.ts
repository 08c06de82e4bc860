/** What can go wrong between a client and an API server. */

/** Instead of passing a request on. */
export type RequestFault =
  /** An answer of this code with a Status; `retryAfter` in seconds. */
  | {
      readonly kind: "status";
      readonly code: number;
      readonly reason?: string;
      readonly message?: string;
      readonly retryAfter?: number;
    }
  /** The connection breaks before an answer. */
  | { readonly kind: "refuse" }
  /** The request is taken and never answered. */
  | { readonly kind: "silence" };

/** In the middle of an answer: at the event `after` others of a watch, at that chunk of any other answer. */
export type StreamFault = { readonly after?: number } & (
  | { readonly kind: "cut" } /** The connection breaks. */
  | { readonly kind: "stall" } /** Nothing comes any more, and the connection stays. */
  | { readonly kind: "halfLine" } /** Half of the event, then an orderly end. */
  | { readonly kind: "end" } /** An orderly end before the event. */
  | {
      readonly kind: "gone";
    } /** An ERROR event with code 410 in place of the event, then an end. */
  | {
      readonly kind: "error";
      readonly code: number;
      readonly retryAfter?: number;
    } /** Any other ERROR event. */
  | { readonly kind: "slow" } /** The event comes byte by byte, or nearly so. */
  | { readonly kind: "duplicate" } /** The event comes twice. */
  | {
      readonly kind: "withholdEnd";
    } /** This event and all others come, but never the bookmark that ends a streamed list. */
);

/** Any fault. */
export type Fault = RequestFault | StreamFault;

/** Names of faults as they are counted. */
export type FaultKind = Fault["kind"];

/** How likely faults are: of a request for those in its place, of each event of a watch or chunk of a list for the others. */
export type FaultRates = Partial<
  Record<
    "status410" | "status429" | "status5xx" | "refuse" | Exclude<StreamFault["kind"], "error">,
    number
  >
>;

/** A request as the proxy saw it. */
export interface SeenRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** `watch` with a streamed list, `watch` without, `list` or anything else. */
  readonly form: "watchList" | "watch" | "list" | "other";
}

/** Whether a fault is meant for a request. */
export type Match = (request: SeenRequest) => boolean;

/** Whether a fault takes the place of the answer. */
export function isRequestFault(fault: Fault): fault is RequestFault {
  return fault.kind === "status" || fault.kind === "refuse" || fault.kind === "silence";
}

/** What a request asks for, by its path and query. */
export function formOf(method: string, { pathname, searchParams }: URL): SeenRequest["form"] {
  if (method !== "GET") return "other";
  if (/^(1|true)$/.test(searchParams.get("watch") ?? "")) {
    return searchParams.get("sendInitialEvents") === "true" ? "watchList" : "watch";
  }
  const [, root, ...rest] = pathname.split("/");
  const below = rest.slice(root === "apis" ? 2 : 1);
  const isCollection = below.length === 1 || (below.length === 3 && below[0] === "namespaces");
  return (root === "api" || root === "apis") && isCollection ? "list" : "other";
}
