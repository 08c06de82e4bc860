import { aToken, aUserAttribute } from "@drover/crds/testing";
import { expect } from "chai";
import { RunningAdmission } from "../../testing/admission.ts";
import { refusal } from "../../testing/refusal.ts";
import { tokens } from "../tokens/index.ts";
import { userAttributes } from "./index.ts";

describe("admission of user attributes and tokens", function () {
  this.timeout(60_000);

  let running: RunningAdmission;
  before(async () => {
    running = await RunningAdmission.open({ webhooks: [userAttributes, tokens] });
  });
  after(() => running[Symbol.asyncDispose]());

  const notTime = "must be a time in RFC 3339, such as 2023-11-29T00:00:00Z";
  const notDuration = "must be a duration that is not negative, such as 240h";
  /** Kubernetes takes it, but whoever reads it with Go does not. */
  const lowerCase = "2023-11-29t00:00:00z";

  for (const { fields, expected } of [
    { fields: {}, expected: "accepted" },
    { fields: { disableAfter: "720h", deleteAfter: "0s" }, expected: "accepted" },
    { fields: { lastLogin: "2023-11-29T00:00:00Z" }, expected: "accepted" },
    { fields: { lastLogin: lowerCase }, expected: `400 lastLogin ${notTime}` },
    { fields: { disableAfter: "1 week" }, expected: `400 disableAfter ${notDuration}` },
    { fields: { deleteAfter: "-1h" }, expected: `400 deleteAfter ${notDuration}` },
  ]) {
    it(`answers attributes ${JSON.stringify(fields)} with: ${expected}`, async () => {
      expect(await refusal(running.client.create(aUserAttribute(fields)))).to.equal(expected);
    });
  }

  it("leaves what is no time at all to the schema", async () => {
    const wrong = aUserAttribute({ lastLogin: "yesterday" });

    expect(await refusal(running.client.create(wrong))).to.match(/^422 .*lastLogin/);
  });

  it("judges what changes, and lets the rest of old attributes be", async () => {
    const old = await running.own.create(aUserAttribute({ disableAfter: "1 week" }));
    const patch = (merge: object) => refusal(running.client.patch(old, { merge }));

    expect(await patch({ NeedsRefresh: true })).to.equal("accepted");
    expect(await patch({ deleteAfter: "400h" })).to.equal("accepted");
    expect(await patch({ deleteAfter: "ever" })).to.equal(`400 deleteAfter ${notDuration}`);
  });

  it("refuses a token whose last use is no time", async () => {
    const token = await running.client.create(aToken({ lastUsedAt: "2023-11-29T00:00:00Z" }));
    const patch = (merge: object) => refusal(running.client.patch(token, { merge }));

    expect(await patch({ lastUsedAt: lowerCase })).to.equal(`400 lastUsedAt ${notTime}`);
    expect(await patch({ lastUsedAt: "2023-11-30T00:00:00Z" })).to.equal("accepted");
    expect(await patch({ description: "mine" })).to.equal("accepted");
  });
});
