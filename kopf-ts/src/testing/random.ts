/** Chance that can be repeated: the same seed makes the same choices. A failing test prints its seed. */
export interface Random {
  readonly seed: number;
  /** At least 0, below 1. */
  next(): number;
  /** A whole number of at least 0, below `limit`. */
  below(limit: number): number;
  /** True in `probability` of the cases. */
  chance(probability: number): boolean;
  pick<T>(choices: readonly [T, ...T[]]): T;
}

/** A generator of chance (xorshift32); the seed may be any number. */
export function seededRandom(seed: number): Random {
  let state = Math.imul(seed | 0, 0x9e3779b1) ^ 0x85ebca6b || 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    seed,
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (choices) => choices[below(choices.length)] ?? choices[0],
  };
}
