// @drover/env: real control planes for tests and for `drover dev`.
export { type Binaries, type FindOptions, findBinaries } from "./binaries/find.ts";
export type { Output } from "./binaries/progress.ts";
export type { Call, Reply } from "./control-plane/api.ts";
export type { ControlPlane } from "./control-plane/control-plane.ts";
export type { KubectlCall, Outcome } from "./control-plane/kubectl.ts";
export type {
  ControlPlaneOptions,
  ProcessName,
  TokenUser,
  UserKubeconfig,
} from "./control-plane/options.ts";
export type { ClientIdentity, KeyPair } from "./control-plane/pki.ts";
export { freePort } from "./control-plane/port.ts";
export { startControlPlane } from "./control-plane/start.ts";
export { freshNamespace, secondTestEnv, testEnv, uniqueName } from "./test-env.ts";
