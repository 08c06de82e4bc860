/** What can be said in URLs of /v1. */

/** One parameter. */
export interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly about: string;
}

/** Of lists: `GET /v1/{type}` and `GET /v1/{type}/{namespace}`. */
export const ofLists: readonly Parameter[] = [
  {
    name: "filter",
    type: "requirements, with commas",
    about:
      "of each parameter one requirement has to hold; repeatable, up to 50 requirements, where values of `=` for one field within one parameter count once, and so do values of `!=` for one field that are parameters of their own",
  },
  {
    name: "sort",
    type: "fields, with commas",
    about: "`-` before a field turns its order round, `ip(field)` orders addresses; by id without",
  },
  {
    name: "page, pagesize",
    type: "whole numbers",
    about:
      "pages begin at 1, which less than 1 is taken for; without `pagesize`, or with less than 1, all are on one page, whatever `page` says; `pagesize` counts before `limit`",
  },
  {
    name: "limit, continue",
    type: "whole number, text",
    about:
      "as in Kubernetes; what `continue` says is ours. That of a list without `sort` goes on behind an object, so `sort` and `pagesize` are refused with it (422)",
  },
  {
    name: "labelSelector, fieldSelector",
    type: "selectors",
    about:
      "as in Kubernetes, where a fieldSelector may name any field; up to 64 requirements and 500 values in a labelSelector, 50 requirements in a fieldSelector",
  },
  {
    name: "revision",
    type: "whole number; with `clusters` as `local:12,c-abcde:34`",
    about: "the list is at least as new; a later one is waited for up to 2 s",
  },
  {
    name: "projectsornamespaces",
    type: "names, with commas",
    about:
      "namespaces, or projects that they are in, as their label `field.cattle.io/projectId` has them (`p-abcde`); `projectsornamespaces!=` for all but these",
  },
  {
    name: "owner",
    type: "type/namespace/name, or type/name",
    about: "what belongs to that object, at any depth",
  },
  {
    name: "clusters",
    type: "names, with commas, or `all`",
    about:
      "of these clusters together, in one order; with Warnings where one does not answer. Requests for one object or for what is no resource, and writes, are refused with it (422), but a logout; so are `summary`, `includeAssociatedData`, and a `continue` that is no number",
  },
  {
    name: "summary",
    type: "fields, with commas",
    about: "how often each value is there; up to 16 fields",
  },
  { name: "summaryonly, summarynamespaced", type: "boolean", about: "no items; by namespace too" },
];

/** Of lists and single objects: how items are shaped, in this order. */
export const ofItems: readonly Parameter[] = [
  { name: "include", type: "path", about: "keep this alone; repeatable" },
  { name: "exclude", type: "path", about: "leave this out; repeatable" },
  { name: "excludeValues", type: "path", about: "keep the keys, empty the values; repeatable" },
  { name: "truncate", type: "whole number", about: "cut texts to this length" },
  {
    name: "checkPermissions",
    type: "types, with commas",
    about: "adds `resourcePermissions`: what the caller may do with these types there",
  },
  {
    name: "includeAssociatedData",
    type: "boolean",
    about:
      "of lists alone: adds `metadata.associatedData`, the Pods of a workload, the Jobs of a CronJob",
  },
  {
    name: "includeHelmData",
    type: "boolean",
    about:
      "keeps and reads releases of Helm, up to 32 MiB of JSON (512 KiB in subscriptions); larger ones stay packed",
  },
];

/** Of `GET /v1/search`. */
export const ofSearches: readonly Parameter[] = [
  {
    name: "q",
    type: "words",
    about:
      "all have to be found, in any case: in names, values of labels or images; `key=value` is a label, `namespace/name` an object",
  },
  { name: "types, namespaces", type: "names, with commas", about: "only these" },
  { name: "limit", type: "whole number", about: "from 1 to 500; 50 without" },
  { name: "clusters", type: "names, with commas, or `all`", about: "of these clusters together" },
];

/** Of `GET /v1/access`. */
export const ofAccess: readonly Parameter[] = [
  { name: "verb", type: "text", about: "what is to be done; needed" },
  {
    name: "resource",
    type: "type, or type/subresource",
    about: "with what; this or `path` is needed",
  },
  { name: "path", type: "path", about: "in place of it: one that is no resource" },
  { name: "namespace, name", type: "text", about: "where, and of which object; anywhere without" },
  {
    name: "cluster",
    type: "`local`",
    about: "the server's own, as without; another one is 404",
  },
  {
    name: "user, group",
    type: "text; groups repeatable",
    about:
      "about somebody else: for who may create SubjectAccessReviews, who may also write a principal or user name and is told their groups as well, or impersonate them",
  },
];

/** Of every request. */
export const ofRequests: readonly Parameter[] = [
  { name: "_method", type: "method", about: "in place of that of HTTP, unless empty" },
  { name: "_format", type: "json, jsonl, yaml", about: "in place of `Accept`" },
  { name: "action", type: "text", about: "of POST: no type has actions yet, 422 `InvalidAction`" },
  {
    name: "resourceVersion",
    type: "whole number",
    about: "of GET of one object, as in Kubernetes: not older than this",
  },
];

/** Of writes; passed on to the API server. */
export const ofWrites: readonly Parameter[] = [
  {
    name: "dryRun, fieldManager, fieldValidation",
    type: "as in Kubernetes",
    about: "create, update, patch",
  },
  { name: "force", type: "boolean", about: "patch by apply" },
  {
    name: "gracePeriodSeconds, propagationPolicy, orphanDependents, uid, resourceVersion, dryRun",
    type: "as in Kubernetes",
    about: "delete; or as DeleteOptions in the body",
  },
];

/** An operator of filters. */
export interface Operator {
  readonly written: string;
  readonly holds: string;
}

/** All of them (steve: pkg/stores/sqlpartition/queryparser). */
export const operators: readonly Operator[] = [
  { written: "`f=v`, `f==v`", holds: "the value is this text, in this case" },
  { written: "`f!=v`", holds: "it is not; also where a label is missing" },
  { written: "`f~v`", holds: "it has this in its first 65,536 characters, in any case" },
  { written: "`f!~v`", holds: "it has not there; also where a label is missing" },
  {
    written: "`f<n`, `f lt n`, `f>n`, `f gt n`",
    holds:
      "it is less or more than an integer of 64 bits; numbers, quantities, and dates in milliseconds since 1970",
  },
  { written: "`f in (a,b)`", holds: "it is one of these; `()` is the empty text" },
  {
    written: "`f notin (a,b)`",
    holds: "it is none of these; also where a label is missing",
  },
  { written: "`f contains v`", holds: "the list has this member" },
  { written: "`f notcontains v`", holds: "the list has it not" },
  { written: "`label`", holds: "the label is there; labels alone" },
  { written: "`!label`", holds: "it is not; labels alone" },
];
