/** Writes a greeting into the status of every KopfExample. */

import {
  type Controller,
  connect,
  createLogger,
  defineKind,
  done,
  type KubeObject,
  loadConfig,
  Operator,
  runOperator,
} from "kopf-ts";

interface KopfExample extends KubeObject {
  readonly spec?: { readonly greeting?: string };
  readonly status?: { readonly message?: string };
}

const KopfExample = defineKind<KopfExample>({
  group: "kopf-ts.dev",
  version: "v1",
  plural: "kopfexamples",
  kind: "KopfExample",
  scope: "Namespaced",
});

const greeter: Controller<KopfExample> = {
  name: "greeter",
  watches: KopfExample,
  reconcile: async (example, { client, log }) => {
    const message = example.spec?.greeting ?? "hello";
    if (example.status?.message === message) return done;

    await client.patch(example, { merge: { status: { message } } }, { subresource: "status" });
    log.info("greeted");
    return done;
  },
};

const logger = createLogger({ format: "text" });
await using client = connect(await loadConfig(), { logger });
await runOperator(new Operator({ name: "greeter", client, controllers: [greeter], logger }), {
  logger,
});
