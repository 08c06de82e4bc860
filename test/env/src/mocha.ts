// Mocha root hook: `require` this file and the shared control planes end with the run. Without it they end
// just as surely, a moment after the process.
import { stopTestEnv } from "./test-env.ts";

export const mochaHooks: { afterAll(this: Mocha.Context): Promise<void> } = {
  async afterAll(): Promise<void> {
    this.timeout(30_000);
    await stopTestEnv();
  },
};
