/** Milliseconds of the machine's monotonic clock: the same in all processes, and of no meaning of its own. */
export function monotonic(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
