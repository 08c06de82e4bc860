import {
  Cluster,
  ClusterRegistrationToken,
  Feature,
  registrationTokenNames,
  Setting,
} from "@drover/crds";
import { ownedForm, type SettingName } from "@drover/platform";
import {
  type CacheAccess,
  type Controller,
  changed,
  type KubeObject,
  owned,
  related,
  where,
} from "kopf-ts";
import { Namespace, Role, Secret } from "kopf-ts/kinds";
import { byNamespace, controllerNames, readerLabel } from "./names.ts";
import { ensureDefault, reconcile, reconcileReaders, type Shared } from "./reconcile.ts";

const settings: ReadonlySet<string> = new Set<SettingName>([
  "server-url",
  "cacerts",
  "crt-default-ttl-minutes",
  "crt-default-grace-period-minutes",
]);

const tokenIndexes = {
  [byNamespace]: ({ metadata }: KubeObject) => [metadata.namespace ?? ""],
};

/** Keeps the value of each registration token in a Secret, replaces it in time, and tells the commands that use it. */
export function clusterRegistrationTokens(shared: Shared): Controller<ClusterRegistrationToken> {
  return {
    name: controllerNames.tokens,
    watches: ClusterRegistrationToken,
    indexes: tokenIndexes,
    related: [
      related(Secret, {
        select: { labelSelector: `${registrationTokenNames.secretLabel}=true` },
        map: tokenOf,
      }),
      related(Cluster, {
        when: changed(({ spec }) => spec?.agentEnvVars),
        map: ({ metadata }, cache) =>
          cache(ClusterRegistrationToken).keysByIndex(byNamespace, metadata.name),
      }),
      related(Setting, {
        when: where(({ metadata }) => settings.has(metadata.name)),
        map: all,
      }),
      related(Feature, {
        when: where(({ metadata }) => metadata.name === "crt-token-ttl-rotation"),
        map: all,
      }),
    ],
    reconcile: (token, context) => reconcile(token, context, shared),
  };
}

/** Lets those who are bound to it read the Secrets of a cluster's registration tokens. */
export const registrationTokenReaders: Controller<Namespace> = {
  name: controllerNames.readers,
  watches: Namespace,
  when: changed(({ metadata }) => metadata.deletionTimestamp),
  owns: [owned(Role, ownedForm(readerLabel))],
  related: [
    related(ClusterRegistrationToken, {
      indexes: tokenIndexes,
      when: changed(({ metadata, status }) => [
        metadata.deletionTimestamp,
        status?.tokenSecretName,
      ]),
      map: ({ metadata }) => [metadata.namespace ?? ""],
    }),
    related(Role, {
      map: ({ metadata: { namespace, labels } }) =>
        namespace !== undefined && labels?.[readerLabel] !== undefined ? [namespace] : [],
    }),
  ],
  reconcile: reconcileReaders,
};

/** Gives every cluster a registration token. */
export const defaultRegistrationTokens: Controller<Cluster> = {
  name: controllerNames.defaults,
  watches: Cluster,
  when: changed(({ metadata }) => metadata.deletionTimestamp),
  related: [
    related(Namespace, {
      when: changed(({ metadata }) => metadata.deletionTimestamp),
      map: ({ metadata }) => [metadata.name],
    }),
    related(ClusterRegistrationToken, {
      when: where(({ metadata }) => metadata.name === registrationTokenNames.defaultToken),
      map: ({ metadata }) => [metadata.namespace ?? ""],
    }),
  ],
  reconcile: ensureDefault,
};

/** The token that a Secret is named after. */
function tokenOf({ metadata: { name, namespace } }: Secret): readonly string[] {
  const prefix = registrationTokenNames.secret("");
  return name.startsWith(prefix) ? [`${namespace}/${name.slice(prefix.length)}`] : [];
}

function all(_: KubeObject, cache: CacheAccess): Iterable<string> {
  return cache(ClusterRegistrationToken).keys();
}
