import { expect } from "chai";
import { parseStatus, retryAfterOf } from "./status.ts";

const whole = {
  apiVersion: "v1",
  kind: "Status",
  metadata: { resourceVersion: "7", continue: "next" },
  status: "Failure",
  message: "no",
  reason: "Invalid",
  code: 422,
  details: {
    name: "a",
    group: "apps",
    kind: "deployments",
    uid: "u",
    retryAfterSeconds: 3,
    causes: [{ reason: "FieldValueInvalid", message: "bad", field: "spec" }, {}],
  },
} as const;

describe("parseStatus", () => {
  it("takes a whole Status over", () => {
    expect(parseStatus(whole)).to.deep.equal(whole);
  });

  for (const value of [undefined, null, "Status", 7, [], {}, [whole], { kind: "Pod" }]) {
    it(`finds none in ${JSON.stringify(value)}`, () => {
      expect(parseStatus(value)).to.equal(undefined);
    });
  }

  for (const [name, fields, expected] of [
    ["a message that is no text", { message: {}, reason: "x" }, { reason: "x" }],
    ["a reason that is no text", { reason: 7 }, {}],
    ["a code that is text", { code: "404" }, {}],
    ["a code that is negative", { code: -1 }, {}],
    ["a status of no meaning", { status: "Maybe" }, {}],
    ["metadata that is a list", { metadata: [] }, {}],
    ["fields nobody knows", { other: { secret: 1 } }, {}],
    ["details that are text", { details: "x" }, {}],
    ["no causes but a mapping", { details: { causes: {} } }, { details: {} }],
    [
      "causes that are none",
      { details: { causes: [null, 7, { reason: 1, field: "a" }] } },
      { details: { causes: [{ field: "a" }] } },
    ],
    ["a wait that is text", { details: { retryAfterSeconds: "5" } }, { details: {} }],
    ["a negative wait", { details: { retryAfterSeconds: -1 } }, { details: {} }],
    ["an endless wait", { details: { retryAfterSeconds: Infinity } }, { details: {} }],
  ] as const) {
    it(`leaves out ${name}`, () => {
      expect(parseStatus({ kind: "Status", ...fields })).to.deep.equal({
        kind: "Status",
        ...expected,
      });
    });
  }
});

describe("retryAfterOf", () => {
  for (const [name, status, expected] of [
    ["no Status", undefined, undefined],
    ["a Status that asks for none", { kind: "Status" }, undefined],
    ["seconds", { details: { retryAfterSeconds: 3 } }, 3_000],
    ["days, as 5 minutes", { details: { retryAfterSeconds: 864_000 } }, 300_000],
  ] as const) {
    it(`reads ${name}`, () => expect(retryAfterOf(status)).to.equal(expected));
  }
});
