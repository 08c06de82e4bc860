import { expect } from "chai";
import { type AdmissionContext, type AdmissionRequest, allow, deny } from "../request.ts";
import { aRequest, aReview, aWidget, bytesOf, Widget } from "../testing/reviews.ts";
import type { Mutator, Validator } from "../webhook.ts";
import { ask, type Outcome, reviewOf } from "./outcome.ts";
import { parseReview, type Review } from "./parse.ts";

const context = {} as AdmissionContext; // these handlers look at nothing
const rules = [{ operations: ["CREATE"] }] as const;

function reviewed(fields: object = {}, more: object = {}): Review {
  const scope = { kind: Widget, subresources: new Set<string>() };
  return parseReview(bytesOf(aReview(aRequest(fields), more)), scope);
}

function mutated(mutate: Mutator<Widget>["mutate"], fields: object = {}): Promise<Outcome> {
  const mutator: Mutator<Widget> = { kind: Widget, rules, mutate };
  return ask(mutator, "mutation", reviewed(fields).request, context);
}

function validated(validate: (request: AdmissionRequest<Widget>) => unknown): Promise<Outcome> {
  const validator = { kind: Widget, rules, validate } as unknown as Validator<Widget>;
  return ask(validator, "validation", reviewed().request, context);
}

describe("ask", () => {
  it("passes on what a validator answers", async () => {
    expect(await validated(() => allow("careful"))).to.deep.equal(allow("careful"));
    expect(await validated(async () => deny(422, "no"))).to.deep.equal(deny(422, "no"));
  });

  for (const answer of [undefined, null, true, {}, { allowed: "yes" }]) {
    it(`rejects when a validator answers ${JSON.stringify(answer)}`, async () => {
      const error = await validated(() => answer).catch((e) => e);

      expect(error)
        .to.be.instanceOf(TypeError)
        .with.property("message", "validate must answer allow() or deny()");
    });
  }

  it("makes a patch of the object that a mutator answers", async () => {
    const outcome = await mutated(({ object }) => object && { ...object, spec: { size: 1 } });

    expect(outcome).to.deep.equal({
      allowed: true,
      patch: [{ op: "add", path: "/spec/size", value: 1 }],
    });
  });

  for (const { name, answer } of [
    { name: "nothing", answer: () => undefined },
    { name: "the same object", answer: ({ object }: AdmissionRequest<Widget>) => object },
    { name: "an equal one", answer: () => aWidget() },
  ]) {
    it(`makes no patch of ${name}`, async () => {
      expect(await mutated(answer)).to.deep.equal({ allowed: true });
    });
  }

  it("fails a mutator that changes what it got, for that would be lost", async () => {
    const error = await mutated(({ object }) => {
      Object.assign(object?.metadata ?? {}, { labels: {} });
      return object;
    }).catch((e) => e);

    expect(error).to.be.instanceOf(TypeError);
  });

  it("lets a mutator deny", async () => {
    expect(await mutated(() => deny(400, "no"))).to.deep.equal(deny(400, "no"));
  });

  it("makes no patch for a deletion", async () => {
    const deletion = { operation: "DELETE", object: null, oldObject: aWidget() };

    expect(await mutated(({ oldObject }) => oldObject, deletion)).to.deep.equal({ allowed: true });
  });

  it("takes an object with a field `allowed` for an object", async () => {
    const object = { ...aWidget(), allowed: false };

    const outcome = await mutated(() => object);

    expect(outcome.allowed).to.equal(true);
  });

  it("rejects when a mutator answers what is no object", async () => {
    const error = await mutated(() => "w" as unknown as Widget).catch((e) => e);

    expect(error).to.be.instanceOf(TypeError);
  });

  it("rejects with what a handler throws", async () => {
    const error = await validated(() => {
      throw new RangeError("mine");
    }).catch((e) => e);

    expect(error).to.be.instanceOf(RangeError);
  });
});

describe("reviewOf", () => {
  const parsed = (outcome: Outcome, more: object = {}) =>
    JSON.parse(reviewOf(reviewed({}, more), outcome));

  it("answers under the uid and in the version of the question", () => {
    for (const apiVersion of ["admission.k8s.io/v1", "admission.k8s.io/v1beta1"]) {
      expect(parsed(allow(), { apiVersion })).to.deep.equal({
        apiVersion,
        kind: "AdmissionReview",
        response: { uid: "705ab4f5", allowed: true },
      });
    }
  });

  it("carries warnings, and a patch in base64", () => {
    const patch = [{ op: "add", path: "/a", value: "ü" }] as const;

    const { response } = parsed({ ...allow("one", "two"), patch });

    expect(response.warnings).to.deep.equal(["one", "two"]);
    expect(response.patchType).to.equal("JSONPatch");
    expect(JSON.parse(Buffer.from(response.patch, "base64").toString())).to.deep.equal(patch);
  });

  for (const { denial, code, reason } of [
    { denial: deny(400, "m"), code: 400, reason: "BadRequest" },
    { denial: deny(403, "m"), code: 403, reason: "Forbidden" },
    { denial: deny(405, "m"), code: 405, reason: "MethodNotAllowed" },
    { denial: deny(409, "m"), code: 409, reason: "Conflict" },
    { denial: deny(422, "m"), code: 422, reason: "Invalid" },
    { denial: { ...deny(409, "m"), reason: "AlreadyExists" }, code: 409, reason: "AlreadyExists" },
    { denial: deny(418, "m"), code: 418, reason: "" },
    { denial: deny(200, "m"), code: 400, reason: "BadRequest" },
    { denial: deny(Number.NaN, "m"), code: 400, reason: "BadRequest" },
  ]) {
    it(`denies with ${denial.code} as ${code} ${reason}`, () => {
      expect(parsed(denial).response).to.deep.equal({
        uid: "705ab4f5",
        allowed: false,
        status: { status: "Failure", code, reason, message: "m" },
      });
    });
  }
});
