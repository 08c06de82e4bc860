/** Reservations of a room with ten seats: what asks for too many is refused before it is stored, and who says nothing gets one seat. */

import {
  allow,
  connect,
  createLogger,
  defineKind,
  deny,
  type KubeObject,
  loadConfig,
  type Mutator,
  Operator,
  runOperator,
  type Validator,
} from "kopf-ts";

interface Reservation extends KubeObject {
  readonly spec?: { readonly seats?: number };
}

const Reservation = defineKind<Reservation>({
  group: "kopf-ts.dev",
  version: "v1",
  plural: "reservations",
  kind: "Reservation",
  scope: "Namespaced",
});

const oneSeat: Mutator<Reservation> = {
  kind: Reservation,
  rules: [{ operations: ["CREATE"] }],
  mutate: ({ object }) => object && { ...object, spec: { seats: 1, ...object.spec } },
};

const tenAtMost: Validator<Reservation> = {
  kind: Reservation,
  rules: [{ operations: ["CREATE", "UPDATE"] }],
  validate: ({ object }) => {
    const seats = object?.spec?.seats ?? 0;
    if (seats > 10) return deny(422, `spec.seats is ${seats}, but the room has 10`);
    return seats > 8 ? allow("it will be crowded") : allow();
  },
};

const logger = createLogger({ format: "text" });
await using client = connect(await loadConfig(), { logger });
const operator = new Operator({
  name: "reservations",
  client,
  logger,
  admission: {
    name: "rooms.kopf-ts.dev",
    webhooks: [oneSeat, tenAtMost],
    host: "127.0.0.1",
    port: 0,
    // The API server runs on this machine. In a cluster: { service: { namespace: "rooms", name: "reservations" } }.
    clientConfig: (port) => ({ url: `https://127.0.0.1:${port}` }),
    secrets: { namespace: "default" },
    removeOnStop: true,
  },
});
await runOperator(operator, { logger });
