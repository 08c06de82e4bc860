/** Rights as far as answers tell of them: people whose rights differ mostly see the same. */

import { type Clock, systemClock } from "kopf-ts";
import { digestOf } from "../digest.ts";
import type { Access, GroupResource, Reach } from "./access.ts";
import { textsOfReaches } from "./reach-text.ts";

/** Questions about one type that are remembered; beyond, rights count as a whole. */
const mostQuestions = 200;
/** Milliseconds in which rights are asked at a time: those of many roles take a part of one for each question. */
const longest = 5;

type Time = Pick<Clock, "monotonic">;

/** A question to rights. */
type Ask = (access: Access) => Reach;

/** Rights by which an answer is made. */
export interface ToldAccess extends Access {
  /** Equal for two callers, or at two times, only where an answer tells the same of their rights. Rights that are asked for meanwhile make it another one. */
  readonly told: string;
}

/**
 * Remembers, for each type, what answers have ever asked of the rights of whoever wanted it. An answer that was made for one caller is the answer for another one when all of that
 * has equal answers, whatever else they may do. What is asked has to follow from objects and from what was answered before; it is never forgotten, for parts of answers may be kept.
 */
export class ToldRights {
  readonly #ofTypes = new Map<string, Questions>();
  readonly #clock: Time;

  constructor(clock: Time = systemClock) {
    this.#clock = clock;
  }

  /** The same rights; what they are asked is remembered for the type. Their fingerprint tells all: nothing that follows from it is to be told. */
  of(typeId: string, access: Access): ToldAccess {
    const questions = this.#ofTypes.get(typeId) ?? new Questions(this.#clock);
    this.#ofTypes.set(typeId, questions);
    return new NotedAccess(rightsOf(access), questions);
  }
}

/** The same rights, of which an answer may tell anything. */
export function wholly(access: Access): ToldAccess {
  const questions = new Questions(systemClock);
  questions.noteAll();
  return new NotedAccess(rightsOf(access), questions);
}

/** What was asked, as text and as it is asked. */
interface Asked {
  readonly question: string;
  readonly ask: Ask;
}

/** What rights answer to the first so many questions, or to all that will ever be asked. */
interface Told {
  readonly count: number;
  readonly text: string;
}

/** All that was asked for one type. */
class Questions {
  readonly #known = new Set<string>();
  readonly #asks: Asked[] = [];
  #isAll = false;
  readonly #told = new WeakMap<Access, Told>();
  readonly #clock: Time;

  constructor(clock: Time) {
    this.#clock = clock;
  }

  note(what: string, { group, plural }: GroupResource, ask: Ask): void {
    const question = `${what} ${plural} ${group}`;
    if (this.#isAll || this.#known.has(question)) return;
    if (this.#known.size >= mostQuestions) {
      this.noteAll();
      return;
    }
    this.#known.add(question);
    this.#asks.push({ question, ask });
  }

  /** Rights count as a whole from now on. */
  noteAll(): void {
    this.#isAll = true;
  }

  /** Until all was asked, which may take several turns, rights count as a whole. */
  textOf(access: Access): string {
    if (this.#isAll) return access.fingerprint;
    const known = this.#told.get(access) ?? { count: 0, text: "" };
    if (known.count >= this.#asks.length) return known.text;
    const told = this.#further(known, access);
    this.#told.set(access, told);
    return told.count >= this.#asks.length ? told.text : access.fingerprint;
  }

  /** With the answers to what was asked since, as far as there is time. Rights of which these are too long count as a whole. */
  #further({ count, text }: Told, access: Access): Told {
    const asks = this.#asks.slice(count);
    const answers = textsOfReaches(this.#answersTo(asks, access));
    if (answers === undefined) return { count: Number.POSITIVE_INFINITY, text: access.fingerprint };
    const chain = (so: string, answer: string, index: number): string =>
      digestOf(JSON.stringify([so, asks[index]?.question, answer]));
    return { count: count + answers.length, text: answers.reduce(chain, text) };
  }

  /** Each is worked out as it is taken; the first in any case. */
  *#answersTo(asked: readonly Asked[], access: Access): Generator<Reach> {
    const end = this.#clock.monotonic() + longest;
    for (const { ask } of asked) {
      yield ask(access);
      if (this.#clock.monotonic() >= end) return;
    }
  }
}

/** Rights that remember what they are asked. */
class NotedAccess implements ToldAccess {
  readonly access: Access;
  readonly #questions: Questions;

  constructor(access: Access, questions: Questions) {
    this.access = access;
    this.#questions = questions;
  }

  get fingerprint(): string {
    return this.access.fingerprint;
  }

  get told(): string {
    return this.#questions.textOf(this.access);
  }

  may(verb: string, resource: GroupResource, namespace?: string, name?: string): boolean {
    this.#note([verb], resource);
    return this.access.may(verb, resource, namespace, name);
  }

  reach(verbs: readonly string[], resource: GroupResource): Reach {
    this.#note(verbs, resource);
    return this.access.reach(verbs, resource);
  }

  listed(resource: GroupResource): Reach {
    const { group, plural } = resource;
    this.#questions.note("listed", resource, (access) => access.listed({ group, plural }));
    return this.access.listed(resource);
  }

  mayVisit(verb: string, path: string): boolean {
    this.#questions.noteAll();
    return this.access.mayVisit(verb, path);
  }

  #note(verbs: readonly string[], { group, plural }: GroupResource): void {
    const resource = { group, plural };
    this.#questions.note(`may ${verbs.join()}`, resource, (access) =>
      access.reach(verbs, resource),
    );
  }
}

function rightsOf(access: Access): Access {
  return access instanceof NotedAccess ? access.access : access;
}
