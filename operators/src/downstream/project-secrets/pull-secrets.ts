/** Copies the secrets by which images are pulled from the default registry into the namespaces of a System project that is labelled for it. */

import {
  labels,
  Project,
  projectSecretLabels,
  Setting,
  safeConcatName,
  systemNamespace,
} from "@drover/crds";
import { type Environment, type LiveSettings, liveSettings } from "@drover/platform";
import {
  type CacheAccess,
  type Context,
  type Controller,
  changed,
  type FromHub,
  keyOf,
  type Place,
  type Result,
  related,
} from "kopf-ts";
import { Namespace, Secret } from "kopf-ts/kinds";
import { settleCopies } from "./copies.ts";
import { copyOf, isCopy, memberOf } from "./desired.ts";
import { indexes, pullControllerName, pullLabel, pullSecretLabels } from "./names.ts";

/** The only type that images can be pulled with. */
const type = "kubernetes.io/dockerconfigjson";
const registry = "system-default-registry";
const pullSecretNames = "system-default-registry-pull-secrets";
const ofNamespace: FromHub<Project> = { clusters: ({ metadata }) => [metadata.namespace ?? ""] };

/** Keeps the copies of all pull secrets that the settings name, in every namespace of the System project. */
export function pullSecrets({ env }: { readonly env: Environment }): Controller<Project> {
  const systemProjects = (_object: unknown, _cache: CacheAccess, { hub, cluster }: Place) =>
    hub(Project).keysByIndex(indexes.system, cluster);
  return {
    name: pullControllerName,
    watches: Project,
    hub: ofNamespace,
    when: changed(({ metadata }) => [isSystem(metadata), metadata.labels?.[pullLabel]]),
    indexes: {
      [indexes.system]: ({ metadata }) => (isSystem(metadata) ? [metadata.namespace ?? ""] : []),
    },
    related: [
      related(Setting, {
        hub: true,
        when: changed(({ value, default: fallback }) => [value, fallback]),
        map: (setting, cache, place) =>
          [registry, pullSecretNames].includes(setting.metadata.name)
            ? systemProjects(setting, cache, place)
            : [],
      }),
      related(Secret, {
        hub: true,
        select: { namespace: systemNamespace, fieldSelector: `type=${type}` },
        map: systemProjects,
      }),
      related(Namespace, {
        indexes: { [indexes.member]: memberOf },
        when: changed((namespace) => [memberOf(namespace), namespace.metadata.deletionTimestamp]),
        map: memberOf,
      }),
      related(Secret, {
        select: { labelSelector: pullSecretLabels.copy },
        indexes: { [indexes.pull]: (secret) => (isCopy(secret) ? ["all"] : []) },
        map: systemProjects,
      }),
    ],
    reconcile: (project, context) => reconcile(project, context, env),
  };
}

async function reconcile(project: Project, context: Context, env: Environment): Promise<Result> {
  const { cache, hub } = context;
  const { metadata } = project;
  const isWanted = isSystem(metadata) && metadata.labels?.[pullLabel] === "true";
  const settings = liveSettings(hub.cache(Setting), env);
  const sources = isWanted ? sourcesOf(settings).flatMap((name) => found(name, context)) : [];
  const namespaces = cache(Namespace)
    .byIndex(indexes.member, keyOf(project))
    .filter((namespace) => namespace.metadata.deletionTimestamp === undefined);
  const wanted = namespaces.flatMap((namespace) =>
    sources.map((source) => pullCopyOf(source, namespace.metadata.name)),
  );
  return settleCopies(wanted, copiesBesides(project, context), context);
}

/** All copies but those in namespaces of other System projects, where somebody labelled several: their own runs look after these. */
function copiesBesides(project: Project, { cache, hub, cluster }: Context): readonly Secret[] {
  const systems = hub.cache(Project).keysByIndex(indexes.system, cluster);
  const others = new Set(systems.filter((key) => key !== keyOf(project)));
  return cache(Secret)
    .byIndex(indexes.pull, "all")
    .filter(({ metadata }) => {
      const home = cache(Namespace).get(metadata.namespace ?? "");
      return home === undefined || !memberOf(home).some((key) => others.has(key));
    });
}

/** Names of the pull secrets; none where there is no default registry to pull from. */
export function sourcesOf(settings: Pick<LiveSettings, "text">): readonly string[] {
  if (settings.text(registry) === "") return [];
  const names = settings.text(pullSecretNames).split(",");
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ""))];
}

function found(name: string, { hub, log }: Context): readonly Secret[] {
  const source = hub.cache(Secret).get(`${systemNamespace}/${name}`);
  if (source === undefined)
    log.warn("a pull secret is missing, or of another type", { secret: name });
  return source === undefined ? [] : [source];
}

/** Under a name of its own, for where the hub is the cluster the source may be in the same namespace. */
export function pullCopyOf(source: Secret, namespace: string): Secret {
  const { metadata, ...copy } = copyOf(source, namespace);
  const {
    [pullSecretLabels.source]: _source,
    [projectSecretLabels.project]: _project,
    [projectSecretLabels.cluster]: _cluster,
    ...carried
  } = metadata.labels ?? {};
  const name = safeConcatName("registry-pull-secret", metadata.name);
  const own = { ...carried, [pullSecretLabels.copy]: "true" };
  return { ...copy, metadata: { ...metadata, name, labels: own } };
}

function isSystem({ labels: own }: Project["metadata"]): boolean {
  return own?.[labels.systemProject] === "true";
}
