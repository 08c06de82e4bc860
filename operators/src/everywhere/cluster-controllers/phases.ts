/** How far clusters are, and how many are so far. */

/** `elsewhere`: another replica works for it; `waiting`: something is missing, or it is not its turn. */
const phaseNames = [
  "engaging",
  "ready",
  "unreachable",
  "disengaging",
  "waiting",
  "elsewhere",
] as const;

/** How far a cluster is. */
export type Phase = (typeof phaseNames)[number];

/** Where the figures go: a gauge with label `phase`. */
export interface PhaseGauge {
  with(labels: { readonly phase: string }): { set(value: number): void };
}

/** Counts clusters by phase; a change costs the same however many there are. */
export class Phases {
  readonly #gauge: PhaseGauge | undefined;
  readonly #phases = new Map<string, Phase>();
  readonly #counts: Map<Phase, number> = new Map(phaseNames.map((phase) => [phase, 0]));

  constructor(gauge: PhaseGauge | undefined) {
    this.#gauge = gauge;
    for (const phase of phaseNames) this.#add(phase, 0);
  }

  /** The cluster is so far now; undefined: it is no more. */
  set(name: string, phase: Phase | undefined): void {
    const former = this.#phases.get(name);
    if (former === phase) return;
    if (former !== undefined) this.#add(former, -1);
    if (phase === undefined) this.#phases.delete(name);
    else {
      this.#phases.set(name, phase);
      this.#add(phase, 1);
    }
  }

  #add(phase: Phase, more: number): void {
    const count = (this.#counts.get(phase) ?? 0) + more;
    this.#counts.set(phase, count);
    this.#gauge?.with({ phase }).set(count);
  }
}
