/** Who is bound to which rules: roles and bindings of a cluster in a small form, found by subject and by role. */

import type { PolicyRule } from "@drover/crds";
import { digestOf, Rules } from "./rules.ts";

/** A binding, without what no right depends on. */
export interface Binding {
  /** `namespace/name`; the name alone for a ClusterRoleBinding. */
  readonly key: string;
  /** Undefined for a ClusterRoleBinding: everywhere. */
  readonly namespace: string | undefined;
  /** Key of the role: `namespace/name`; the name alone for a ClusterRole. */
  readonly role: string;
  /** Keys of users and groups. */
  readonly subjects: readonly string[];
}

/** Somebody who is bound. */
export interface Bound {
  readonly bindings: ReadonlySet<Binding>;
  /** Of the graph, when something of theirs last changed. */
  readonly revision: number;
}

interface Entry {
  readonly bindings: Set<Binding>;
  revision: number;
}

/**
 * Roles and bindings in step with what is told of them. A change costs what it concerns: a binding its subjects, a role the subjects of its bindings. What changes
 * no right (labels, the order of rules) is no change.
 */
export class RbacGraph {
  readonly #roles = new Map<string, Rules>();
  /** Equal rules are one object; roles with the same rules in a thousand namespaces are common. */
  readonly #known = new Map<string, { readonly rules: Rules; users: number }>();
  readonly #bindings = new Map<string, Binding>();
  readonly #ofRole = new Map<string, Set<Binding>>();
  readonly #subjects = new Map<string, Entry>();
  readonly #onChange: (subject: string) => void;
  #revision = 0;

  /** Calls back with each subject whose rights may have changed. */
  constructor(onChange: (subject: string) => void = () => undefined) {
    this.#onChange = onChange;
  }

  /** Grows with every change of somebody's rights. */
  get revision(): number {
    return this.#revision;
  }

  /** Undefined for somebody whom no binding names. */
  subject(key: string): Bound | undefined {
    return this.#subjects.get(key);
  }

  /** Undefined for a role that is missing. */
  rulesOf(role: string): Rules | undefined {
    return this.#roles.get(role);
  }

  /** A role is there with these rules, or is gone. */
  setRole(key: string, written: readonly PolicyRule[] | undefined): void {
    const before = this.#roles.get(key);
    const digest = written === undefined ? undefined : digestOf(written);
    if (before?.digest === digest) return;
    if (written === undefined || digest === undefined) this.#roles.delete(key);
    else this.#roles.set(key, this.#intern(written, digest));
    if (before !== undefined) this.#leave(before);
    const bindings = this.#ofRole.get(key);
    if (bindings !== undefined) this.#changed([...bindings].flatMap(({ subjects }) => subjects));
  }

  /** A binding is there, or is gone. */
  setBinding(key: string, binding: Binding | undefined): void {
    const before = this.#bindings.get(key);
    if (before === binding || (before && binding && same(before, binding))) return;
    if (before !== undefined) this.#remove(before);
    if (binding !== undefined) this.#add(binding);
    this.#changed([...(before?.subjects ?? []), ...(binding?.subjects ?? [])]);
  }

  #add(binding: Binding): void {
    this.#bindings.set(binding.key, binding);
    const bindings = this.#ofRole.get(binding.role);
    if (bindings === undefined) this.#ofRole.set(binding.role, new Set([binding]));
    else bindings.add(binding);
    for (const subject of binding.subjects) {
      const entry = this.#subjects.get(subject);
      if (entry === undefined)
        this.#subjects.set(subject, { bindings: new Set([binding]), revision: 0 });
      else entry.bindings.add(binding);
    }
  }

  #remove(binding: Binding): void {
    this.#bindings.delete(binding.key);
    const bindings = this.#ofRole.get(binding.role);
    bindings?.delete(binding);
    if (bindings?.size === 0) this.#ofRole.delete(binding.role);
    for (const subject of binding.subjects) {
      const entry = this.#subjects.get(subject);
      entry?.bindings.delete(binding);
      if (entry?.bindings.size === 0) this.#subjects.delete(subject);
    }
  }

  #changed(subjects: readonly string[]): void {
    this.#revision++;
    for (const subject of new Set(subjects)) {
      const entry = this.#subjects.get(subject);
      if (entry !== undefined) entry.revision = this.#revision;
      this.#onChange(subject);
    }
  }

  #intern(written: readonly PolicyRule[], digest: string): Rules {
    const known = this.#known.get(digest);
    if (known !== undefined) known.users++;
    if (known !== undefined) return known.rules;
    const rules = new Rules(written, digest);
    this.#known.set(digest, { rules, users: 1 });
    return rules;
  }

  #leave({ digest }: Rules): void {
    const known = this.#known.get(digest);
    if (known !== undefined && --known.users === 0) this.#known.delete(digest);
  }
}

function same(a: Binding, b: Binding): boolean {
  return (
    a.role === b.role &&
    a.subjects.length === b.subjects.length &&
    a.subjects.every((subject, index) => subject === b.subjects[index])
  );
}
