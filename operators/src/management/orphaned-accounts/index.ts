import { Cluster, Project, User } from "@drover/crds";
import { isSystemUser } from "@drover/platform";
import { type CacheAccess, type Controller, onDelete, related, where } from "kopf-ts";
import { keyOfSubject, type Subject, subjectOf } from "./desired.ts";
import { controllerName } from "./names.ts";
import { judge, projectsByName } from "./reconcile.ts";

const bySubject = "orphaned-accounts-subject";

/** Deletes system accounts whose cluster or project is no more. */
export function orphanedAccounts(): Controller<User> {
  return {
    name: controllerName,
    watches: User,
    when: where(isSystemUser),
    indexes: { [bySubject]: subjectsOf },
    related: [
      related(Cluster, {
        when: onDelete,
        map: ({ metadata: { name } }, cache) => accountsOf({ of: "cluster", name }, cache),
      }),
      related(Project, {
        when: onDelete,
        indexes: { [projectsByName]: nameOf },
        map: ({ metadata: { name } }, cache) => accountsOf({ of: "project", name }, cache),
      }),
    ],
    reconcile: judge,
  };
}

function subjectsOf(user: User): readonly string[] {
  const subject = subjectOf(user);
  return subject === undefined ? [] : [keyOfSubject(subject)];
}

function nameOf({ metadata }: Project): readonly string[] {
  return [metadata.name];
}

function accountsOf(subject: Subject, cache: CacheAccess): readonly string[] {
  return cache(User).keysByIndex(bySubject, keyOfSubject(subject));
}
