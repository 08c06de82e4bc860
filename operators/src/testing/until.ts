import { eventually } from "kopf-ts/testing";

/** `eventually`, as long as a slow machine with two test files at once may need between two API servers: 20 s. */
export function until<T>(check: () => T | Promise<T>): ReturnType<typeof eventually<T>> {
  return eventually(check, { within: 20_000 });
}

/** Resolves when nothing is found any more, as patient as `until`. */
export async function untilGone(find: () => Promise<unknown>): Promise<void> {
  await until(async () => (await find()) === undefined);
}
