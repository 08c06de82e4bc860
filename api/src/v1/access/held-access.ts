/** What somebody may do, made of rules and where they hold. */

import { createHash } from "node:crypto";
import {
  type Access,
  type GroupResource,
  isNothing,
  nothing,
  type Reach,
  reaches,
} from "./access.ts";
import type { Rules } from "./rules.ts";

/** Rules, and where they hold. */
export interface Grant {
  readonly rules: Rules;
  /** From a ClusterRoleBinding. */
  readonly everywhere: boolean;
  /** From RoleBindings; none beside `everywhere`, to which they add nothing. */
  readonly namespaces: ReadonlySet<string>;
}

/** What grants allow, added up. */
interface Sum {
  all: boolean;
  /** Grants whose namespaces are allowed as a whole, by place. */
  readonly whole: number[];
  readonly names: Map<string, ReadonlySet<string>>;
}

/** Answers that are kept before all are forgotten: who asks for more verbs and resources than clusters have is not to fill the memory. */
const mostAnswers = 5_000;
/** Sets of namespaces that up to this many grants make together are kept; up to so many sets. */
const mostParts = 50;
const mostUnions = 100;

const readVerbs = ["get", "list"] as const;
const allVerbs = [...readVerbs, "watch", "create", "update", "patch", "delete"] as const;

/** May everything, as members of system:masters. */
export const everything: Access = {
  fingerprint: "system:masters",
  may: () => true,
  reach: () => "all",
  listed: () => "all",
  mayVisit: () => true,
};

/** Adds up grants. Answers are worked out when they are first asked for, and kept. */
export class HeldAccess implements Access {
  readonly fingerprint: string;
  readonly #grants: readonly Grant[];
  readonly #answers = new Map<string, Reach>();
  readonly #unions = new Map<string, ReadonlySet<string>>();

  constructor(grants: readonly Grant[]) {
    this.#grants = grants;
    this.fingerprint = fingerprintOf(grants);
  }

  /** How much it holds: grants and their namespaces. */
  get weight(): number {
    return this.#grants.reduce((sum, { namespaces: { size } }) => sum + size + 1, 1);
  }

  may(verb: string, resource: GroupResource, namespace = "", name = ""): boolean {
    const reach = this.reach([verb], resource);
    if (reach === "all") return true;
    if (name === "") return reach.namespaces.has(namespace);
    return reaches(reach, isOwnNamespace(resource) ? "" : namespace, name);
  }

  reach(verbs: readonly string[], resource: GroupResource): Reach {
    return this.#answer(`may ${verbs.join()}`, resource, () =>
      this.#reach(this.#sum(verbs, resource)),
    );
  }

  listed(resource: GroupResource): Reach {
    return this.#answer("listed", resource, () => {
      const sum = this.#sum(["list"], resource);
      for (const [namespace, names] of this.#sum(["get"], resource).names) {
        addNames(sum.names, namespace, names);
      }
      const reach = this.#reach(sum);
      return resource.plural === "namespaces" && this.#mayNothing(resource)
        ? this.#readable(resource)
        : reach;
    });
  }

  mayVisit(verb: string, path: string): boolean {
    return this.#grants.some(({ everywhere, rules }) => everywhere && rules.matchUrl(verb, path));
  }

  #answer(question: string, { group, plural }: GroupResource, make: () => Reach): Reach {
    const key = `${question} ${plural} ${group}`;
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const made = make();
    if (this.#answers.size >= mostAnswers) this.#answers.clear();
    this.#answers.set(key, made);
    return made;
  }

  #sum(verbs: readonly string[], resource: GroupResource): Sum {
    const sum: Sum = { all: false, whole: [], names: new Map() };
    const isOwn = isOwnNamespace(resource);
    for (const [place, { rules, everywhere, namespaces }] of this.#grants.entries()) {
      const { all, names } = rules.match(verbs, resource);
      if (everywhere) sum.all ||= all;
      else if (all) sum.whole.push(place);
      for (const each of everywhere ? everyNamespace : namespaces) addNames(sum.names, each, names);
      if (isOwn) addNames(sum.names, "", all ? namespaces : both(namespaces, names));
    }
    return sum;
  }

  #reach({ all, whole, names }: Sum): Reach {
    if (all) return "all";
    if (whole.length === 0 && names.size === 0) return nothing;
    return { namespaces: this.#union(whole), names };
  }

  /** Most questions have the same few answers: they share one set. */
  #union(places: readonly number[]): ReadonlySet<string> {
    const parts = places.map((place) => this.#grants[place]?.namespaces ?? nobody);
    if (parts.length < 2) return parts[0] ?? nobody;
    const key = places.length > mostParts ? undefined : places.join();
    const known = key === undefined ? undefined : this.#unions.get(key);
    if (known !== undefined) return known;
    const union = new Set<string>();
    for (const part of parts) for (const namespace of part) union.add(namespace);
    if (key !== undefined && this.#unions.size < mostUnions) this.#unions.set(key, union);
    return union;
  }

  #mayNothing(resource: GroupResource): boolean {
    return isNothing(this.reach(allVerbs, resource), "Cluster");
  }

  /** Namespaces in which something may be read (steve: pkg/schema/factory.go). */
  #readable({ group }: GroupResource): Reach {
    const own = this.#grants.filter(({ rules }) => group === "" && rules.allows(readVerbs));
    const names = new Set(own.flatMap(({ namespaces }) => [...namespaces]));
    return names.size === 0 ? nothing : { namespaces: nobody, names: new Map([["", names]]) };
  }
}

const nobody: ReadonlySet<string> = new Set();
/** Where names that hold in every namespace stand. */
const everyNamespace: readonly string[] = [""];

/**
 * To an API server the request for a namespace is one within that namespace, so what a RoleBinding there allows on namespaces is allowed on that one (kubernetes:
 * apiserver/pkg/endpoints/request/requestinfo.go).
 */
function isOwnNamespace({ group, plural }: GroupResource): boolean {
  return group === "" && (plural === "namespaces" || plural.startsWith("namespaces/"));
}

/** Takes the set as it is where it is the first. */
function addNames(
  all: Map<string, ReadonlySet<string>>,
  namespace: string,
  names: ReadonlySet<string>,
): void {
  if (names.size === 0) return;
  const known = all.get(namespace);
  all.set(namespace, known === undefined ? names : new Set([...known, ...names]));
}

function both(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...a].filter((each) => b.has(each)));
}

/** Of what is held, whoever holds it and by whatever roles. */
function fingerprintOf(grants: readonly Grant[]): string {
  const lines = grants.map(({ rules: { digest }, everywhere, namespaces }) =>
    everywhere ? digest : `${digest} ${[...namespaces].sort().join(" ")}`,
  );
  return createHash("sha256").update(lines.sort().join("\n")).digest("base64url");
}
