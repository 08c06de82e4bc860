/**
 * Sees to it that a cluster is summed up once in a while however often its nodes change: at once when nothing happened for some time, then not before the pause is
 * over. Only this process knows of it; a new one sums up at once.
 */
export class Pauses {
  readonly #length: number;
  /** By cluster; milliseconds of the monotonic clock. */
  readonly #last = new Map<string, number>();

  constructor(length: number) {
    this.#length = length;
  }

  /** Milliseconds until it is the cluster's turn; 0 when it is, and then the turn is taken. */
  wait(cluster: string, time: number): number {
    const last = this.#last.get(cluster);
    const left = last === undefined ? 0 : last + this.#length - time;
    if (left > 0) return left;
    this.#last.set(cluster, time);
    return 0;
  }

  /** The cluster is no more. */
  forget(cluster: string): void {
    this.#last.delete(cluster);
  }
}
