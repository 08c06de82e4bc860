/** Which answers about Pods are recorded, and what of them. Pure. */

/** A way to record: a list is its whole body, a watch what it begins with. */
export interface Recorded {
  /** The same for requests that get the same bytes. */
  readonly key: string;
  readonly kind: "list" | "initial-events";
}

/** How a request is recorded; undefined for those that go to the API server each time, such as a watch that begins at a revision. */
export function recordedAs(method: string, target: string, accept: string): Recorded | undefined {
  const { pathname, searchParams } = new URL(target, "https://localhost");
  if (method !== "GET" || pathname !== "/api/v1/pods") return undefined;
  for (const name of times) searchParams.delete(name);
  searchParams.sort();
  const key = `${searchParams} ${accept}`;
  if (!isTrue(searchParams.get("watch"))) return { key, kind: "list" };
  return isTrue(searchParams.get("sendInitialEvents"))
    ? { key, kind: "initial-events" }
    : undefined;
}

/** What a watch of Pods is kept under, whatever revision it begins at; undefined for other requests. */
export function watchedAs(method: string, target: string, accept: string): string | undefined {
  const { pathname, searchParams } = new URL(target, "https://localhost");
  if (method !== "GET" || pathname !== "/api/v1/pods") return undefined;
  if (!isTrue(searchParams.get("watch"))) return undefined;
  for (const name of beginnings) searchParams.delete(name);
  for (const name of times) searchParams.delete(name);
  searchParams.sort();
  return `${searchParams} ${accept}`;
}

/** Parameters that tell where a watch begins. */
const beginnings = ["resourceVersion", "resourceVersionMatch", "sendInitialEvents"];
/** Those that tell when it ends. */
const times = ["timeoutSeconds", "timeout"];

/** The revision a watch begins after. */
export function beginOf(target: string): number {
  return Number(new URL(target, "https://localhost").searchParams.get("resourceVersion") ?? 0);
}

/** The revision that a line of a watch tells: that of its object, or of a Table its own. */
export function revisionOfLine(line: Buffer): number {
  return Number(/"resourceVersion":"(\d+)"/.exec(line.toString())?.[1] ?? 0);
}

/** Whether a line of a watch tells of a change; bookmarks do not. */
export function isChange(line: Buffer): boolean {
  return /^\{"type":"(?:ADDED|MODIFIED|DELETED)"/.test(line.toString("latin1", 0, 32));
}

const isTrue = (text: string | null): boolean => text === "true" || text === "1";

/** Whether a line of a watch ends what it begins with. */
export function endsInitialEvents(line: Buffer): boolean {
  return line.length < 4096 && line.includes('"k8s.io/initial-events-end":"true"');
}

/** The target of the watch that goes on where recorded events end. */
export function continued(target: string, lastLine: Buffer): string {
  const url = new URL(target, "https://localhost");
  for (const name of beginnings) url.searchParams.delete(name);
  url.searchParams.set("resourceVersion", String(revisionOfLine(lastLine)));
  return `${url.pathname}${url.search}`;
}
