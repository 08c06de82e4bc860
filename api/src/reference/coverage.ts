/** The rows of the tables that Steve's behaviour is written down in, and the tests that cover them. */

import type { Shown } from "./shown.ts";

/** A row, and where it is shown. */
export interface Row extends Shown {
  readonly row: string;
}

const v1 = "api/src/v1";
const filters = `${v1}/lists/filters.cluster.test.ts`;
const pages = `${v1}/lists/pages.cluster.test.ts`;
const answers = `${v1}/lists/answers.cluster.test.ts`;
const builtIn = `${v1}/lists/built-in.cluster.test.ts`;
const syntax = `${v1}/query/filter.test.ts`;
const summary = `${v1}/summary/summary.test.ts`;
const cases = `${v1}/summary/cases.test.support.ts`;
const special = `${v1}/summary/special.test.support.ts`;
const conditions = `${v1}/summary/conditions.test.support.ts`;
const tables = `${v1}/summary/tables.test.ts`;
const edges = `${v1}/summary/relationships.test.ts`;
const items = `${v1}/items/items.test.ts`;
const reshape = `${v1}/items/reshape.test.ts`;
const links = `${v1}/items/links.test.ts`;
const writes = `${v1}/writes/writes.cluster.test.ts`;

function row(text: string, file: string, test: string): Row {
  return { row: text, file, test };
}

