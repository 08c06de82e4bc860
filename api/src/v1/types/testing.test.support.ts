/** CustomResourceDefinitions on a real API server, for tests. */

import { uniqueName } from "@drover/env";
import type { Client } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { listAt, textAt } from "../tree.ts";

/** A version of a kind, as far as tests vary it. */
export interface TestVersion {
  readonly name?: string;
  readonly served?: boolean;
  readonly columns?: readonly object[];
  readonly properties?: object;
}

/** A kind of a test's own. */
export interface TestKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly crd: string;
}

/** Names that nobody else has. */
export function aKind(word = "gadget"): TestKind {
  const group = `${uniqueName(word)}.example.com`;
  const kind = `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
  return { group, kind, plural: `${word}s`, crd: `${word}s.${group}` };
}

/** A CustomResourceDefinition. */
export interface TestCrd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly object[];
  };
}

/** The CustomResourceDefinition of a kind; the first version is stored. */
export function crdOf(kind: TestKind, ...versions: readonly TestVersion[]): TestCrd {
  const { group, plural, crd } = kind;
  const names = { plural, singular: kind.kind.toLowerCase(), kind: kind.kind };
  const spec = { group, scope: "Namespaced", names, versions: versions.map(versionOf) };
  const apiVersion = "apiextensions.k8s.io/v1";
  const made = { apiVersion, kind: "CustomResourceDefinition", metadata: { name: crd }, spec };
  return made;
}

function versionOf(
  { name = "v1", served = true, columns = [], properties }: TestVersion,
  index: number,
): object {
  const described = { type: "object", description: "Made for tests." };
  const openAPIV3Schema = {
    ...described,
    properties: properties ?? { spec: anything, status: anything },
  };
  return {
    ...{ name, served, storage: index === 0, schema: { openAPIV3Schema } },
    additionalPrinterColumns: columns,
  };
}

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Creates a kind and resolves once its objects can be written. */
export async function install(client: Client, crd: TestCrd): Promise<void> {
  const { name } = crd.metadata;
  await send(client, "POST", definitions, crd);
  const isEstablished = async (): Promise<boolean> => {
    const found = await send(client, "GET", `${definitions}/${name}`);
    return listAt(found, "status", "conditions").some(
      (each) => textAt(each, "type") === "Established" && textAt(each, "status") === "True",
    );
  };
  await eventually(isEstablished, { within: 20_000 });
  await eventually(() => isServed(client, crd), { within: 20_000 });
}

/** Whether the API server answers for objects of a kind: it serves them a moment after it has told that the kind is established. */
async function isServed(client: Client, { spec }: TestCrd): Promise<boolean> {
  const version = textAt(spec.versions[0], "name");
  await send(client, "GET", `/apis/${spec.group}/${version}/${spec.names.plural}?limit=1`);
  return true;
}

/** Replaces the versions of a kind. */
export async function change(client: Client, crd: TestCrd): Promise<void> {
  const { versions } = crd.spec;
  await send(client, "PATCH", `${definitions}/${crd.metadata.name}`, { spec: { versions } });
}

/** Removes a kind and its objects. */
export async function uninstall(client: Client, { crd }: TestKind): Promise<void> {
  await send(client, "DELETE", `${definitions}/${crd}`);
}

/** A request with JSON, answered with JSON. */
export async function send(
  client: Client,
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  sent?: unknown,
): Promise<unknown> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const body = sent === undefined ? {} : { body: JSON.stringify(sent) };
  const headers = { "Content-Type": type };
  const answer = await client.request({ method, path, headers, ...body });
  return JSON.parse(answer.body.toString("utf8"));
}
