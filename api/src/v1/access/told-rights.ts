/** Rights as far as answers tell of them: people whose rights differ mostly see the same. */

import { digestOf } from "../digest.ts";
import type { Access, GroupResource, Reach } from "./access.ts";

/** Questions about one type that are remembered; beyond, rights count as a whole. */
const mostQuestions = 500;

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

  /** The same rights; what they are asked is remembered for the type. Their fingerprint tells all: nothing that follows from it is to be told. */
  of(typeId: string, access: Access): ToldAccess {
    const questions = this.#ofTypes.get(typeId) ?? new Questions();
    this.#ofTypes.set(typeId, questions);
    return new NotedAccess(rightsOf(access), questions);
  }
}

/** The same rights, of which an answer may tell anything. */
export function wholly(access: Access): ToldAccess {
  const questions = new Questions();
  questions.noteAll();
  return new NotedAccess(rightsOf(access), questions);
}

/** All that was asked for one type. */
class Questions {
  readonly #asked = new Map<string, Ask>();
  #isAll = false;
  readonly #texts = new WeakMap<Access, { readonly count: number; readonly text: string }>();

  note(question: string, { group, plural }: GroupResource, ask: Ask): void {
    const key = `${question} ${plural} ${group}`;
    if (this.#isAll || this.#asked.has(key)) return;
    if (this.#asked.size < mostQuestions) this.#asked.set(key, ask);
    else this.noteAll();
  }

  /** Rights count as a whole from now on. */
  noteAll(): void {
    this.#isAll = true;
  }

  textOf(access: Access): string {
    if (this.#isAll) return access.fingerprint;
    const count = this.#asked.size;
    const known = this.#texts.get(access);
    if (known?.count === count) return known.text;
    const lines = Array.from(this.#asked, ([key, ask]) => `${key} ${textOfReach(ask(access))}`);
    const text = digestOf(lines.join("\n"));
    this.#texts.set(access, { count, text });
    return text;
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

/** Another text for another reach. */
function textOfReach(reach: Reach): string {
  if (reach === "all") return "all";
  const names = Array.from(reach.names, ([namespace, of]) => `${namespace}/${textOfSet(of)}`);
  return [textOfSet(reach.namespaces), ...names.sort()].join(",");
}

/** Many reaches share a set. */
const textsOfSets = new WeakMap<ReadonlySet<string>, string>();

function textOfSet(set: ReadonlySet<string>): string {
  if (set.size === 0) return "";
  const known = textsOfSets.get(set) ?? digestOf([...set].sort().join(" "));
  textsOfSets.set(set, known);
  return known;
}
