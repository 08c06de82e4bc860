/** Types that change while they are asked for. */

import { Problem } from "./problem.ts";

/** As often as Steve, when its database was reset meanwhile (steve: PR 812). */
const attempts = 3;

/** A type may change between the moment when it was found and that when its cache was read: then what was asked is asked again, where that can be; three times in all. */
export async function untilStill<T>(
  ask: () => Promise<T>,
  canAskAgain: () => boolean = () => true,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (thrown) {
      if (attempt === attempts || !hasMoved(thrown) || !canAskAgain()) throw thrown;
    }
  }
}

function hasMoved(thrown: unknown): boolean {
  return thrown instanceof Problem && thrown.code === "SchemasNotRefreshed";
}
