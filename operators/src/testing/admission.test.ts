import { uniqueName } from "@drover/env";
import { expect } from "chai";
import type { ApiError } from "kopf-ts";
import { allow, deny, type Mutator, type Validator } from "kopf-ts/admission";
import { ConfigMap } from "kopf-ts/kinds";
import { RunningAdmission } from "./admission.ts";

const validator: Validator<ConfigMap> = {
  kind: ConfigMap,
  rules: [{ operations: ["CREATE"] }],
  validate: ({ object, user }) =>
    object?.data?.size === "large"
      ? deny(422, `data.size is too large for ${user.username}`)
      : allow(),
};

const mutator: Mutator<ConfigMap> = {
  kind: ConfigMap,
  rules: [{ operations: ["CREATE"] }],
  mutate: ({ object }) => object && { ...object, data: { ...object.data, color: "blue" } },
};

describe("RunningAdmission", function () {
  this.timeout(60_000);

  const configMap = (size: string): ConfigMap => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: uniqueName("data"), namespace: "default" },
    data: { size },
  });

  it("lets webhooks judge its own clients, and nobody else", async () => {
    await using running = await RunningAdmission.open({ webhooks: [validator, mutator] });

    const refused: ApiError = await running
      .as("bob", ["system:masters"])
      .create(configMap("large"))
      .catch((e) => e);
    const changed = await running.client.create(configMap("small"), { dryRun: true });
    const untouched = await running.own.create(configMap("large"), { dryRun: true });

    expect(refused.code).to.equal(422);
    expect(refused.message).to.contain("data.size is too large for bob");
    expect(changed.data).to.deep.equal({ size: "small", color: "blue" });
    expect(untouched.data).to.deep.equal({ size: "large" });
  });
});
