import { inspect } from "node:util";
import { expect } from "chai";
import {
  ApiError,
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isTooManyRequests,
  isUnanswered,
  isUnauthorized,
} from "./errors.ts";

const anError = (code: number, reason = "x"): ApiError =>
  new ApiError({ message: "GET /x: no", code, reason, method: "GET", path: "/x" });

const guards = {
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isTooManyRequests,
  isUnanswered,
  isUnauthorized,
};

describe("an ApiError", () => {
  for (const [error, expected] of [
    [anError(400), "isBadRequest"],
    [anError(401), "isUnauthorized"],
    [anError(403), "isForbidden"],
    [anError(404), "isNotFound"],
    [anError(409, "Conflict"), "isConflict"],
    [anError(409, "AlreadyExists"), "isAlreadyExists"],
    [anError(410), "isGone"],
    [anError(422), "isInvalid"],
    [anError(429), "isTooManyRequests"],
    [anError(0, "Timeout"), "isUnanswered"],
  ] as const) {
    it(`of code ${error.code}, ${error.reason}, is known as ${expected} alone`, () => {
      const known = Object.entries(guards).filter(([, guard]) => guard(error));

      expect(known.map(([name]) => name)).to.deep.equal([expected]);
    });
  }

  it("is not taken for anything that only looks like it", () => {
    for (const thrown of [undefined, null, "404", { code: 404 }, new Error("404")]) {
      expect(Object.values(guards).some((guard) => guard(thrown))).to.equal(false);
    }
  });

  it("is an Error with a name, a stack and a cause", () => {
    const cause = new Error("why");
    const error = new ApiError({
      message: "m",
      code: 0,
      reason: "r",
      method: "GET",
      path: "/",
      cause,
    });

    expect(error).to.be.instanceOf(Error);
    expect(inspect(error)).to.match(/^ApiError: m\n {4}at /);
    expect(error.cause).to.equal(cause);
    expect(anError(404)).not.to.have.property("cause");
  });
});
