/** What goes over the websocket of /v1/subscribe. */

/** One field of what subscribers send. */
export interface Sent {
  readonly name: string;
  readonly type: string;
  readonly about: string;
}

/** Fields of a subscriber's message, a JSON object. All but `resourceVersion` and `stop` are the watch's key: the same message with `stop` ends it. */
export const sent: readonly Sent[] = [
  { name: "resourceType", type: "type", about: "id or plural name; `count` and `schema` too" },
  {
    name: "resourceVersion",
    type: "`revision` of a list",
    about: "goes on from there; without, only what is new is told",
  },
  { name: "namespace, id", type: "text", about: "only these; `id` is a name or `namespace/name`" },
  { name: "selector", type: "label selector", about: "only these; up to 64 requirements" },
  {
    name: "clusters",
    type: "names, with commas, or `all`",
    about: "of these clusters together, as in lists; without, of the server's own",
  },
  { name: "mode", type: "`resource.changes`", about: "notifications in place of objects" },
  {
    name: "debounceMs",
    type: "milliseconds",
    about: "between two notifications at least; 5,000 unless told",
  },
  { name: "stop", type: "boolean", about: "ends the watch that has the same other fields" },
];

/** A message of the server. */
export interface Told {
  readonly name: string;
  readonly data: string;
  readonly when: string;
}

/** What subscribers are told: `{"name", "data", "revision"?}` and the fields of the subscription. */
export const told: readonly Told[] = [
  { name: "resource.start", data: "stub", when: "the watch has begun" },
  {
    name: "resource.create, resource.change, resource.remove",
    data: "item",
    when: "an object was made, changed or removed, or began or ceased to match the selector; `revision` is the object's. What may no longer be seen is removed without one, by id and type alone",
  },
  {
    name: "resource.changes",
    data: "stub",
    when: "there is something new up to `revision`; at once, then once in `debounceMs`",
  },
  {
    name: "resource.error",
    data: '`{"error"}`',
    when: "something failed, behind it comes `resource.stop` where a watch was meant; with `too old` in it: list anew",
  },
  { name: "resource.stop", data: "stub", when: "the watch has ended: list and watch anew" },
  { name: "ping", data: "stub with `version`", when: "every 30 s" },
];

/** The same of a subscription with `clusters`. */
export const toldOfSeveral: readonly Told[] = [
  { name: "resource.start", data: "stub", when: "once; waits for slow clusters up to 1 s" },
  {
    name: "resource.create, resource.change, resource.remove",
    data: 'item that begins with `{"cluster": "c-abcde"`',
    when: "as above; `revision` is `c-abcde:34`",
  },
  {
    name: "resource.changes",
    data: "stub",
    when: "with `mode`, how far each cluster has come that changed: `local:12,c-abcde:34`. Without it, of one cluster that begins later than `resource.start`, because it came, came back or had to begin anew: up to this revision there is something to list",
  },
  {
    name: "resource.error",
    data: '`{"cluster"?, "error"}`',
    when: "nothing is told of this cluster, and why; others go on. It joins when it can be watched",
  },
  {
    name: "resource.stop",
    data: "stub",
    when: "once, at the end of all; behind an error without `cluster` where the watch is none",
  },
];
