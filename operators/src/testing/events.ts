import { type Client, defineKind, type Kind, type KubeObject } from "kopf-ts";

/** As far as tests look at it. */
export interface EventObject extends KubeObject {
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  readonly action: string;
  readonly regarding: { readonly uid?: string };
}

const Event: Kind<EventObject> = defineKind<EventObject>({
  group: "events.k8s.io",
  version: "v1",
  plural: "events",
  kind: "Event",
  scope: "Namespaced",
});

/** Events about an object outside of namespaces. */
export async function eventsOf(client: Client, name: string): Promise<readonly EventObject[]> {
  const fieldSelector = `regarding.name=${name}`;
  return (await client.list(Event, { namespace: "default", fieldSelector })).items;
}

/** The same, as `<reason>: <note>`. */
export async function eventsAbout(client: Client, name: string): Promise<readonly string[]> {
  return (await eventsOf(client, name)).map(({ reason, note }) => `${reason}: ${note}`);
}

/** Events about an object in a namespace, as `<reason>: <note>`. */
export async function eventsIn(
  client: Client,
  namespace: string,
  name: string,
): Promise<readonly string[]> {
  const { items } = await client.list(Event, {
    namespace,
    fieldSelector: `regarding.name=${name}`,
  });
  return items.map(({ reason, note }) => `${reason}: ${note}`);
}
