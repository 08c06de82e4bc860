/** When what is done at a rate is due, and to which object. Pure. */

/** Milliseconds from the begin to number `index` of what is done so often per second. */
export function due(index: number, perSecond: number): number {
  return (index * 1000) / perSecond;
}

/** How many are due before `time` milliseconds have passed. */
export function countWithin(time: number, perSecond: number): number {
  return Math.ceil((time * perSecond) / 1000);
}

/** Which of `n` objects change `index` goes to: far from the one before, and each once before any a second time. */
export function objectOf(index: number, n: number): number {
  const stride = n % 7919 === 0 ? 7907 : 7919; // primes
  return (index * stride) % n;
}
