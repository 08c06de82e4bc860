/** Defects of Steve that clients meet, what happens here instead, and the test that shows it. */

import type { Shown } from "./shown.ts";

/** One of them. */
export interface Defect extends Shown {
  readonly defect: string;
  readonly here: string;
}

/** Those of Steve's SQL mode that are known (steve: main of August 2026). */
export const defects: readonly Defect[] = [
  {
    defect: "`links.schemas` of the API root is the root itself",
    here: "it leads to the schemas",
    file: "api/src/v1/schemas/schemas.cluster.test.ts",
    test: "tell at /v1 of every collection that the caller can get, and where schemas are",
  },
  {
    defect: "POST does not turn `_type` back into `type`",
    here: "as on PUT and PATCH",
    file: "api/src/v1/writes/writes.cluster.test.ts",
    test: "maps _type back",
  },
  {
    defect: "The Jobs of a CronJob are told as `podName` in associated data",
    here: "`childName`, as all others",
    file: "api/src/v1/lists/representation.cluster.test.ts",
    test: "when asked`",
  },
  {
    defect: "Ages stand still for kinds whose version its table does not name",
    here: "every column that is a date or an age goes on",
    file: "api/src/v1/lists/representation.cluster.test.ts",
    test: "grows older without a change: ",
  },
  {
    defect: "The limit in `pagination` is read from a header",
    here: "it is the size of the page",
    file: "api/src/v1/lists/pages.cluster.test.ts",
    test: "tell where the list goes on, as a number that is taken back",
  },
  {
    defect: "Reviews cannot be made: they get a name, and may have none",
    here: "what is not kept gets no name",
    file: "api/src/v1/writes/writes.cluster.test.ts",
    test: "answers reviews, which have no name, where Steve gives them one and is refused",
  },
  {
    defect: "PUT without a resourceVersion is 500",
    here: "422 `MissingRequired`",
    file: "api/src/v1/writes/writes.cluster.test.ts",
    test: "answers 422 without a resourceVersion, where Steve has a 500",
  },
  {
    defect: "Options of PUT, dryRun among them, are read and forgotten",
    here: "they count",
    file: "api/src/v1/writes/writes.cluster.test.ts",
    test: "changes nothing in a dry run, which Steve forgets",
  },
  {
    defect: "PATCH asks for the right to update",
    here: "for that to patch",
    file: "api/src/v1/writes/writes.cluster.test.ts",
    test: "needs the right to patch alone, where Steve asks for that to update",
  },
  {
    defect: "DeleteOptions in the body are ignored",
    here: "they count",
    file: "api/src/v1/writes/writes.cluster.test.ts",
    test: "honours preconditions, in the URL and in the body, which Steve ignores",
  },
  {
    defect: "`projectsornamespaces` is 500 for types outside of namespaces",
    here: "nothing is found; with `!=`, everything",
    file: "api/src/v1/lists/pages.cluster.test.ts",
    test: "leave nothing of what is in no namespace",
  },
  {
    defect: "`=` and `!=` never match values with `_`, `%` or a backslash",
    here: "they do",
    file: "api/src/v1/lists/filters.cluster.test.ts",
    test: "spec.color='50%_",
  },
  {
    defect: "Syntax errors in parameters are 500",
    here: "422, with the parameter in `fieldName`",
    file: "api/src/v1/lists/answers.cluster.test.ts",
    test: "is told of ?",
  },
  {
    defect: "A client that does not read for 10 ms loses its watches",
    here: "it gets all of it later, up to a bound that is told",
    file: "api/src/v1/subscribe/resume.cluster.test.ts",
    test: "gets all of it later, in order, and others are not held up",
  },
  {
    defect: "A watch that is stopped and started at once may end",
    here: "the new one lives",
    file: "api/src/v1/subscribe/ends.cluster.test.ts",
    test: "can be followed by a start at once, and a second start is ignored",
  },
  {
    defect: "Watches share a request whose namespace changes under them",
    here: "each has its own scope",
    file: "api/src/v1/subscribe/watch.cluster.test.ts",
    test: "of another namespace beside it hears of that one alone",
  },
  {
    defect: "A type that changes does not always end its watches",
    here: "`resource.stop`, always",
    file: "api/src/v1/subscribe/ends.cluster.test.ts",
    test: "comes when it has other columns, and who goes on has missed nothing and is told them",
  },
  {
    defect: "The watch of counts tells everybody of everything",
    here: "what the caller may see",
    file: "api/src/v1/counts/feed.cluster.test.ts",
    test: "tells nothing of what the caller may not see",
  },
  {
    defect: "It knows nothing of types that come later",
    here: "it does",
    file: "api/src/v1/counts/feed.cluster.test.ts",
    test: "includes types that come later",
  },
  {
    defect: "A type that cannot be listed holds up counts and more for 15 minutes",
    here: "nobody waits for it",
    file: "api/src/v1/inventory/inventory.cluster.test.ts",
    test: "does without a type that cannot be listed",
  },
  {
    defect: "Rights are worked out again for every request, at the cost of all bindings",
    here: "a fingerprint that changes with them",
    file: "api/src/v1/access/access.cluster.test.ts",
    test: "gives callers with equal rights one access, and others none of it",
  },
  {
    defect: "Changes of what can only be listed carry the old object",
    here: "the new one",
    file: "api/src/v1/lists/told.cluster.test.ts",
    test: "read again and again what cannot be watched, and show what has changed",
  },
  {
    defect: "Secrets that images are pulled with are no relationships",
    here: "they are",
    file: "api/src/v1/lists/states/relationships.cluster.test.ts",
    test: "imagePullSecrets",
  },
];
