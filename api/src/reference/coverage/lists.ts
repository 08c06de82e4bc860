/** What lists can be asked. */

import { indexedFields } from "../../v1/fields/indexed.ts";
import { row, type Tables, v1 } from "./row.ts";

const filters = `${v1}/lists/filters.cluster.test.ts`;
const integers = `${v1}/lists/integers.cluster.test.ts`;
const pages = `${v1}/lists/pages.cluster.test.ts`;
const answers = `${v1}/lists/answers.cluster.test.ts`;
const builtIn = `${v1}/lists/built-in.cluster.test.ts`;
const joins = `${v1}/lists/joins.cluster.test.ts`;
const indexed = `${v1}/lists/indexed.cluster.test.ts`;
const representation = `${v1}/lists/representation.cluster.test.ts`;
const syntax = `${v1}/query/filter.test.ts`;

/** Grammar, and the fields that Steve indexes. */
export const ofLists: Tables = {
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
    row("`<`, `>` of dates, in milliseconds", filters, "[`spec.sold>"),
    row("`in`, and `in ()`", filters, '"spec.size in ()"'),
    row("`notin`, in any case", filters, '"metadata.name NOTIN (g-1,g-2)"'),
    row("`contains`", filters, '"spec.tags contains x"'),
    row("`notcontains`", filters, '"spec.tags notcontains x"'),
    row("commas are or", filters, '"metadata.name=g-1,metadata.name=g-2,spec.size>20"'),
    row("several parameters are and", filters, "all hold when there are several"),
    row("quotes and backslashes", filters, "spec.color='Gre"),
    row("what is refused", answers, "filter=spec.color==a==b"),
    row("texts that are read and refused, one by one", syntax, '"x==a==b"'),
    row("labels that are missing", filters, "!=web`, (each)"),
    row("a key in brackets", filters, "metadata.labels[app.kubernetes.io/name]"),
    row("a number in a list", filters, '"spec.parts.0.name=p1"'),
    row("integers of 64 bits", integers, "counts each value"),
    row("`in` and `notin`, in any case", filters, "metadata.name IN (g-1,g-2)"),
    row("a field that is none: 422", answers, "is told of a field as Steve tells it"),
    row("sort by several fields", filters, '"spec.color,spec.size"'),
    row("sort by dates", filters, '"-spec.sold", bySale'),
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
    row("one summary, and what needs it", answers, "summary=spec.size&summary=spec.color"),
    row("summary of a page", pages, "are of the page"),
    row("revision in answers", pages, "are told, and are those of the cache"),
    row("revision that comes", pages, "are waited for"),
    row("unknown revision", pages, "that nobody knows are refused"),
    row("revision of long ago", pages, "of long ago are served"),
    row("revision that is none", answers, '"revision=x", 400'),
    row(
      "revision, of somebody who sees nothing",
      answers,
      "get it at any revision without any right, and are told none",
    ),
    row("no right: an empty list", answers, "get an empty list without any right, and no error"),
    row("no list verb: 405", answers, "is told of a type that cannot be listed"),
    row("tokens and kubeconfigs", answers, "show tokens and kubeconfigs to those whose they are"),
    row("includeAssociatedData", representation, "when asked`"),
  ],
  "Indexed fields": [
    row("`id`", filters, "}/g-0`, (each)"),
    row("`metadata.name`", filters, '"metadata.name=g-7"'),
    row("`metadata.namespace`", filters, "`metadata.namespace="),
    row("`metadata.creationTimestamp`", filters, "come by the time of creation, the newest first"),
    row("`metadata.state.name`", filters, '"metadata.state.name=active"'),
    row("`metadata.fields[N]`, numbers by their columns", filters, '"metadata.fields[1]>10"'),
    row("`metadata.fields[N]`, dates by their columns", filters, '"-metadata.fields[4]", bySale'),
    row(
      "`metadata.fields[1]` of ServiceAccounts: a number (an API server of today has their age there)",
      `${v1}/fields/fields.test.ts`,
      "ServiceAccount of a server that counts its Secrets",
    ),
    row(
      "`metadata.fields[1]` of ServiceAccounts: their age",
      builtIn,
      "serviceaccounts?filter=metadata.fields[1]>",
    ),
    row(
      "`metadata.fields[2]` of Secrets, `[1]` of ConfigMaps",
      builtIn,
      "secrets?sort=metadata.fields[2]",
    ),
    row(
      "`metadata.fields[3]`, `[3][0]` and `[3][1]` of Pods",
      builtIn,
      "pods?sort=-metadata.fields[3][0]",
    ),
    ...Object.keys(indexedFields)
      .filter((kind) => kind !== "Namespace")
      .map((kind) =>
        row(`all of ${kind}`, indexed, "are all here, but for those that other objects tell"),
      ),
    row("copied: projects of Namespaces", joins, "has namespaces by the name of their project"),
    row(
      "copied: projects of Secrets",
      joins,
      "has secrets by the project and cluster that they were copied from",
    ),
    row("copied: resources of provisioning.cattle.io/Cluster", indexed, "`find and order "),
  ],
};
