/** Serves webhooks to a real API server, and offers clients whose requests they judge. */

import { kinds } from "@drover/crds";
import { type ControlPlane, uniqueName } from "@drover/env";
import {
  type Client,
  connect,
  defineKind,
  Informers,
  isForbidden,
  type KubeObject,
  loadConfig,
  Metrics,
  Operator,
  systemClock,
} from "kopf-ts";
import { type AnyWebhook, allow, deny, type Mutator, type Validator } from "kopf-ts/admission";
import { cluster, collect } from "./concern.ts";

/** How webhooks are served in a test. */
export interface AdmissionTestOptions {
  readonly webhooks: readonly AnyWebhook[];
  /** One that serves the kinds already; that of the whole test run, with all of ours, unless told. */
  readonly controlPlane?: ControlPlane;
}

/** A kind that nobody judges: its requests show whether the API server asks yet. */
const Probe = defineKind<KubeObject>({
  group: "coordination.k8s.io",
  version: "v1",
  plural: "leases",
  kind: "Lease",
  scope: "Namespaced",
});

const label = "drover.test/asked";
const validator: Validator = {
  kind: Probe,
  rules: [{ operations: ["CREATE"] }],
  validate: ({ object }) =>
    object?.metadata.labels?.[label] === undefined ? allow() : deny(403, "both are asked"),
};
const mutator: Mutator = {
  kind: Probe,
  rules: [{ operations: ["CREATE"] }],
  mutate: ({ object }) =>
    object && { ...object, metadata: { ...object.metadata, labels: { [label]: "true" } } },
};

/** Who the operator itself is; webhooks never see what it does. */
const ours = { user: "system:serviceaccount:cattle-system:rancher-webhook-sudo" };
/** Impersonation says with this which test a request belongs to. */
const extra = "drover-test";

/**
 * Webhooks that are served by an operator in this process, under a name of their own. They only see requests of this object's clients, so
 * tests share an API server. Everything ends with `await using`, the webhook configurations included.
 */
export class RunningAdmission implements AsyncDisposable {
  /** May do everything, and is judged like anybody. */
  readonly client: Client;
  /** What the webhooks themselves act under: never judged. For what a test finds in place. */
  readonly own: Client;
  readonly metrics: Metrics = new Metrics({ process: false });
  /** Every log line as JSON. */
  readonly lines: string[] = [];
  readonly name: string = `${uniqueName("test")}.drover.test`;
  readonly #root: Client;
  readonly #stop = new AbortController();
  readonly #informers: Informers;
  readonly #running: Promise<unknown>;

  private constructor(root: Client, webhooks: readonly AnyWebhook[]) {
    this.#root = root;
    this.client = this.as("test-admin", ["system:masters"]);
    this.own = root.as({ ...ours, groups: ["system:masters"] });
    const logger = collect(this.lines);
    this.#informers = new Informers(this.own, { logger, freeze: true });
    const operator = new Operator({
      name: "drover",
      client: this.own,
      informers: this.#informers,
      metrics: this.metrics,
      logger,
      admission: {
        name: this.name,
        pathPrefix: "/v1/webhook",
        webhooks: [...webhooks, validator, mutator],
        host: "127.0.0.1",
        port: 0,
        clientConfig: (port) => ({ url: `https://127.0.0.1:${port}` }),
        secrets: { namespace: this.#namespace },
        matchConditions: [{ name: "of-this-test", expression: this.#condition }],
        removeOnStop: true,
      },
    });
    this.#running = operator.start(this.#stop.signal);
  }

  /** Resolves when the API server asks the webhooks. */
  static async open({ webhooks, controlPlane }: AdmissionTestOptions): Promise<RunningAdmission> {
    const { kubeconfigPath } = controlPlane ?? (await cluster());
    const root = connect(await loadConfig({ kubeconfig: kubeconfigPath }), { kinds });
    const running = new RunningAdmission(root, webhooks);
    try {
      await running.#untilAsked();
    } catch (cause) {
      await running[Symbol.asyncDispose]();
      throw new Error(`the API server does not ask: ${running.lines.join("\n")}`, { cause });
    }
    return running;
  }

  /** A client that acts as somebody, judged by the webhooks; the groups that everybody has come by themselves. */
  as(user: string, groups: readonly string[] = []): Client {
    return this.#root.as({ user, groups, extra: { [extra]: [this.name] } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#informers.dispose();
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: this.#namespace } };
    await this.#root.delete(namespace);
    await this.#root[Symbol.asyncDispose]();
  }

  /** For the certificates. */
  get #namespace(): string {
    return this.name.replaceAll(".", "-");
  }

  get #condition(): string {
    const values = `request.userInfo.extra['${extra}']`;
    return `has(request.userInfo.extra) && '${extra}' in request.userInfo.extra && '${this.name}' in ${values}`;
  }

  /** The validator refuses what the mutator has touched, so a refusal shows that both are asked. */
  async #untilAsked(): Promise<void> {
    const end = systemClock.monotonic() + 15_000;
    for (;;) {
      const refused = await this.client.create(this.#probe(), { dryRun: true }).then(
        () => false,
        (error: unknown) => isForbidden(error),
      );
      if (refused) return;
      if (systemClock.monotonic() > end) throw new Error("not within 15 s");
      await systemClock.sleep(20);
    }
  }

  #probe(): KubeObject {
    const metadata = { name: uniqueName("probe"), namespace: "default" };
    return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata };
  }
}
