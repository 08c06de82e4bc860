/** One ConfigMap for each item of a KopfExample: made, repaired, pruned, and collected with its owner. */

import {
  applySet,
  type Controller,
  connect,
  createLogger,
  defineKind,
  done,
  type KubeObject,
  loadConfig,
  Operator,
  owned,
  patchStatus,
  runOperator,
  setIndex,
} from "kopf-ts";

interface KopfExample extends KubeObject {
  readonly spec?: { readonly items?: readonly string[] };
  readonly status?: { readonly items?: number };
}

interface ConfigMap extends KubeObject {
  readonly data: Readonly<Record<string, string>>;
}

const KopfExample = defineKind<KopfExample>({
  group: "kopf-ts.dev",
  version: "v1",
  plural: "kopfexamples",
  kind: "KopfExample",
  scope: "Namespaced",
});

const ConfigMap = defineKind<ConfigMap>({
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  scope: "Namespaced",
});

/** What an example wants to exist. */
function configMaps(example: KopfExample): readonly ConfigMap[] {
  const { name, namespace = "default" } = example.metadata;
  return (example.spec?.items ?? []).map((item) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `${name}-${item}`, namespace },
    data: { item },
  }));
}

const itemizer: Controller<KopfExample> = {
  name: "itemizer",
  watches: KopfExample,
  owns: [owned(ConfigMap, { indexes: { [setIndex.name]: setIndex.of } })],
  reconcile: async (example, { client, cache }) => {
    const desired = configMaps(example);
    await applySet(client, desired, { owner: example, prune: [ConfigMap], caches: cache });
    await patchStatus(client, example, { items: desired.length });
    return done;
  },
};

const logger = createLogger({ format: "text" });
await using client = connect(await loadConfig(), { logger });
await runOperator(new Operator({ name: "itemizer", client, controllers: [itemizer], logger }), {
  logger,
});
