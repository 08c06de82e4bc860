import { expect } from "chai";
import { Served } from "../../listener/testing/served.ts";
import { notFound } from "../../not-found/index.ts";
import { type Stage, send } from "../../stage.ts";
import { rootAsV1 } from "./index.ts";

describe("rootAsV1", () => {
  const tell: Stage = async ({ response, path }) => send(response, 200, path, "text/plain");
  let served: Served;
  before(async () => {
    served = await Served.open([rootAsV1(tell), notFound]);
  });
  after(() => served[Symbol.asyncDispose]());

  for (const { path, accept, expected } of [
    { path: "/", accept: "application/json", expected: "/v1" },
    { path: "/", accept: "text/html, application/json;q=0.5", expected: "/v1" },
    { path: "/?x=1", accept: "application/json", expected: "/v1" },
    { path: "/", accept: "text/html", expected: 404 },
    { path: "/", accept: "*/*", expected: 404 },
    { path: "/", accept: "", expected: 404 },
    { path: "/v2", accept: "application/json", expected: 404 },
  ]) {
    it(`makes ${expected} of ${path} for ${accept || "no Accept"}`, async () => {
      const { status, body } = await served.call(path, {
        headers: accept === "" ? {} : { accept },
      });

      expect(status === 200 ? body : status).to.equal(expected);
    });
  }
});
