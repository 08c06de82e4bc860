import { type Client, defineKind, type Kind, type KubeObject } from "kopf-ts";

/** As far as tests look at it. */
interface EventObject extends KubeObject {
  readonly type: string;
  readonly reason: string;
  readonly note: string;
}

const Event: Kind<EventObject> = defineKind<EventObject>({
  group: "events.k8s.io",
  version: "v1",
  plural: "events",
  kind: "Event",
  scope: "Namespaced",
});

/** Events about an object outside of namespaces, as `<reason>: <note>`. */
export async function eventsAbout(client: Client, name: string): Promise<readonly string[]> {
  const fieldSelector = `regarding.name=${name}`;
  const { items } = await client.list(Event, { namespace: "default", fieldSelector });
  return items.map(({ reason, note }) => `${reason}: ${note}`);
}