/** By table. */
export const coverage: Readonly<Record<string, readonly Row[]>> = {
  "Grammar of lists": [
    row("a label exists", filters, "[label, (each) => labelOf(each) !== undefined]"),
    row("a label is absent", filters, "labelOf(each) === undefined]"),
    row("`=`", filters, '"metadata.name=g-7"'),
    row("`==`", filters, '"metadata.name==g-7"'),
    row("`!=`", filters, '"metadata.name!=g-7"'),
    row("`~`", filters, '"metadata.name~G-1"'),
    row("`!~`", filters, '"metadata.name!~g-1"'),
    row("`<`, `lt`", filters, '"spec.size lt 5"'),
    row("`>`, `gt`", filters, "\"spec.size gt '-1'\""),
    row("`in`, and `in ()`", filters, '"spec.size in ()"'),
    row("`notin`, in any case", filters, '"metadata.name NOTIN (g-1,g-2)"'),
    row("`contains`", filters, '"spec.tags contains x"'),
    row("`notcontains`", filters, '"spec.tags notcontains x"'),
    row("commas are or", filters, '"metadata.name=g-1,metadata.name=g-2,spec.size>20"'),
    row("several parameters are and", filters, "all hold when there are several"),
    row("quotes and backslashes", syntax, 'say \\\\"hi\\\\"'),
    row("what is refused", syntax, '"x==a==b"'),
    row("labels that are missing", filters, "!=web`, (each)"),
    row("a key in brackets", syntax, '"metadata.labels[app.kubernetes.io/name]=a.b/c-d:e"'),
    row("a number in a list", filters, '"spec.parts.0.name=p1"'),
    row("a field that is none: 422", answers, "is told of a field as Steve tells it"),
    row("sort by several fields", filters, '"spec.color,spec.size"'),
    row("sort by addresses", filters, '"ip(-spec.address)"'),
    row("sort by labels", filters, '"-metadata.labels[app.kubernetes.io/name]"'),
    row("sort by restarts of Pods", builtIn, '"pods?sort=metadata.fields[3][1]"'),
    row("order without sort", filters, "are by id when there is none"),
    row("page, pagesize", pages, "are numbered from 1, with the number of all"),
    row("projectsornamespaces", pages, "[b, c]]"),
    row("projectsornamespaces!=", pages, "projectsornamespaces!="),
    row("namespace in the path", pages, "are in the path"),
    row("summary", pages, "count values of fields and labels, in the order of their names"),
    row("summaryonly", pages, "come alone"),
    row("summarynamespaced", pages, "count by namespace"),
    row("summary of a page", pages, "are of the page"),
    row("revision in answers", pages, "are told, and are those of the cache"),
    row("revision that comes", pages, "are waited for"),
    row("unknown revision", pages, "that nobody knows are refused"),
    row("revision that is none", answers, '"revision=x", 400'),
    row("no right: an empty list", answers, "get an empty list without any right, and no error"),
    row("no list verb: 405", answers, "is told of a type that cannot be listed"),
    row("tokens and kubeconfigs", answers, "show tokens and kubeconfigs to those whose they are"),
    row(
      "includeAssociatedData",
      `${v1}/items/associated.test.ts`,
      "the Pods that a workload selects",
    ),
  ],
  "Indexed fields": [
    row(
      "of every type",
      `${v1}/fields/fields.test.ts`,
      "asks every cache for names, ids, namespaces, creation and labels",
    ),
    row(
      "metadata.fields by their columns",
      `${v1}/fields/fields.test.ts`,
      '["metadata.fields[3]", {}, { text: since, order: since }]',
    ),
    row(
      "metadata.state",
      `${v1}/fields/fields.test.ts`,
      '["metadata.state.name", {}, { text: "active" }]',
    ),
    row("those of 35 kinds, one by one", `${v1}/fields/indexed.test.ts`, "are known of "),
    row(
      "copied: projects of namespaces",
      `${v1}/lists/joins.cluster.test.ts`,
      "has namespaces by the name of their project",
    ),
    row(
      "copied: projects of Secrets",
      `${v1}/lists/joins.cluster.test.ts`,
      "has secrets by the project and cluster that they were copied from",
    ),
  ],
  Representation: [
    row(
      "members and their order",
      items,
      "begins with its own members, then has the object's in their order",
    ),
    row(
      "renamed members",
      items,
      "renames what would be taken for its own, and what it hid before",
    ),
    row("link self", links, 'title: "nothing", held: {}'),
    row("link update", links, 'title: "update"'),
    row("link remove", links, 'title: "delete"'),
    row("link patch", links, 'title: "patch"'),
    row("link view", links, 'title: "get"'),
    row("links that are blocked", links, "blocks nothing for somebody without the right"),
    row(
      "metadata.fields",
      `${v1}/items/items.cluster.test.ts`,
      "have the cells of the API server's table",
    ),
    row("cells of built-in kinds", `${v1}/printers/printers.cluster.test.ts`, "agree about"),
    row(
      "cells of CRDs",
      `${v1}/types/live-types.cluster.test.ts`,
      "follows a CRD that comes, changes its columns and goes",
    ),
    row(
      "cells that only the server knows",
      `${v1}/lists/told.cluster.test.ts`,
      "have the cells of the server's table, with ages of now",
    ),
    row("dates in cells", `${v1}/items/state.test.ts`, "has ages that go on"),
    row("duration of Jobs", `${v1}/items/state.test.ts`, "has a Job's duration until it ends"),
    row("restarts of Pods", `${v1}/items/state.test.ts`, 'title: "restarts"'),
    row("metadata.state", items, "has the state of a kind whose schema has an observed generation"),
    row("state of Pods", items, 'title: "is its STATUS"'),
    row(
      "metadata.relationships",
      `${v1}/items/items.cluster.test.ts`,
      "know the state of what they have to do with, and who has to do with them",
    ),
    row("flags of conditions", items, "get flags and the time of their last update"),
    row(
      "metadata.associatedData",
      `${v1}/items/associated.test.ts`,
      "the Pods that a workload selects",
    ),
    row("include", reshape, "keeps what is included alone"),
    row("exclude", reshape, "leaves out what is excluded"),
    row("excludeValues", reshape, "empties the values of a map"),
    row("their order", reshape, "includes before it excludes before it empties"),
    row("truncate", reshape, "cuts texts, but not what tells objects apart"),
    row(
      "checkPermissions",
      `${v1}/items/permissions.test.ts`,
      "tells rights in the namespace that an object stands for",
    ),
    row("includeHelmData", `${v1}/items/settle.test.ts`, "reads releases when asked"),
    row(
      "namespace that may not be got",
      `${v1}/items/settle.test.ts`,
      "tell little of a namespace that the caller may not get",
    ),
    row("collection", answers, "have the members of a collection in Steve's order"),
    row("its links", answers, "name the list itself, without its query"),
    row("createTypes", `${v1}/schemas/methods.test.ts`, "names where to create"),
    row("pagination", pages, "tell where the list goes on, as a number that is taken back"),
    row("JSON lines", answers, "come as lines"),
    row("YAML", answers, "come as YAML"),
    row("get", writes, "answers the object with the cells of the server's table"),
    row("create", writes, "answers 201, with kind, apiVersion, namespace and a name"),
    row("update", writes, "replaces the object, without what /v1 had added"),
    row("patch", writes, "a patch without a content type"),
    row("delete", writes, "answers 200 with an object that a finalizer keeps"),
  ],
  "State: the steps": [
    row("status.display, status.summary", cases, "status.display before status.summary"),
    row("errors", cases, "a reason Error of any condition"),
    row("transitioning", cases, "an error in place of what goes on"),
    row("spec.active", cases, '"spec.active"'),
    row("phase", cases, '"a phase"'),
    row("Bound, Succeeded", cases, "Bound, whatever goes on"),
    row("metadata.removed", cases, "what was removed long ago"),
    row("kstatus", cases, "what is being deleted"),
    row("load balancer", cases, "a load balancer without address"),
    row(
      "observed generation",
      summary,
      "finds a custom resource current before it asks for the generation that its controller has seen",
    ),
    row("messages", cases, "the same message twice, and spaces"),
    row("conditions in an annotation", cases, "conditions in the annotation"),
    row("flags of one condition", conditions, "PodScheduled=False"),
  ],
  "State: conditions": [
    row("errors, by kind", tables, "are an error of a "),
    row("40 types until they are True", tables, "each(untilTrue)"),
    row("5 types while they are True", tables, "each(whileTrue)"),
    row("6 types while they are False", tables, "each(whileFalse)"),
    row("Ready=False comes last", cases, "Available=False before Ready=False"),
  ],
  "State: kinds with rules of their own": [
    row("Machine", special, "a Machine that is drained"),
    row("MachineSet, MachineDeployment", special, "Machines that roll out"),
    row("Cluster of Cluster API", special, "a Cluster that cannot be reached"),
    row("operations", special, "an operation that failed"),
  ],
  "State: kstatus": [
    row("any: deletion", cases, "what is being deleted"),
    row("any: generation", cases, "a generation that nobody has seen"),
    row("Deployment", cases, "a Deployment out of time"),
    row("StatefulSet", cases, "a StatefulSet between revisions"),
    row("ReplicaSet", cases, "a ReplicaSet that shrinks"),
    row("DaemonSet", cases, "a DaemonSet that nobody saw"),
    row("PersistentVolumeClaim", cases, '"a claim"'),
    row("Pod", cases, "a Pod that crashes"),
    row("Job", cases, "a Job that ended"),
    row("Service", cases, "a load balancer without address"),
    row("CustomResourceDefinition", cases, "a CRD with taken names"),
    row("ConfigMap, Secret, CronJob", tables, '"batch/v1", "CronJob"'),
    row("PodDisruptionBudget", tables, '"PodDisruptionBudget"'),
    row("others", tables, '"example.com/v1", "Thing", {}, "Resource is current"'),
  ],
  Relationships: [
    row("owner", edges, "owners, before who applied it"),
    row("applies", edges, "who applied it"),
    row("selects", edges, "what a Service selects"),
    row("creates", edges, "what a Deployment creates"),
    row("uses", edges, "what a Pod uses"),
    row("helmresource", edges, "what a chart brought along"),
    row(
      "inbound",
      `${v1}/inventory/inventory.cluster.test.ts`,
      "finds what points at an object, until it does no more",
    ),
  ],
};
