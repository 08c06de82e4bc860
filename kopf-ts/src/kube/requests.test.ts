import { expect } from "chai";
import type { RawRequest } from "./client.ts";
import {
  deleteBody,
  isSafeDelete,
  isSafePatch,
  isSafeUpdate,
  patchBody,
  patchType,
  rawCall,
  resourceIn,
} from "./requests.ts";

describe("patches", () => {
  const merge = { merge: { spec: { a: null } } };
  const json = { json: [{ op: "remove", path: "/spec/a" }] } as const;
  const strategic = { strategic: { spec: {} } };

  for (const [name, patch, type, body] of [
    ["merge", merge, "application/merge-patch+json", merge.merge],
    ["JSON", json, "application/json-patch+json", json.json],
    ["strategic", strategic, "application/strategic-merge-patch+json", strategic.strategic],
  ] as const) {
    it(`of the ${name} kind say what they are`, () => {
      expect(patchType(patch)).to.equal(type);
      expect(patchBody(patch)).to.equal(body);
    });
  }
});

describe("a repetition is safe", () => {
  const versioned = { metadata: { resourceVersion: "7" } };
  const path = "/metadata/resourceVersion";
  const other = { op: "add", path: "/data/a", value: "7" } as const;

  for (const [patch, safe] of [
    [{ merge: versioned }, true],
    [{ strategic: versioned }, true],
    [{ merge: { spec: {} } }, false],
    [{ merge: { metadata: null } }, false],
    [{ merge: { metadata: { resourceVersion: null } } }, false],
    [{ merge: { metadata: { resourceVersion: "" } } }, false],
    [{ merge: null }, false],
    [{ strategic: { metadata: { labels: {} } } }, false],
    [{ json: [{ op: "test", path, value: "7" }, other] }, true],
    [{ json: [{ op: "replace", path, value: "7" }, other] }, true],
    [{ json: [{ op: "remove", path }, other] }, false],
    [{ json: [other] }, false],
    [{ json: [] }, false],
  ] as const) {
    it(`${safe} of the patch ${JSON.stringify(patch)}`, () => {
      expect(isSafePatch(patch)).to.equal(safe);
    });
  }

  for (const [metadata, safe] of [
    [{ name: "a", resourceVersion: "7" }, true],
    [{ name: "a", resourceVersion: "" }, false],
    [{ name: "a" }, false],
  ] as const) {
    it(`${safe} of an update with ${JSON.stringify(metadata)}`, () => {
      expect(isSafeUpdate({ apiVersion: "v1", kind: "Pod", metadata })).to.equal(safe);
    });
  }

  for (const [metadata, options, safe] of [
    [{ name: "a", uid: "u" }, {}, true],
    [{ name: "a", resourceVersion: "7" }, {}, true],
    [{ name: "a", uid: "u" }, { preconditions: "none" }, false],
    [{ name: "a", resourceVersion: "7" }, { preconditions: "uid" }, false],
    [{ name: "a" }, {}, false],
  ] as const) {
    it(`${safe} of a delete of ${JSON.stringify(metadata)} with ${JSON.stringify(options)}`, () => {
      expect(isSafeDelete(options, { apiVersion: "v1", kind: "Pod", metadata })).to.equal(safe);
    });
  }
});

describe("deleteBody", () => {
  const object = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a", uid: "u", resourceVersion: "7" },
  };
  const bare = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } };
  const base = { apiVersion: "v1", kind: "DeleteOptions" };

  for (const [name, options, of, expected] of [
    [
      "carries uid and resourceVersion",
      {},
      object,
      { preconditions: { uid: "u", resourceVersion: "7" } },
    ],
    [
      "carries the uid alone when asked to",
      { preconditions: "uid" },
      object,
      { preconditions: { uid: "u" } },
    ],
    ["carries nothing when asked to", { preconditions: "none" }, object, {}],
    ["carries nothing when it knows nothing", {}, bare, {}],
    [
      "carries the rest of the options",
      { propagationPolicy: "Foreground", gracePeriodSeconds: 0, dryRun: true },
      bare,
      { propagationPolicy: "Foreground", gracePeriodSeconds: 0, dryRun: ["All"] },
    ],
  ] as const) {
    it(name, () => {
      expect(JSON.parse(deleteBody(options, of))).to.deep.equal({ ...base, ...expected });
    });
  }
});

