import type { User } from "@drover/crds";
import { aUser } from "@drover/crds/testing";
import { expect } from "chai";
import { ApiError, type Client } from "kopf-ts";
import { principalOf, userNameOf } from "./named.ts";

describe("principalOf", () => {
  for (const { name, principalIds, expected } of [
    { name: "the first that ends with the name", principalIds: ["x://1", "local://u-ada"] },
    { name: "one of another provider", principalIds: ["x://u-ada"], expected: "x://u-ada" },
    { name: "the local one of a user that has none yet", principalIds: [] },
    { name: "the local one where none ends with the name", principalIds: ["x://1"] },
  ]) {
    it(`is ${name}`, () => {
      const user = aUser({ metadata: { name: "u-ada" }, principalIds });

      expect(principalOf(user)).to.equal(expected ?? "local://u-ada");
    });
  }
});

describe("userNameOf", () => {
  const ada = aUser({ metadata: { name: "u-ada" }, principalIds: ["x://1"] });
  const sources = (error: Error) => ({
    client: { list: () => Promise.reject(error) } as unknown as Client,
    users: {
      get: () => undefined,
      byIndex: (_: string, principal: string): User[] => (principal === "x://1" ? [ada] : []),
    },
    globalRoles: { keysByIndex: () => [] },
  });
  const binding = { metadata: { name: "binding" } };

  it("is that of the User that has the principal", async () => {
    expect(await userNameOf("x://1", binding, sources(new Error("never")))).to.equal("u-ada");
  });

  it("tells what is in the way", async () => {
    const error = new Error("no answer");

    expect(await userNameOf("x://2", binding, sources(error))).to.equal(error);
  });

  it("throws a conflict, which is gone with the next run", async () => {
    const conflict = new ApiError({
      code: 409,
      reason: "Conflict",
      message: "it changed",
      method: "GET",
      path: "/",
    });

    const thrown = await userNameOf("x://2", binding, sources(conflict)).catch((e: unknown) => e);

    expect(thrown).to.equal(conflict);
  });
});
