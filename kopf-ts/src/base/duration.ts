const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const whole = /^[+-]?((\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/;

/** Milliseconds of a duration as Go writes it (`720h`, `1h30m`, `-0.5s`, `0`); undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (/^[+-]?0$/.test(text)) return 0;
  if (!whole.test(text)) return undefined;
  const parts = [...text.matchAll(part)];
  const sum = parts.reduce((total, [, n, unit]) => total + Number(n) * (units[unit ?? ""] ?? 0), 0);
  return text.startsWith("-") ? -sum : sum;
}
