// The control planes that all tests of one mocha process share.
import { type ControlPlane, expectStatus } from "./control-plane/control-plane.ts";
import type { ControlPlaneOptions } from "./control-plane/options.ts";
import { startControlPlane } from "./control-plane/start.ts";

// Module-level on purpose: a test run has one of each, whatever test file asks first.
const shared = new Map<string, Promise<ControlPlane>>();
const run = `${process.pid.toString(36)}${Date.now().toString(36).slice(-4)}`;
let names = 0;

/**
 * The control plane of this mocha process; the first call starts it, and it ends a moment after the process. Tests keep apart by namespaces
 * and unique names, and neither stop it nor restart its processes: for that they start one of their own.
 */
export async function testEnv(): Promise<ControlPlane> {
  return share("upstream", {});
}

/** A second control plane, just as shared, for tests that need a downstream cluster. */
export async function secondTestEnv(): Promise<ControlPlane> {
  return share("downstream", {});
}

/** A name nobody else uses on a shared control plane: `prefix`, a part per run and a number. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${run}-${++names}`;
}

/** Creates a namespace for one test and resolves with its name. */
export async function freshNamespace(controlPlane: ControlPlane, prefix = "test"): Promise<string> {
  const name = uniqueName(prefix);
  const reply = await controlPlane.request("POST", "/api/v1/namespaces", {
    body: { metadata: { name } },
  });
  expectStatus(reply, 201, `create namespace ${name}`);
  return name;
}

async function share(name: string, options: ControlPlaneOptions): Promise<ControlPlane> {
  const known = shared.get(name);
  if (known !== undefined) return known;
  const starting = startControlPlane({ name, ...options });
  shared.set(name, starting);
  return starting;
}
