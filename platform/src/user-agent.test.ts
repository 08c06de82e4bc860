import { expect } from "chai";
import { userAgent } from "./user-agent.ts";

describe("userAgent", () => {
  it("begins with the name that API servers take for the manager of fields", () => {
    expect(userAgent).to.match(/^drover\/\d+\.\d+\.\d+ \(\w+\/\w+\)$/);
  });
});
