/** What an object has to do with others, as far as it says so itself (wrangler: pkg/summary/coretypes.go, summarizers.go, cattletypes.go). */

import { at, listAt, mapAt, textAt } from "../tree.ts";
import { identityOf } from "./draft.ts";

/** A selector as Kubernetes writes it. */
export interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly unknown[];
}

/** One relationship: the other end by name, or all that a selector finds. */
export interface Relationship {
  /** `owner`, `applies`, `selects`, `creates`, `uses` or `helmresource`. */
  readonly type: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty where a selector finds. */
  readonly name: string;
  /** Empty: that of the object, or none. */
  readonly namespace: string;
  /** The other one is the origin. */
  readonly inbound: boolean;
  /** The other one is the controller of this. */
  readonly controlled: boolean;
  readonly selector?: Selector;
}

/** The relationships of an object of any kind and shape; never throws. */
export function relationshipsOf(object: unknown): readonly Relationship[] {
  const isPod = textAt(object, "apiVersion") === "v1" && textAt(object, "kind") === "Pod";
  const template = hasPods(object) ? mapAt(object, "spec", "template") : undefined;
  return [
    ...(isPod ? usedBy(object) : []),
    ...selected(object),
    ...(template === undefined ? [] : usedBy(template)),
    ...owners(object),
    ...applied(object),
    ...released(object),
  ];
}

function relationship(
  type: string,
  { apiVersion = "v1", kind = "", name = "", namespace = "" },
  more: Partial<Relationship> = {},
): Relationship {
  const ends = { type, apiVersion, kind, name, namespace };
  return { ...ends, inbound: false, controlled: false, ...more };
}

const groupsWithPods: Readonly<Record<string, readonly string[]>> = {
  ReplicaSet: ["apps", "extension"],
  DaemonSet: ["apps", "extension"],
  StatefulSet: ["apps", "extension"],
  Deployment: ["apps", "extension"],
  Job: ["batch"],
  Service: [""],
};

function hasPods(object: unknown): boolean {
  const { group, kind } = identityOf(object);
  return Object.hasOwn(groupsWithPods, kind) && groupsWithPods[kind]?.includes(group) === true;
}

/** What the Pod, or Pods of the template, need. */
function usedBy(pod: unknown): readonly Relationship[] {
  const uses = (kind: string) => (name: string) => relationship("uses", { kind, name });
  const projected = listAt(pod, "spec", "volumes").flatMap((volume) =>
    listAt(volume, "projected", "sources").flatMap((source) => [
      ...texts([textAt(source, "secret", "name")]).map(uses("Secret")),
      ...texts([textAt(source, "configMap", "name")]).map(uses("ConfigMap")),
    ]),
  );
  const pullSecrets = listAt(pod, "spec", "imagePullSecrets").map((each) => textAt(each, "name"));
  return [
    ...mentioned(pod, "configMap", "name").map(uses("ConfigMap")),
    ...mentioned(pod, "secret", "secretName").map(uses("Secret")),
    uses("ServiceAccount")(textAt(pod, "spec", "serviceAccountName")),
    ...projected,
    ...texts(pullSecrets).map(uses("Secret")),
  ];
}

/** The names in volumes, then those in the environments of containers: each once. */
function mentioned(pod: unknown, source: string, key: string): readonly string[] {
  const volumes = listAt(pod, "spec", "volumes").map((volume) => textAt(volume, source, key));
  const environments = listAt(pod, "spec", "containers").flatMap((container) => [
    ...listAt(container, "envFrom").map((each) => textAt(each, `${source}Ref`, "name")),
    ...listAt(container, "env").map((each) => textAt(each, "valueFrom", `${source}KeyRef`, "name")),
  ]);
  return [...new Set(texts([...volumes, ...environments]))];
}

function texts(found: readonly string[]): readonly string[] {
  return found.filter((text) => text !== "");
}

function selected(object: unknown): readonly Relationship[] {
  const map = hasPods(object) ? mapAt(object, "spec", "selector") : undefined;
  if (map === undefined) return [];
  const type = textAt(object, "kind") === "Service" ? "selects" : "creates";
  const isWhole = "matchLabels" in map || "matchExpressions" in map;
  const labels = (isWhole ? mapAt(map, "matchLabels") : map) ?? {};
  const expressions = isWhole ? listAt(map, "matchExpressions") : [];
  const selector: Selector = {
    ...(Object.keys(labels).length === 0 ? {} : { matchLabels: textMap(labels) }),
    ...(expressions.length === 0 ? {} : { matchExpressions: expressions }),
  };
  return [relationship(type, { kind: "Pod" }, { selector })];
}

function textMap(map: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(map).map((key) => [key, textAt(map, key)]));
}

function owners(object: unknown): readonly Relationship[] {
  return listAt(object, "metadata", "ownerReferences").map((owner) => {
    const [apiVersion, kind] = [textAt(owner, "apiVersion"), textAt(owner, "kind")];
    const controlled = at(owner, "controller") === true;
    const name = textAt(owner, "name");
    return relationship("owner", { apiVersion, kind, name }, { inbound: true, controlled });
  });
}

/** Whom wrangler applied it for; an owner that Kubernetes knows comes first. */
function applied(object: unknown): readonly Relationship[] {
  if (listAt(object, "metadata", "ownerReferences").length > 0) return [];
  const annotation = (name: string): string =>
    textAt(object, "metadata", "annotations", `objectset.rio.cattle.io/${name}`);
  const [, apiVersion, kind] = /^(.+?), Kind=(.*)$/s.exec(annotation("owner-gvk")) ?? [];
  if (apiVersion === undefined || kind === undefined) return [];
  const [name, namespace] = [annotation("owner-name"), annotation("owner-namespace")];
  return [relationship("applies", { apiVersion, kind, name, namespace }, { inbound: true })];
}

/** What a chart that is deployed brought along. */
function released(object: unknown): readonly Relationship[] {
  const { group, kind } = identityOf(object);
  const isDeployed = textAt(object, "status", "summary", "state") === "deployed";
  if (group !== "catalog.cattle.io" || kind !== "App" || !isDeployed) return [];
  return listAt(object, "spec", "resources").map((resource) =>
    relationship("helmresource", {
      apiVersion: textAt(resource, "apiVersion"),
      kind: textAt(resource, "kind"),
      name: textAt(resource, "name"),
      namespace: textAt(resource, "namespace"),
    }),
  );
}
