import { freePort } from "@drover/env";
import { expect } from "chai";
import { readable } from "../control/index.ts";
import { Namespace } from "../kinds/index.ts";
import { type ApiError, defineKind, isForbidden, type WriteOptions } from "../kube/index.ts";
import { eventually } from "../testing/index.ts";
import type { AdmissionRequest } from "./request.ts";
import { allow, deny } from "./request.ts";
import { ConfigMap, type Data, Plant } from "./testing/plant.ts";
import type { Mutator, Validator, WebhookRule } from "./webhook.ts";

const all: readonly WebhookRule[] = [{ operations: ["CREATE", "UPDATE", "DELETE"] }];

/** Refuses what has `data.refuse`; its text is the message. */
function refuser(rules: readonly WebhookRule[] = all): Validator<Data> {
  return {
    kind: ConfigMap,
    rules,
    validate: ({ object, oldObject }) => {
      const data = (object ?? oldObject).data ?? {};
      if (data.refuse !== undefined) return deny(Number(data.code ?? 403), data.refuse);
      return data.warn === undefined ? allow() : allow(data.warn);
    },
  };
}

describe("AdmissionServer", function () {
  this.timeout(60_000);

  /** Whether the refuser is asked. */
  const asks = (plant: Plant) => async (): Promise<boolean> => {
    const probe = plant.client.create(plant.configMap({ refuse: "probe" }), { dryRun: true });
    return probe.then(() => false, isForbidden);
  };
  const failure = (promise: Promise<unknown>): Promise<ApiError> =>
    promise.then(
      () => expect.fail("was not refused"),
      (error: ApiError) => error,
    );

  it("lets a denial reach clients and kubectl, with its code and message", async () => {
    await using plant = await Plant.open({ webhooks: [refuser()] });
    await plant.leader(asks(plant));

    const error = await failure(
      plant.client.create(plant.configMap({ refuse: "data.a must be even", code: "422" })),
    );
    const input = JSON.stringify(plant.configMap({ refuse: "data.b is missing", code: "400" }));
    const kubectl = await plant.plane.kubectl(["create", "-f", "-"], { input });

    const entry = `${plant.name}.configmaps`;
    expect([error.code, error.reason]).to.deep.equal([422, "Invalid"]);
    expect(error.status?.message).to.equal(
      `admission webhook "${entry}" denied the request: data.a must be even`,
    );
    expect(kubectl.code).to.equal(1);
    expect(kubectl.stderr).to.contain(`"${entry}" denied the request: data.b is missing`);
  });

  it("shows people warnings", async () => {
    await using plant = await Plant.open({ webhooks: [refuser()] });
    await plant.leader(asks(plant));
    const input = JSON.stringify(plant.configMap({ warn: "data.a will go" }));

    const { code, stderr } = await plant.plane.kubectl(["create", "-f", "-"], { input });

    expect(code).to.equal(0);
    expect(stderr).to.contain("Warning: data.a will go");
  });

  it("judges updates and deletions, and dry runs without harm", async () => {
    const seen: AdmissionRequest<Data>[] = [];
    const validator = refuser();
    const noting: Validator<Data> = {
      ...validator,
      validate: (request, context) => {
        seen.push(request);
        return validator.validate(request, context);
      },
    };
    await using plant = await Plant.open({ webhooks: [noting] });
    await plant.leader(asks(plant));
    const created = await plant.client.create(plant.configMap({ a: "1" }));
    seen.length = 0;

    const merge = { data: { refuse: "no" } };
    const refused = await failure(plant.client.patch(created, { merge }, { dryRun: true }));
    await plant.client.patch(created, { merge: { data: { a: "2" } } }, { dryRun: true });
    const stored = await plant.client.get(ConfigMap, created.metadata.name, plant);
    await plant.client.delete(created);

    expect(refused.code).to.equal(403);
    expect(stored.data).to.deep.equal({ a: "1" });
    expect(
      seen.map(({ operation, dryRun, object, oldObject, user }) => ({
        ...{ operation, dryRun, user: user.groups.includes("system:masters") },
        ...{ from: oldObject?.data, to: object?.data },
      })),
    ).to.deep.equal([
      {
        operation: "UPDATE",
        dryRun: true,
        user: true,
        from: { a: "1" },
        to: { a: "1", refuse: "no" },
      },
      { operation: "UPDATE", dryRun: true, user: true, from: { a: "1" }, to: { a: "2" } },
      { operation: "DELETE", dryRun: false, user: true, from: { a: "1" }, to: undefined },
    ]);
    expect(seen[0]?.options).to.include({ kind: "UpdateOptions" });
  });

  it("changes what is stored, names with slashes and fields that go included", async () => {
    const mutator: Mutator<Data> = {
      kind: ConfigMap,
      rules: [{ operations: ["CREATE"] }],
      mutate: ({ object }) => {
        if (object === undefined || object.data?.mutate === undefined) return undefined;
        const { mutate: _, ...data } = object.data;
        const labels = { ...object.metadata.labels, "example.com/a": "b" };
        return { ...object, metadata: { ...object.metadata, labels }, data: { ...data, new: "1" } };
      },
    };
    await using plant = await Plant.open({ webhooks: [mutator] });
    const asked = async (): Promise<boolean> => {
      const probe = plant.configMap({ mutate: "" });
      return (await plant.client.create(probe, { dryRun: true })).data?.new === "1";
    };
    await plant.leader(asked);

    const { metadata, data } = await plant.client.create(plant.configMap({ mutate: "", b: "2" }));

    expect(data).to.deep.equal({ b: "2", new: "1" });
    expect(metadata.labels).to.deep.equal({ "example.com/a": "b" });
  });

  it("fails or passes while nobody answers, as the rule says, and recovers", async () => {
    const rules: readonly WebhookRule[] = [
      {
        operations: ["CREATE"],
        suffix: "fail",
        matchConditions: [{ name: "strict", expression: "'strict' in object.data" }],
        timeoutSeconds: 1,
      },
      {
        operations: ["CREATE"],
        suffix: "ignore",
        failurePolicy: "Ignore",
        matchConditions: [{ name: "lax", expression: "!('strict' in object.data)" }],
        timeoutSeconds: 1,
      },
    ];
    await using plant = await Plant.open({ webhooks: [refuser(rules)] });
    const port = await freePort();
    const first = await plant.leader(asks(plant), { port });
    const strict = () =>
      plant.client.create(plant.configMap({ strict: "", refuse: "asked" }), { timeout: 5000 });
    await eventually(async () => (await failure(strict())).code === 403, { within: 10_000 });

    await first[Symbol.asyncDispose]();
    const error = await failure(strict());
    const passed = await plant.client.create(plant.configMap({ refuse: "not asked" }));

    expect(error.code).to.equal(500);
    expect(error.message).to.contain(`failed calling webhook "${plant.name}.configmaps.fail"`);
    expect(passed.metadata.uid).to.be.a("string");
    await plant.replica({ port });
    await eventually(async () => (await failure(strict())).code === 403, { within: 10_000 });
  });

  it("lets failurePolicy decide when a handler throws, and tells nobody but the log why", async () => {
    const throwing: Validator<Data> = {
      kind: ConfigMap,
      rules: [{ operations: ["CREATE"] }],
      validate: ({ object }) => {
        if (object?.data?.refuse !== undefined) return deny(403, "x");
        throw new Error("hunter2");
      },
    };
    await using plant = await Plant.open({ webhooks: [throwing] });
    const { log } = await plant.leader(asks(plant));

    const error = await failure(plant.client.create(plant.configMap()));

    expect(error.code).to.equal(500);
    expect(error.message).to.contain("the webhook failed; its log says why");
    expect(error.message).to.not.contain("hunter2");
    expect(log.messages("a webhook failed")).to.have.length(1);
  });

  it("gives handlers the caches that they declare, with indexes, and no others", async () => {
    const byColor = (data: Data): readonly string[] => [data.data?.color ?? ""];
    const validator: Validator<Data> = {
      kind: ConfigMap,
      rules: [{ operations: ["CREATE"] }],
      reads: [
        readable(ConfigMap, { select: { labelSelector: "plant-color" }, indexes: { byColor } }),
      ],
      validate: ({ object }, { cache }) => {
        if (object?.data?.refuse !== undefined) return deny(403, "x");
        const same = cache(ConfigMap).byIndex("byColor", object?.data?.color ?? "none");
        return same.length === 0 ? allow() : deny(409, `there is ${same[0]?.metadata.name}`);
      },
    };
    await using plant = await Plant.open({ webhooks: [validator] });
    await plant.leader(asks(plant));
    const color = plant.namespace;
    const labelled = plant.configMap({ color });
    const labels = { "plant-color": "" };
    await plant.client.create({ ...labelled, metadata: { ...labelled.metadata, labels } });

    const dryRun = () => plant.client.create(plant.configMap({ color }), { dryRun: true });
    const error = await eventually(
      () =>
        dryRun().then(
          () => undefined,
          (thrown) => thrown,
        ),
      { within: 5000 },
    );

    expect([error.code, error.reason]).to.deep.equal([409, "Conflict"]);
    expect(error.message).to.contain(`there is ${labelled.metadata.name}`);
  });

  it("lets requests wait for caches, and says which ones did not come", async () => {
    const absent = defineKind({ ...ConfigMap, group: "absent.example.com", plural: "absents" });
    const reading: Validator<Data> = {
      ...refuser([{ operations: ["CREATE"], timeoutSeconds: 1 }]),
      reads: [absent],
    };
    await using plant = await Plant.open({ webhooks: [reading] });
    const create = () => plant.client.create(plant.configMap(), { dryRun: true, timeout: 5000 });
    await plant.leader(async () => (await failure(create())).code === 500);

    // Its answer has a tenth of a second before the API server gives up by itself.
    await eventually(
      async () => {
        const { message } = await failure(create());
        expect(message).to.contain("waiting for caches (absents.absent.example.com)");
        return true;
      },
      { within: 10_000 },
    );
  });

  it("judges subresources that a rule names, and no others", async () => {
    const seen: (string | undefined)[] = [];
    const validator: Validator<Namespace> = {
      kind: Namespace,
      rules: [{ operations: ["UPDATE"], subresources: ["status"] }],
      validate: ({ subresource, object }) => {
        seen.push(subresource);
        return object?.metadata.annotations?.refuse === undefined ? allow() : deny(403, "no");
      },
    };
    await using plant = await Plant.open({ webhooks: [validator] });
    const namespace = await plant.client.get(Namespace, plant.namespace);
    const merge = { metadata: { annotations: { refuse: "" } } };
    const patch = (options: WriteOptions) =>
      plant.client.patch(namespace, { merge }, { dryRun: true, ...options });
    await plant.leader(() => patch({}).then(() => false, isForbidden));
    seen.length = 0;

    const refused = await failure(patch({ subresource: "status" }));

    expect(refused.code).to.equal(403);
    expect(seen).to.deep.equal(["status"]);
  });

  it("refuses two handlers for the same", async () => {
    await using plant = await Plant.open({ webhooks: [refuser(), refuser()] });

    const error = await failure(plant.replica());

    expect(String(error)).to.equal("TypeError: configmaps has two handlers for validation");
  });
});
