/** The house as data: who may import whom, and which third-party packages live where. docs/guide/architecture.md explains it. */

/** Floors of the workspaces; imports only go down, siblings never import each other. */
export const floors: Readonly<Record<string, number>> = {
  "test/env": 0,
  "kopf-ts": 1,
  tunnel: 1,
  crds: 2,
  examples: 2,
  platform: 3,
  operators: 4,
  api: 4,
  server: 5,
  agent: 5,
  test: 6,
};

/** Layers inside kopf-ts, bottom to top; a layer imports lower ones only, through their index.ts. */
export const layers: readonly string[] = [
  "base",
  "observe",
  "kube",
  "kinds",
  "watch",
  "queue",
  "cache",
  "apply",
  "control",
  "election",
  "certificates",
  "admission",
  "operator",
  "testing",
];

/** The only folders that may import a package (tests and benches may import what they measure or drive). */
export const homes: Readonly<Record<string, readonly string[]>> = {
  "@kubernetes/client-node": ["kopf-ts/src/kube"],
  undici: ["kopf-ts/src/kube"],
  pino: ["kopf-ts/src/observe"],
  "prom-client": ["kopf-ts/src/observe"],
  yaml: ["kopf-ts/src/kube", "crds/src", "api/src"],
  "lru-cache": ["kopf-ts/src/cache", "kopf-ts/src/apply", "api/src"],
  ws: ["api/src"],
  bcryptjs: ["platform/src/passwords"],
  croner: ["platform/src/settings"],
  commander: ["server/src"],
  "@peculiar/x509": ["test/env/src", "kopf-ts/src/certificates", "api/src/listener"],
  "reflect-metadata": ["test/env/src", "kopf-ts/src/certificates", "api/src/listener"],
};
