/** Milliseconds of the machine's monotonic clock: the same in all processes, and of no meaning of its own. */
export function monotonic(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Resolves at a moment of this clock, at once when it has passed: for what is done at a steady rate. */
export async function reached(moment: number): Promise<void> {
  const wait = moment - monotonic();
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
}
