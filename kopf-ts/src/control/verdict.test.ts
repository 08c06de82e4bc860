import { expect } from "chai";
import { ApplyError } from "../apply/index.ts";
import { PermanentError, TemporaryError } from "../base/index.ts";
import { ApiError, defineKind } from "../kube/index.ts";
import { Outdated } from "./finalizer.ts";
import { accept, judge, type Situation, type Verdict } from "./verdict.ts";

const Widget = defineKind({
  group: "example.com",
  version: "v1",
  plural: "widgets",
  kind: "Widget",
  scope: "Namespaced",
});
const situation: Situation = { kind: Widget, key: "ns/a", conflicts: 0, stopped: false };

function apiError(
  code: number,
  reason: string,
  path = "/apis/example.com/v1/namespaces/ns/widgets/a",
  retryAfter?: number,
): ApiError {
  return new ApiError({ message: reason, code, reason, method: "GET", path, retryAfter });
}

const nothingDone = { created: [], changed: [], unchanged: [], pruned: [], terminating: [] };

/** What matters of a verdict, in one object. */
function brief({ outcome, again, atLeast, atMost, told }: Verdict): Record<string, unknown> {
  return {
    outcome,
    again,
    ...(atLeast && { atLeast }),
    ...(atMost && { atMost }),
    level: told?.level,
  };
}

describe("accept", () => {
  for (const { name, result, expected } of [
    { name: "done", result: {}, expected: { outcome: "success", again: undefined } },
    {
      name: "nothing at all",
      result: undefined,
      expected: { outcome: "success", again: undefined },
    },
    {
      name: "a delay with a priority",
      result: { requeueAfter: 5, priority: -50 },
      expected: { outcome: "requeue_after", again: 5, at: undefined, priority: -50 },
    },
    {
      name: "a delay in the past",
      result: { requeueAfter: -5 },
      expected: { outcome: "requeue_after", again: 0, at: undefined, priority: undefined },
    },
    {
      name: "a time with a priority",
      result: { requeueAt: 1_800_000_000_000, priority: -50 },
      expected: {
        outcome: "requeue_after",
        again: undefined,
        at: 1_800_000_000_000,
        priority: -50,
      },
    },
    {
      name: "a delay and a time",
      result: { requeueAfter: 5, requeueAt: 0 },
      expected: { outcome: "requeue_after", again: 5, at: 0, priority: undefined },
    },
  ]) {
    it(`takes ${name}`, () => expect(accept(result)).to.deep.equal(expected));
  }

  for (const name of ["requeueAfter", "requeueAt"]) {
    it(`refuses a ${name} that is no number`, () => {
      expect(() => accept({ [name]: Number.NaN })).to.throw(TypeError, name);
    });
  }
});

