import { expect } from "chai";
import { continued, endsInitialEvents, recordedAs } from "./recording.ts";

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
