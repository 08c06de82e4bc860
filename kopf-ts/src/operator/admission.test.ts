import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { type ControlPlane, freshNamespace, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { type AdmissionOptions, allow, deny, type Validator } from "../admission/index.ts";
import { keptLog } from "../admission/testing/lines.ts";
import { aborted } from "../base/index.ts";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "../kinds/index.ts";
import {
  type Client,
  connect,
  defineKind,
  isForbidden,
  type KubeObject,
  loadConfig,
} from "../kube/index.ts";
import { HealthChecks, Metrics } from "../observe/index.ts";
import { eventually } from "../testing/index.ts";
import type { ExitCode } from "./exit-code.ts";
import { Operator } from "./operator.ts";
import type { OperatorOptions } from "./options.ts";
import { aGadget, install } from "./testing/gadgets.ts";

interface Data extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const ConfigMap = defineKind<Data>({
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  scope: "Namespaced",
});

describe("Operator with webhooks", function () {
  this.timeout(60_000);

  let plane: ControlPlane;
  let client: Client;
  let namespace = "";
  before(async () => {
    plane = await testEnv();
    client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
  });
  beforeEach(async () => {
    namespace = await freshNamespace(plane);
  });
  after(() => client[Symbol.asyncDispose]());

  const answers: { validate: Validator<Data>["validate"] } = { validate: () => allow() };
  const refuser: Validator<Data> = {
    kind: ConfigMap,
    rules: [{ operations: ["CREATE"], timeoutSeconds: 5 }],
    validate: (request, context) =>
      request.object?.data?.probe === undefined
        ? answers.validate(request, context)
        : deny(403, "asked"),
  };
  const admission = (more: Partial<AdmissionOptions> = {}): AdmissionOptions => ({
    ...{ name: `${uniqueName("operator")}.kopf-ts.dev`, webhooks: [refuser] },
    ...{ host: "127.0.0.1", port: 0, secrets: { namespace }, removeOnStop: true },
    clientConfig: (port) => ({ url: `https://127.0.0.1:${port}` }),
    matchConditions: [{ name: "of-this-test", expression: `request.namespace == '${namespace}'` }],
    ...more,
  });

  /** A started operator; disposing it stops it. */
  class Started implements AsyncDisposable {
    readonly operator: Operator;
    readonly health = new HealthChecks();
    readonly log = keptLog();
    readonly stop = new AbortController();
    readonly ended: Promise<ExitCode>;

    constructor(options: Partial<OperatorOptions> = {}) {
      const { health, log } = this;
      const metrics = new Metrics({ process: false });
      const own = { name: "test-operator", client, health, logger: log.logger, metrics };
      this.operator = new Operator({ ...own, ...options });
      this.ended = this.operator.start(this.stop.signal);
    }

    async [Symbol.asyncDispose](): Promise<void> {
      this.stop.abort();
      await this.ended;
    }
  }

  const configMap = (data: Data["data"] = {}): Data => ({
    ...{ apiVersion: "v1", kind: "ConfigMap", data },
    metadata: { name: uniqueName("data"), namespace },
  });
  const asks = (): Promise<boolean> =>
    client.create(configMap({ probe: "" }), { dryRun: true }).then(() => false, isForbidden);
  const readyz = async ({ health }: Started): Promise<string> =>
    (await health.respond("/readyz", new URLSearchParams("verbose")))?.body ?? "";

  it("listens, prepares, fills caches and only then leads; stops in reverse", async () => {
    const order: string[] = [];
    const gadget = aGadget();
    const started = new Started({
      admission: admission({ webhooks: [{ ...refuser, reads: [gadget] }] }),
      prepare: async ({ log }) => {
        order.push(...started.log.messages("serving webhooks", "caches are synced"));
        log.info("prepared");
        await install(client, gadget); // without it no cache would fill
      },
    });

    await eventually(asks, { within: 20_000 });
    started.stop.abort();

    expect(await started.ended).to.equal(0);
    expect(order).to.deep.equal(["serving webhooks"]);
    expect(
      started.log.messages(
        "serving webhooks",
        "prepared",
        "caches are synced",
        "controllers are running",
        "stopped",
      ),
    ).to.deep.equal([
      "serving webhooks",
      "prepared",
      "caches are synced",
      "controllers are running",
      "stopped",
    ]);
  });

  it("tells about webhooks on /readyz, and removes its configurations at the end", async () => {
    const options = admission();
    const started = new Started({ admission: options });
    await eventually(asks, { within: 10_000 });

    expect(await readyz(started)).to.match(/\[\+\]webhooks ok: port \d+\n/);

    await started[Symbol.asyncDispose]();
    expect(await client.find(ValidatingWebhookConfiguration, options.name)).to.equal(undefined);
    expect(await client.find(MutatingWebhookConfiguration, options.name)).to.equal(undefined);
  });

  it("answers reviews that are in work when it stops", async () => {
    const started = new Started({ admission: admission() });
    await eventually(asks, { within: 10_000 });
    const inWork = Promise.withResolvers<void>();
    const answering = Promise.withResolvers<void>();
    answers.validate = async () => {
      inWork.resolve();
      await answering.promise;
      return deny(403, "in the end");
    };
    const asking = client.create(configMap(), { dryRun: true }).catch((error) => error);
    await inWork.promise;

    started.stop.abort();
    await eventually(() => started.log.messages("stopping the controllers").length > 0, {
      within: 5000,
    });
    answering.resolve();

    expect((await asking).message).to.contain("in the end");
    expect(await started.ended).to.equal(0);
    answers.validate = () => allow();
  });

  it("stops within its time when a review hangs", async () => {
    const started = new Started({ admission: admission(), stopTimeout: 4000 });
    await eventually(asks, { within: 10_000 });
    const inWork = Promise.withResolvers<void>();
    answers.validate = () => {
      inWork.resolve();
      return new Promise(() => undefined);
    };
    const asking = client.create(configMap(), { dryRun: true }).catch((error) => error);
    await inWork.promise;
    const begin = performance.now();

    started.stop.abort();
    await started.ended;

    expect(performance.now() - begin).to.be.below(4000);
    expect((await asking).code).to.equal(500);
    answers.validate = () => allow();
  });

  it("ends with code 1 and says why when its port is taken", async () => {
    const holder = createServer().listen(0, "127.0.0.1");
    await once(holder, "listening");
    const { port } = holder.address() as AddressInfo;

    await using started = new Started({ admission: admission({ port }) });

    expect(await started.ended).to.equal(1);
    const [line] = started.log.lines.filter(({ msg }) => msg === "the operator failed");
    expect(JSON.stringify(line)).to.contain(`cannot serve webhooks on 127.0.0.1:${port}`);
    holder.close();
  });

  it("waits for the right to keep its Secrets, and names it", async () => {
    const poor = client.as({ user: "nobody-in-particular" });
    await using started = new Started({ client: poor, admission: admission() });

    await eventually(async () => (await readyz(started)).includes("[-]webhooks failed: "), {
      within: 10_000,
    });

    expect(await readyz(started)).to.match(/\[-\]webhooks failed: .*secrets .* is forbidden/);
  });

  describe("prepare", () => {
    it("is tried again until it succeeds, and /readyz says what it failed of", async () => {
      let attempts = 0;
      const preparing = Promise.withResolvers<void>();
      await using started = new Started({
        prepare: async () => {
          attempts++;
          if (attempts === 1) throw new Error("no CRDs yet");
          await preparing.promise;
        },
      });

      await eventually(async () => (await readyz(started)).includes("preparing: no CRDs yet"), {
        within: 5000,
      });
      expect(await readyz(started)).to.contain("[-]start failed: preparing: no CRDs yet");
      preparing.resolve();
      await eventually(() => started.log.messages("controllers are running").length > 0, {
        within: 5000,
      });

      expect(attempts).to.equal(2);
      expect(await readyz(started)).to.contain("readyz check passed");
    });

    it("is aborted by the stop, which takes no longer for it", async () => {
      const signals: AbortSignal[] = [];
      const started = new Started({
        prepare: async ({ signal }) => {
          signals.push(signal);
          await aborted(signal);
          throw signal.reason;
        },
      });
      await eventually(() => signals.length > 0);
      const begin = performance.now();

      started.stop.abort();

      expect(await started.ended).to.equal(0);
      expect(signals.map((signal) => signal.aborted)).to.deep.equal([true]);
      expect(performance.now() - begin).to.be.below(1000);
    });

    it("that ignores its signal is left behind", async () => {
      let began = false;
      const started = new Started({
        stopTimeout: 4000,
        prepare: () => {
          began = true;
          return new Promise(() => undefined);
        },
      });
      await eventually(() => began);
      const begin = performance.now();

      started.stop.abort();

      expect(await started.ended).to.equal(0);
      expect(performance.now() - begin).to.be.below(4000);
    });
  });
});
