import type { Kind } from "../kube/index.ts";
import type { Verdict } from "./failure.ts";
import type { ListMode, ListModeMemory } from "./memory.ts";
import type { Position } from "./position.ts";

/** What a watch can ask for: a list and changes on one stream, a list in pages, changes alone. */
export type Ask = "stream" | "pages" | "changes";

/** Repeated half lines at one place are not the network's doing: something there cannot be read. */
const UNREADABLE = 3;

/**
 * What a watch asks for next:
 *
 * - changes, when it knows where it was (`Position.resumable`);
 * - else pages, when the last streamed list failed as on a server that cannot stream any (a suspicion, which pages that work confirm), or
 *   when the cluster's memory says so;
 * - else what is preferred: a streamed list, unless told.
 *
 * A failure moves the position as its verdict says. It blames the stream only when the list was not complete yet; a stream that has worked
 * before gets a second chance, since then the network is the likelier culprit.
 */
export class Course {
  readonly #kind: Kind;
  readonly #position: Position;
  readonly #memory: ListModeMemory;
  readonly #preferred: ListMode;
  #asked: Ask = "changes";
  #suspect = false;
  #failures = 0;

  constructor(
    kind: Kind,
    position: Position,
    memory: ListModeMemory,
    preferred: ListMode = "stream",
  ) {
    this.#kind = kind;
    this.#position = position;
    this.#memory = memory;
    this.#preferred = preferred;
  }

  /** Since the watch was live. */
  get failures(): number {
    return this.#failures;
  }

  next(): Ask {
    this.#asked = this.#choose();
    return this.#asked;
  }

  /** The list that was asked for is complete. */
  listed(): void {
    if (this.#asked === "stream") this.#memory.remember(this.#kind, "stream");
    else if (this.#suspect) this.#memory.remember(this.#kind, "pages");
    this.#suspect = false;
  }

  live(): void {
    this.#failures = 0;
  }

  /** Takes note of a failure of what was asked for; true when there is something else to ask for at once. */
  failed(verdict: Verdict): boolean {
    const unlisted = this.#asked === "stream" && !this.#position.resumable;
    this.#failures++;
    this.#move(verdict);
    this.#suspect = unlisted && verdict.blamesStream && !this.#forgive();
    return this.#suspect;
  }

  #choose(): Ask {
    if (this.#position.resumable) return "changes";
    return this.#suspect ? "pages" : (this.#memory.modeOf(this.#kind) ?? this.#preferred);
  }

  #move({ position, reason }: Verdict): void {
    if (position === "expire") this.#position.expire();
    if (position === "question") this.#position.question();
    const unreadable = reason === "BadAnswer" && this.#failures >= UNREADABLE;
    if (position === "doubt" || unreadable) this.#position.doubt();
  }

  /** True once for a stream that has worked. */
  #forgive(): boolean {
    const worked = this.#memory.modeOf(this.#kind) === "stream";
    if (worked) this.#memory.forget(this.#kind);
    return worked;
  }
}
