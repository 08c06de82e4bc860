import { expect } from "chai";
import {
  beginOf,
  continued,
  endsInitialEvents,
  isChange,
  recordedAs,
  revisionOfLine,
  watchedAs,
} from "./recording.ts";

const pods = "/api/v1/pods";
const bookmark = Buffer.from(
  '{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"77","annotations":{"k8s.io/initial-events-end":"true"}}}}',
);

describe("recordedAs", () => {
  for (const { target, method = "GET", kind } of [
    { target: `${pods}?limit=500`, kind: "list" },
    { target: pods, kind: "list" },
    { target: `${pods}?watch=true&sendInitialEvents=true`, kind: "initial-events" },
    { target: `${pods}?watch=1&sendInitialEvents=true`, kind: "initial-events" },
    { target: `${pods}?watch=true&resourceVersion=7`, kind: undefined },
    { target: `${pods}?limit=500`, method: "DELETE", kind: undefined },
    { target: "/api/v1/namespaces/a/pods", kind: undefined },
    { target: "/api/v1/nodes", kind: undefined },
  ]) {
    it(`takes ${method} ${target} as ${kind ?? "live"}`, () => {
      expect(recordedAs(method, target, "application/json")?.kind).to.equal(kind);
    });
  }

  it("takes requests that differ in time and order alone for the same", () => {
    const [a, b, table] = [
      recordedAs("GET", `${pods}?limit=500&timeoutSeconds=301&watch=0`, "json"),
      recordedAs("GET", `${pods}?watch=0&limit=500&timeoutSeconds=417`, "json"),
      recordedAs("GET", `${pods}?limit=500&watch=0`, "json;as=Table"),
    ];

    expect(a).to.deep.equal(b);
    expect(a?.key).not.to.equal(table?.key);
  });
});

describe("endsInitialEvents", () => {
  it("knows the bookmark by its annotation", () => {
    expect(endsInitialEvents(bookmark)).to.equal(true);
    expect(endsInitialEvents(Buffer.from('{"type":"ADDED","object":{}}'))).to.equal(false);
  });
});

describe("continued", () => {
  it("watches on from the bookmark's revision", () => {
    const target = `${pods}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;

    expect(continued(target, bookmark)).to.equal(
      `${pods}?watch=true&allowWatchBookmarks=true&resourceVersion=77`,
    );
  });
});

describe("watchedAs", () => {
  it("is the same for watches that begin and end differently, and for nothing else", () => {
    const as = (query: string, accept = "json") => watchedAs("GET", `${pods}?${query}`, accept);
    const after = as("watch=1&resourceVersion=7&timeoutSeconds=300&allowWatchBookmarks=true");
    const initial = as("allowWatchBookmarks=true&sendInitialEvents=true&watch=1&resourceVersion=");

    expect(after).to.be.a("string");
    expect(initial).to.equal(after);
    expect(as("watch=1&allowWatchBookmarks=true", "table")).not.to.equal(after);
    expect([as("limit=500"), watchedAs("GET", "/api/v1/nodes?watch=1", "json")]).to.deep.equal([
      undefined,
      undefined,
    ]);
  });

  it("tells after which revision it begins", () => {
    expect([beginOf(`${pods}?watch=1&resourceVersion=7`), beginOf(pods)]).to.deep.equal([7, 0]);
  });
});

describe("lines of a watch", () => {
  it("tell their revision, and whether they are changes", () => {
    const change = Buffer.from('{"type":"DELETED","object":{"metadata":{"resourceVersion":"8"}}}');

    expect([bookmark, change].map(revisionOfLine)).to.deep.equal([77, 8]);
    expect([bookmark, change].map(isChange)).to.deep.equal([false, true]);
  });
});