describe("rawCall", () => {
  const of = (request: Partial<RawRequest>) =>
    rawCall({ method: "GET", path: "/x", ...request }, ["impersonate-user", "bob"], false);

  for (const [name, request, expected] of [
    ["asks for JSON", {}, ["accept", "application/json"]],
    [
      "asks for what it is told to",
      { headers: { Accept: "text/plain" } },
      ["accept", "text/plain"],
    ],
    [
      "sends JSON",
      { method: "POST", body: "{}" },
      ["content-type", "application/json", "accept", "application/json"],
    ],
    [
      "sends what it is told to",
      { method: "PATCH", body: "[]", headers: { "Content-Type": "application/json-patch+json" } },
      ["content-type", "application/json-patch+json", "accept", "application/json"],
    ],
  ] as const) {
    it(name, () => {
      expect(of(request).headers).to.deep.equal([...expected, "impersonate-user", "bob"]);
    });
  }

  for (const [request, safe] of [
    [{ method: "GET" }, true],
    [{ method: "PUT" }, false],
    [{ method: "DELETE" }, false],
    [{ method: "POST" }, false],
    [{ method: "PATCH", headers: { "content-type": "application/merge-patch+json" } }, false],
  ] as const) {
    it(`takes ${JSON.stringify(request)} as ${safe ? "safe" : "not safe"} to repeat`, () => {
      expect(of(request).safe).to.equal(safe);
    });
  }

  it("tells a watch from a get", () => {
    expect(of({ path: "/api/v1/pods?limit=1&watch=true" }).verb).to.equal("watch");
    expect(of({ path: "/api/v1/pods?watch=false" }).verb).to.equal("get");
  });

  it("passes a user agent on", () => {
    expect(of({ headers: { "User-Agent": "kubectl" } }).userAgent).to.equal("kubectl");
  });

  for (const name of [
    "Host",
    "Connection",
    "Keep-Alive",
    "TE",
    "Trailer",
    "Transfer-Encoding",
    "Upgrade",
    "Content-Length",
    "Expect",
    "Proxy-Authorization",
    "X-Remote-User",
    "x-remote-extra-scopes",
    "Authorization",
    "Impersonate-Group",
  ]) {
    it(`refuses the header ${name}`, () => {
      expect(() => of({ headers: { [name]: "x" } }))
        .to.throw(`a request cannot set ${name.toLowerCase()}`)
        .and.to.include({ code: 0, reason: "BadRequest" });
    });
  }

  it("refuses a path without a slash", () => {
    expect(() => of({ path: "api" })).to.throw('"api" does not begin with a slash');
  });
});

describe("resourceIn", () => {
  for (const [path, expected] of [
    ["/api/v1/pods", "pods"],
    ["/api/v1/namespaces", "namespaces"],
    ["/api/v1/namespaces/x", "namespaces"],
    ["/api/v1/namespaces/x/pods/a/log?follow=1", "pods"],
    ["/apis/apps/v1/deployments?watch=1", "deployments.apps"],
    ["/apis/apps/v1/namespaces/x/deployments/a/scale", "deployments.apps"],
    ["/apis/apps/v1", ""],
    ["/apis", ""],
    ["/apis/example.com/v1/web-hooks", "web-hooks.example.com"],
    ["/apis/example.com/v1/No%20Such", ""],
    ["/apis/No:Group/v1/pods", ""],
    [`/api/v1/${"x".repeat(64)}`, ""],
    ["/version", ""],
    ["/", ""],
  ] as const) {
    it(`finds ${expected || "none"} in ${path}`, () => expect(resourceIn(path)).to.equal(expected));
  }
});
