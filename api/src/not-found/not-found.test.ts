import { expect } from "chai";
import { Served } from "../listener/testing/served.ts";
import { notFound } from "./index.ts";

describe("a path that nobody serves", () => {
  let served: Served;
  before(async () => {
    served = await Served.open([notFound]);
  });
  after(() => served[Symbol.asyncDispose]());

  it("is answered 404 in the error shape, without its query", async () => {
    const { status, body } = await served.call("/a%22b?token=x");

    expect(status).to.equal(404);
    expect(JSON.parse(body)).to.deep.equal({
      type: "error",
      links: {},
      status: 404,
      code: "NotFound",
      message: "nothing at /a%22b",
    });
  });

  for (const method of ["POST", "OPTIONS", "PROPFIND"]) {
    it(`is not there for ${method} either`, async () => {
      expect((await served.call("/a", { method })).status).to.equal(404);
    });
  }
});
