/** One ConfigMap for each item of an ItemSet: made, repaired, pruned, and collected with its owner. */

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

interface ItemSet extends KubeObject {
  readonly spec?: { readonly items?: readonly string[] };
  readonly status?: { readonly items?: number };
}

interface ConfigMap extends KubeObject {
  readonly data: Readonly<Record<string, string>>;
}

const ItemSet = defineKind<ItemSet>({
  group: "kopf-ts.dev",
  version: "v1",
  plural: "itemsets",
  kind: "ItemSet",
  scope: "Namespaced",
});

const ConfigMap = defineKind<ConfigMap>({
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  scope: "Namespaced",
});

/** What a set wants to exist. */
function configMaps(set: ItemSet): readonly ConfigMap[] {
  const { name, namespace = "default" } = set.metadata;
  return (set.spec?.items ?? []).map((item) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `${name}-${item}`, namespace },
    data: { item },
  }));
}

const itemizer: Controller<ItemSet> = {
  name: "itemizer",
  watches: ItemSet,
  owns: [owned(ConfigMap, { indexes: { [setIndex.name]: setIndex.of } })],
  reconcile: async (set, { client, cache }) => {
    const desired = configMaps(set);
    await applySet(client, desired, { owner: set, prune: [ConfigMap], caches: cache });
    await patchStatus(client, set, { items: desired.length });
    return done;
  },
};

const logger = createLogger({ format: "text" });
await using client = connect(await loadConfig(), { logger });
await runOperator(new Operator({ name: "itemizer", client, controllers: [itemizer], logger }), {
  logger,
});
