import { expect } from "chai";
import * as undici from "undici";
import { buildConnector, Pool } from "./undici.ts";

describe("the parts of undici", () => {
  it("are those of its entry point", () => {
    expect(Pool).to.equal(undici.Pool);
    expect(buildConnector).to.equal(undici.buildConnector);
  });
});
