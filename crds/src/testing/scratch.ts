/** A corner of a real API server for one test file: the CRDs, a namespace, and objects that go when they were looked at. */

import { randomBytes } from "node:crypto";
import { apiVersionOf, type Client, type Kind, type KubeObject, silentLogger } from "kopf-ts";
import { installCrds } from "../install/install.ts";

/** An object's fields beside apiVersion, kind and metadata. */
export type Fields = Readonly<Record<string, unknown>>;

/** Any object, with access to its fields. */
export type AnyObject = KubeObject & Fields;

/** Where a test file makes its objects. */
export interface Scratch {
  readonly client: Client;
  readonly namespace: string;
  /** Creates an object with these fields, hands over what the server then has, and deletes it. */
  stored<R>(kind: Kind, fields: Fields, look: (object: AnyObject) => R | Promise<R>): Promise<R>;
  /** Deletes the namespace; the client is the caller's. */
  dispose(): Promise<void>;
}

/** Installs the CRDs and makes a namespace. */
export async function scratch(client: Client): Promise<Scratch> {
  await installCrds(client, { log: silentLogger, signal: AbortSignal.timeout(60_000) });
  const home = {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: `crds-${randomBytes(4).toString("hex")}` },
  };
  await client.create(home);
  const namespace = home.metadata.name;

  return {
    client,
    namespace,
    stored: async (kind, fields, look) => {
      const object = anObject(kind, namespace, fields);
      await client.create(object);
      try {
        return await look(
          (await client.get(kind, object.metadata.name, { namespace })) as AnyObject,
        );
      } finally {
        await client.delete(object);
      }
    },
    dispose: async () => {
      await client.delete(home);
    },
  };
}

function anObject(kind: Kind, namespace: string, fields: Fields): AnyObject {
  const name = `crds-${randomBytes(4).toString("hex")}`;
  return {
    ...fields,
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: kind.scope === "Namespaced" ? { name, namespace } : { name },
  };
}

/** An object's fields beside apiVersion, kind and metadata. */
export function fieldsOf(object: KubeObject): Fields {
  const { apiVersion, kind, metadata, ...fields } = object as AnyObject;
  return fields;
}

/** What a promise was rejected with; undefined when it was not. */
export function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}
