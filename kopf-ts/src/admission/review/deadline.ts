/** How long the API server waits. */

/** Milliseconds that a webhook has when the API server does not say. */
const usual = 10_000;
/** No API server waits longer (api: admissionregistration/v1, timeoutSeconds). */
const longest = 30_000;
/** Our own answer must arrive before the API server gives up, or people read of a connection instead of a reason. */
const lead = 500;

const units: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  ns: 1e-6,
};

/** Milliseconds for the answer, from the `timeout` that the API server adds to the URL as Go writes durations (`10s`, `1m30s`). */
export function limitOf(timeout: string | null): number {
  const limit = Math.min(parseDuration(timeout ?? "") ?? usual, longest);
  return limit - Math.min(lead, limit / 10);
}

function parseDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:h|ms|m|s|us|µs|ns)){1,6}$/.test(text)) return undefined;
  let total = 0;
  for (const [, value, unit = ""] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g)) {
    total += Number(value) * (units[unit] ?? 0);
  }
  return total > 0 ? total : undefined;
}
