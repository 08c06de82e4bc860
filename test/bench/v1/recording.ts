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
  for (const name of ["timeoutSeconds", "timeout"]) searchParams.delete(name);
  searchParams.sort();
  const key = `${searchParams} ${accept}`;
  if (!isTrue(searchParams.get("watch"))) return { key, kind: "list" };
  return isTrue(searchParams.get("sendInitialEvents"))
    ? { key, kind: "initial-events" }
    : undefined;
}

const isTrue = (text: string | null): boolean => text === "true" || text === "1";

/** Whether a line of a watch ends what it begins with. */
export function endsInitialEvents(line: Buffer): boolean {
  return line.length < 4096 && line.includes('"k8s.io/initial-events-end":"true"');
}

/** The target of the watch that goes on where recorded events end. */
export function continued(target: string, lastLine: Buffer): string {
  const url = new URL(target, "https://localhost");
  const revision = /"resourceVersion":"(\d+)"/.exec(lastLine.toString())?.[1] ?? "";
  for (const name of ["sendInitialEvents", "resourceVersionMatch"]) url.searchParams.delete(name);
  url.searchParams.set("resourceVersion", revision);
  return `${url.pathname}${url.search}`;
}
