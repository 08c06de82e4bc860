import { expect } from "chai";
import { aRequest, aReview, aWidget, bytesOf, Widget } from "../testing/reviews.ts";
import { parseReview, type Scope } from "./parse.ts";
import { ReviewError } from "./review-error.ts";

const scope: Scope = { kind: Widget, subresources: new Set(["status"]) };

describe("parseReview", () => {
  it("maps everything that a handler may ask about", () => {
    const review = aReview(aRequest({ dryRun: true, subResource: "status" }));

    const { apiVersion, request } = parseReview(bytesOf(review), scope);

    expect(apiVersion).to.equal("admission.k8s.io/v1");
    expect(request).to.deep.equal({
      uid: "705ab4f5",
      name: "w",
      namespace: "ns",
      subresource: "status",
      dryRun: true,
      user: { username: "bob", uid: "u", groups: ["g"], extra: { scopes: ["a", "b"] } },
      options: { apiVersion: "meta.k8s.io/v1", kind: "CreateOptions" },
      operation: "CREATE",
      object: aWidget(),
    });
  });

  it("takes v1beta1 as well", () => {
    const review = aReview(aRequest(), { apiVersion: "admission.k8s.io/v1beta1" });

    expect(parseReview(bytesOf(review), scope).apiVersion).to.equal("admission.k8s.io/v1beta1");
  });

  it("takes what Go leaves out for empty", () => {
    const bare = {
      name: undefined,
      namespace: undefined,
      userInfo: {},
      options: undefined,
      dryRun: undefined,
    };

    const { request } = parseReview(bytesOf(aReview(aRequest(bare))), scope);

    expect(request.name).to.equal("");
    expect(request.namespace).to.equal(undefined);
    expect(request.user).to.deep.equal({ username: "", groups: [], extra: {} });
    expect(request.options).to.deep.equal({});
    expect(request.dryRun).to.equal(false);
  });

  it("tells the operations apart by the objects that they have", () => {
    const old = aWidget({ a: 1 });
    const parse = (fields: object) =>
      parseReview(bytesOf(aReview(aRequest(fields))), scope).request;

    const update = parse({ operation: "UPDATE", oldObject: old });
    const deletion = parse({ operation: "DELETE", object: null, oldObject: old });

    expect([update.object, update.oldObject]).to.deep.equal([aWidget(), old]);
    expect([deletion.object, deletion.oldObject]).to.deep.equal([undefined, old]);
  });

  it("costs little more than JSON.parse", () => {
    const dense = Array.from({ length: 4000 }, (_, at) => [`key-number-${at}`, `value ${at}`]);
    const object = aWidget(Object.fromEntries(dense));
    const body = bytesOf(aReview(aRequest({ operation: "UPDATE", object, oldObject: object })));
    const timed = (work: () => unknown): number => {
      const begin = performance.now();
      work();
      return performance.now() - begin;
    };

    const times = Array.from({ length: 5 }, () => [
      timed(() => parseReview(body, scope)),
      timed(() => JSON.parse(Buffer.from(body).toString())),
    ]);

    const least = (at: 0 | 1): number => Math.min(...times.map((pair) => pair[at] ?? 0));
    expect(least(0) / least(1)).to.be.below(2);
  });

  const withRequest = (fields: object) => bytesOf(aReview(aRequest(fields)));
  for (const { name, body, problem } of [
    { name: "nothing", body: bytesOf(""), problem: "the body must be an object" },
    { name: "no JSON", body: Buffer.from("{"), problem: "the text is no valid JSON" },
    { name: "no UTF-8", body: Buffer.from([0x22, 0xff, 0x22]), problem: "no valid UTF-8" },
    { name: "a list", body: bytesOf([]), problem: "the body must be an object" },
    { name: "null", body: bytesOf(null), problem: "the body must be an object" },
    {
      name: "another kind",
      body: bytesOf(aReview(aRequest(), { kind: "Pod" })),
      problem: "kind must be AdmissionReview",
    },
    {
      name: "a version nobody knows",
      body: bytesOf(aReview(aRequest(), { apiVersion: "admission.k8s.io/v2" })),
      problem: "apiVersion must be admission.k8s.io/v1 or admission.k8s.io/v1beta1",
    },
    {
      name: "no version",
      body: bytesOf(aReview(aRequest(), { apiVersion: 1 })),
      problem: "apiVersion must be",
    },
    {
      name: "no request",
      body: bytesOf(aReview(undefined, { request: undefined })),
      problem: "request must be an object",
    },
    { name: "no uid", body: withRequest({ uid: "" }), problem: "request.uid must be a text" },
    {
      name: "a uid of another type",
      body: withRequest({ uid: 1 }),
      problem: "request.uid must be",
    },
    { name: "no user", body: withRequest({ userInfo: null }), problem: "request.userInfo must be" },
    {
      name: "groups that are no texts",
      body: withRequest({ userInfo: { groups: [1] } }),
      problem: "request.userInfo.groups must be a list of texts",
    },
    {
      name: "extra that is no list",
      body: withRequest({ userInfo: { extra: { a: "b" } } }),
      problem: "request.userInfo.extra must be a list of texts",
    },
    {
      name: "another operation",
      body: withRequest({ operation: "CONNECT" }),
      problem: "request.operation must be CREATE, UPDATE, DELETE",
    },
    {
      name: "a creation without object",
      body: withRequest({ object: null }),
      problem: "request.object must be an object",
    },
    {
      name: "an update without what was",
      body: withRequest({ operation: "UPDATE" }),
      problem: "request.oldObject must be an object",
    },
    {
      name: "a deletion without what was",
      body: withRequest({ operation: "DELETE", oldObject: null }),
      problem: "request.oldObject must be an object",
    },
    {
      name: "an object without kind",
      body: withRequest({ object: { apiVersion: "v1", metadata: {} } }),
      problem: "request.object.kind must be a text",
    },
    {
      name: "an object without metadata",
      body: withRequest({ object: { apiVersion: "v1", kind: "Widget" } }),
      problem: "request.object.metadata must be an object",
    },
    {
      name: "another resource",
      body: withRequest({ resource: { group: "", version: "v1", resource: "pods" } }),
      problem: "request.resource must be widgets.example.com of example.com/v1",
    },
    {
      name: "another version of the resource",
      body: withRequest({ resource: { group: "example.com", version: "v2", resource: "widgets" } }),
      problem: "request.resource must be",
    },
    {
      name: "a subresource that the handler does not know",
      body: withRequest({ subResource: "scale" }),
      problem: "request.subResource is none that the webhook for widgets.example.com judges",
    },
    {
      name: "options that are none",
      body: withRequest({ options: [] }),
      problem: "request.options",
    },
  ]) {
    it(`refuses ${name} with 400 and says why`, () => {
      const parse = () => parseReview(body, scope);

      expect(parse).to.throw(ReviewError, "malformed AdmissionReview: ");
      expect(parse).to.throw(ReviewError, problem).with.property("status", 400);
    });
  }

  it("quotes nothing of what it refuses", () => {
    const secret = "hunter2";
    const texts = [`{"data":"${secret}"`, `{"kind":"${secret}"}`, `{"${secret}":1}`];
    const object = { apiVersion: secret, kind: secret, metadata: secret };
    const bodies = [...texts.map((text) => Buffer.from(text)), withRequest({ object })];

    for (const body of bodies) {
      expect(() => parseReview(body, scope))
        .to.throw(ReviewError)
        .with.property("message")
        .that.does.not.contain(secret);
    }
  });
});