describe("judge", () => {
  const failed = { outcome: "error", again: "backoff", level: "error" };
  const table: readonly {
    readonly name: string;
    readonly thrown: unknown;
    readonly given?: Partial<Situation>;
    readonly expected: Record<string, unknown>;
  }[] = [
    { name: "any error backs off", thrown: new Error("x"), expected: failed },
    { name: "a thrown string backs off", thrown: "x", expected: failed },
    { name: "a thrown undefined backs off", thrown: undefined, expected: failed },
    {
      name: "a TemporaryError waits for its delay",
      thrown: new TemporaryError("x", { delay: 30_000 }),
      expected: { outcome: "error", again: 30_000, level: "warn" },
    },
    {
      name: "a TemporaryError without delay backs off",
      thrown: new TemporaryError("x"),
      expected: { outcome: "error", again: "backoff", level: "warn" },
    },
    {
      name: "a PermanentError waits for a change",
      thrown: new PermanentError("x"),
      expected: { outcome: "terminal", again: undefined, level: "error" },
    },
    {
      name: "a first conflict is retried at once, quietly",
      thrown: apiError(409, "Conflict"),
      expected: { outcome: "requeue", again: 0, level: "debug" },
    },
    {
      name: "an eighth conflict is still quiet",
      thrown: apiError(409, "Conflict"),
      given: { conflicts: 7 },
      expected: { outcome: "requeue", again: 320, level: "debug" },
    },
    {
      name: "a ninth conflict backs off, but is nobody's error",
      thrown: apiError(409, "Conflict"),
      given: { conflicts: 8 },
      expected: { ...failed, level: "warn" },
    },
    {
      name: "an object that exists already is a conflict with a cache that is behind",
      thrown: apiError(409, "AlreadyExists"),
      expected: { outcome: "requeue", again: 0, level: "debug" },
    },
    {
      name: "finalizers that changed meanwhile are a conflict",
      thrown: new Outdated("x"),
      expected: { outcome: "requeue", again: 0, level: "debug" },
    },
    {
      name: "404 of the object itself is the end",
      thrown: apiError(404, "NotFound"),
      expected: { outcome: "success", again: undefined, level: "debug" },
    },
    {
      name: "404 of its status is the end",
      thrown: apiError(404, "NotFound", "/apis/example.com/v1/namespaces/ns/widgets/a/status?x=y"),
      expected: { outcome: "success", again: undefined, level: "debug" },
    },
    {
      name: "404 of its namesake in another namespace is an error",
      thrown: apiError(404, "NotFound", "/apis/example.com/v1/namespaces/other/widgets/a"),
      expected: failed,
    },
    {
      name: "404 of an object whose name begins alike is an error",
      thrown: apiError(404, "NotFound", "/apis/example.com/v1/namespaces/ns/widgets/ab"),
      expected: failed,
    },
    {
      name: "404 of a namesake of another kind is an error",
      thrown: apiError(404, "NotFound", "/api/v1/namespaces/ns/configmaps/a"),
      expected: failed,
    },
    {
      name: "a server that does not answer is nobody's error",
      thrown: apiError(0, "Unreachable"),
      expected: { ...failed, level: "warn" },
    },
    { name: "422 backs off", thrown: apiError(422, "Invalid"), expected: failed },
    { name: "401 backs off", thrown: apiError(401, "Unauthorized"), expected: failed },
    { name: "403 backs off", thrown: apiError(403, "Forbidden"), expected: failed },
    { name: "500 backs off", thrown: apiError(500, "InternalError"), expected: failed },
    {
      name: "429 waits as long as the server asks",
      thrown: apiError(429, "TooManyRequests", "/x", 7000),
      expected: { ...failed, atLeast: 7000 },
    },
    {
      name: "whatever a run throws that was cut off is no error",
      thrown: new DOMException("This operation was aborted", "AbortError"),
      given: { stopped: true },
      expected: { outcome: "requeue", again: undefined, level: "debug" },
    },
    {
      name: "an AbortError of somebody else's is an error",
      thrown: new DOMException("This operation was aborted", "AbortError"),
      expected: failed,
    },
    {
      name: "a time-out backs off, even when a PermanentError came of it",
      thrown: new PermanentError("x"),
      given: { late: new Error("too long") },
      expected: failed,
    },
  ];

  for (const { name, thrown, given, expected } of table) {
    it(name, () =>
      expect(brief(judge(thrown, { ...situation, ...given }))).to.deep.equal(expected),
    );
  }

  it("names the time-out and what came of it", () => {
    const late = new Error("reconcile took longer than 5 ms");
    const { told } = judge(new Error("socket hang up"), { ...situation, late });

    expect(told?.error).to.have.property("message", late.message);
    expect(told?.error).to.have.nested.property("cause.message", "socket hang up");
  });

  describe("of several errors", () => {
    const permanent = new PermanentError("x");
    const later = new TemporaryError("x", { delay: 30_000 });
    const sooner = new TemporaryError("x", { delay: 5_000 });
    const stale = apiError(409, "Conflict");
    const asked = (after: number): ApiError => apiError(429, "TooManyRequests", "/x", after);
    const several: readonly {
      readonly name: string;
      readonly errors: readonly unknown[];
      readonly given?: Partial<Situation>;
      readonly expected: Record<string, unknown>;
    }[] = [
      {
        name: "waits for a change when all are permanent",
        errors: [permanent, permanent],
        expected: { outcome: "terminal", again: undefined, level: "error" },
      },
      {
        name: "waits for the smallest delay beside a permanent one",
        errors: [later, permanent, sooner],
        expected: { outcome: "error", again: 5_000, level: "error" },
      },
      {
        name: "warns of delays alone",
        errors: [later, sooner],
        expected: { outcome: "error", again: 5_000, level: "warn" },
      },
      {
        name: "backs off for any other error, but not beyond the smallest delay",
        errors: [permanent, later, new Error("x"), sooner],
        expected: { ...failed, atMost: 5_000 },
      },
      {
        name: "waits as long as the most patient answer allows, but no longer than the least",
        errors: [asked(7_000), asked(3_000)],
        expected: { ...failed, atLeast: 3_000 },
      },
      {
        name: "does not wait for a Retry-After that another error does not ask for",
        errors: [asked(7_000), new Error("x")],
        expected: failed,
      },
      {
        name: "retries a conflict first, quietly",
        errors: [new Error("x"), permanent, stale, later],
        expected: { outcome: "requeue", again: 0, level: "debug" },
      },
      {
        name: "takes a ninth conflict for a failure",
        errors: [permanent, stale],
        given: { conflicts: 8 },
        expected: failed,
      },
      {
        name: "ends quietly when each says that the object went",
        errors: [apiError(404, "NotFound"), apiError(404, "NotFound")],
        expected: { outcome: "success", again: undefined, level: "debug" },
      },
      {
        name: "waits for a change when one is permanent and the object went",
        errors: [apiError(404, "NotFound"), permanent],
        expected: { outcome: "terminal", again: undefined, level: "error" },
      },
      {
        name: "looks into errors of errors",
        errors: [new AggregateError([permanent]), new AggregateError([sooner, permanent])],
        expected: { outcome: "error", again: 5_000, level: "error" },
      },
      { name: "backs off for none at all", errors: [], expected: failed },
    ];
    for (const { name, errors, given, expected } of several) {
      it(name, () => {
        const verdict = judge(new AggregateError(errors), { ...situation, ...given });

        expect(brief(verdict)).to.deep.equal(expected);
      });
    }

    it("judges an ApplyError, tells it whole, and says what to do", () => {
      const failures = [later, apiError(403, "Forbidden")].map(
        (error) => ({ verb: "apply", what: "ConfigMap ns/a", error }) as const,
      );
      const thrown = new ApplyError(failures, nothingDone);

      const { again, atMost, told } = judge(thrown, situation);

      expect({ again, atMost }).to.deep.equal({ again: "backoff", atMost: 30_000 });
      expect(told?.error).to.equal(thrown);
      expect(told?.hint).to.match(/right is missing/);
    });

    it("counts a conflict among them", () => {
      const { conflict } = judge(new AggregateError([permanent, stale]), situation);
      const ninth = judge(new AggregateError([permanent, stale]), { ...situation, conflicts: 8 });

      expect([conflict, ninth.conflict]).to.deep.equal([true, true]);
    });

    it("survives an error that consists of itself", () => {
      const thrown = new AggregateError([]);
      thrown.errors.push(thrown);

      expect(brief(judge(thrown, situation))).to.deep.equal(failed);
    });
  });

  for (const { code, hint } of [
    { code: 401, hint: /credentials/ },
    { code: 403, hint: /right is missing/ },
  ]) {
    it(`says what to do about ${code}`, () => {
      expect(judge(apiError(code, "x"), situation).told?.hint).to.match(hint);
    });
  }

  describe("of a trouble that others share", () => {
    const silent = (path: string, reason = "Unreachable"): ApiError => {
      const message = `GET ${path}: https://host:6443 cannot be reached`;
      return new ApiError({ message, code: 0, reason, method: "GET", path });
    };
    const refused = new TemporaryError("cluster c was silent", { shared: true });
    const words = "https://host:6443 cannot be reached";
    for (const { name, thrown, shared } of [
      { name: "a refusal says its words", thrown: refused, shared: "cluster c was silent" },
      { name: "a silent server leaves out what was asked", thrown: silent("/x"), shared: words },
      { name: "a hung one does, too", thrown: silent("/x", "Timeout"), shared: words },
      {
        name: "several requests of one server meet one",
        thrown: new AggregateError([silent("/x"), silent("/y")]),
        shared: words,
      },
      {
        name: "anything else beside it is told",
        thrown: new AggregateError([silent("/x"), new Error("no")]),
        shared: undefined,
      },
      { name: "the object's own is none", thrown: new TemporaryError("x"), shared: undefined },
      { name: "an untrusted server is none", thrown: silent("/x", "Untrusted"), shared: undefined },
    ]) {
      it(name, () => expect(judge(thrown, situation).told?.shared).to.equal(shared));
    }
  });

  it("takes a 404 of another server for an error, though the path is the object's", () => {
    const { message, code, reason, method, path } = apiError(404, "NotFound");
    const of = (server: string | undefined): ApiError =>
      new ApiError({ message, code, reason, method, path, server });
    const judged = (server: string | undefined) =>
      judge(of(server), { ...situation, server: "https://hub" }).outcome;

    expect(judged("https://cluster")).to.equal("error");
    expect(judged("https://hub")).to.equal("success");
    expect(judged(undefined)).to.equal("success");
  });

  it("knows the object outside of namespaces and groups", () => {
    const kind = { ...Widget, group: "", scope: "Cluster" } as const;
    const thrown = apiError(404, "NotFound", "/api/v1/widgets/a");

    expect(judge(thrown, { ...situation, kind, key: "a" }).outcome).to.equal("success");
  });
});
