/** The hooks of mocha that tests of concerns between a hub and a cluster have in common. */

import { secondTestEnv } from "@drover/env";
import { cluster } from "./concern.ts";
import { RunningDownstream } from "./downstream.ts";

/** In a `describe`: the first test finds both shared API servers ready, however long their start takes. */
export function beforeAllServers(): void {
  before(async function () {
    this.timeout(180_000);
    await Promise.all([cluster(), secondTestEnv()]);
  });
}

/**
 * In a `describe`: each test has a RunningDownstream of its own, which ends with the test. `opened` gets it before each test, and may create what all tests need and
 * start the concern; `ending` takes away what would outlive a test on the shared servers, while concern and clients still run.
 */
export function eachDownstream(
  opened: (running: RunningDownstream) => unknown,
  ending: () => unknown = () => undefined,
): void {
  let running: RunningDownstream | undefined;
  beforeAllServers();
  beforeEach(async () => {
    running = await RunningDownstream.open();
    await opened(running);
  });
  afterEach(async () => {
    if (running === undefined) return; // it did not open
    await using _ended = running;
    await ending();
  });
}
