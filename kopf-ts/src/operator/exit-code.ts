/** How an operator ended, as the exit code of its process. */
export const exitCodes = {
  /** It was told to stop, and everything drained. */
  stopped: 0,
  /** It could not start, or something that must not fail did. */
  failed: 1,
  /** Another process may lead now (EX_TEMPFAIL of sysexits.h: start me again). */
  leaseLost: 75,
} as const;

/** One of `exitCodes`. */
export type ExitCode = 0 | 1 | 75;
