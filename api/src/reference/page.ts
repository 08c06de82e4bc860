/** docs/reference/v1.md out of the tables that the API works by. */

import { indexedFields } from "../v1/fields/indexed.ts";
import { printedKinds } from "../v1/printers/printers.ts";
import { codes } from "../v1/problem.ts";
import { baseSchemas } from "../v1/schemas/base-schemas.ts";
import type { Row } from "./coverage/row.ts";
import { coverage } from "./coverage.ts";
import { defects } from "./defects.ts";
import { differences } from "./differences.ts";
import { sent, type Told, told, toldOfSeveral } from "./messages.ts";
import {
  ofAccess,
  ofItems,
  ofLists,
  ofRequests,
  ofSearches,
  ofWrites,
  operators,
  type Parameter,
} from "./parameters.ts";
import { otherRoutes, type Served, v1Routes } from "./routes.ts";
import type { Shown } from "./shown.ts";

const introduction = `# /v1 and what is beside it

Every resource that the cluster serves is a type below \`/v1\`, under Steve's names: \`pod\`, \`apps.deployment\`, \`management.cattle.io.cluster\`; the plural (\`pods\`) and any case
work as well. Behaviour is that of Steve with its SQL cache, but for what this page lists. [guide/api.md](../guide/api.md) shows how to use it,
[api/README.md](../../api/README.md) how it is made.

<!-- Generated from api/src by api/src/reference.ts; run \`node api/dist/reference.js\` to write it anew. -->
`;

const etags = `A list that is asked for with header \`If-None-Match\` (of anything, such as \`""\`) tells an ETag of its body, unless that is beyond 2 MiB; who has the body already, or asks with \`*\`, gets 304.
`;

const parts: readonly (() => string)[] = [
  () => introduction,
  () => `## Paths\n\n${served(v1Routes)}\n### Beside /v1\n\n${served(otherRoutes)}`,
  () => `### Types that are no resources\n\n${ownTypes()}`,
  () => `## Parameters\n\n### Of lists\n\n${parameters(ofLists)}\n${etags}`,
  () => `### Of lists and single objects\n\nIn this order.\n\n${parameters(ofItems)}`,
  () =>
    `### Of searches\n\n${parameters(ofSearches)}\n### Of /v1/access\n\n${parameters(ofAccess)}`,
  () =>
    `### Of every request\n\n${parameters(ofRequests)}\n### Of writes\n\n${parameters(ofWrites)}`,
  filters,
  () => `### Fields that Steve indexes\n\n${fieldsTable()}`,
  cells,
  subscriptions,
  errors,
  () =>
    `## What differs from Steve on purpose\n\nA test sends random requests to Steve and to us, and finds nothing else. What it does not send (subscriptions, bodies, groups, what Rancher has around Steve) is here as it was found by reading.\n\n${table(
      ["What", "Why"],
      differences.map(({ what, why }) => [what, why]),
    )}`,
  () =>
    `## Defects of Steve that are mended\n\n${table(
      ["Steve", "Here", "Test"],
      defects.map((each) => [each.defect, each.here, `"${each.test}" in ${linkTo(each)}`]),
    )}`,
  covered,
];

/** The whole page. */
export function page(): string {
  return parts.map((part) => part()).join("\n");
}

function served(routes: readonly Served[]): string {
  return table(
    ["Path", "For", "What"],
    routes.map(({ path, who, about }) => [code(path), who, about]),
  );
}

function ownTypes(): string {
  const rows = baseSchemas.map(({ id, pluralName, resourceMethods, collectionMethods }) => [
    ...[code(id), code(pluralName)],
    ...[collectionMethods.join(", "), resourceMethods.join(", ")],
  ]);
  return table(["Type", "Plural", "Collection", "Object"], rows);
}

function parameters(all: readonly Parameter[]): string {
  return table(
    ["Parameter", "Is", "Does"],
    all.map(({ name, type, about }) => [code(name), type, about]),
  );
}

function filters(): string {
  const rows = operators.map(({ written, holds }) => [written, holds]);
  return `## Filters

A requirement is a field, an operator and a value. Values with white space or one of \`=!(),<>~\` stand in quotes, single or double, with a backslash before what is meant as it is. So do values that begin with anything but a letter, a digit or \`_\` (\`-1\`, \`.5\`); members of a list in brackets never do. A
field is a path: dots part keys, a key with dots stands in brackets (\`metadata.labels[app.kubernetes.io/name]\`), a number picks a member of a list. It has at most 32 keys and 512 characters.

${table(["Written", "Holds where"], rows)}
Fields of every type are \`id\`, \`metadata.name\`, \`metadata.namespace\`, \`metadata.creationTimestamp\`, \`metadata.state.name\`, labels, and \`metadata.fields[N]\`, the cells of the
table. So are annotations, by any name. Any other field works that the type's schema has, or that an object has which the caller may list; what has neither is 422 \`InvalidBodyContent\`. A column is built when it is asked for
first.

Integers of 64 bits are compared, ordered and counted exactly, those beyond 2^53 too. Other numbers are doubles.
`;
}

function fieldsTable(): string {
  const rows = Object.entries(indexedFields).map(([kind, fields]) => [
    kind,
    Object.entries(fields)
      .map(([name, ordered]) => `${code(name)}${ordered === "text" ? "" : ` (${ordered})`}`)
      .join(", "),
  ]);
  return table(["Kind", "Fields"], rows);
}

function cells(): string {
  const kinds = printedKinds.map(code).join(", ");
  return `## Cells

\`metadata.fields\` has the cells that the API server's table has. They are made here for CRDs by their columns, and for ${printedKinds.length} kinds that are built in, compared with the API
server's own in a test: ${kinds}. Of others (aggregated APIs) the server's tables are listed and watched; ages in them, in columns of type date or named Age, go on. A server that makes no
tables leaves items without \`metadata.fields\`.
`;
}

function subscriptions(): string {
  const fields = sent.map(({ name, type, about }) => [code(name), type, about]);
  return `## Subscriptions

\`/v1/subscribe\` is a websocket. A subscriber sends JSON objects, one for each watch, and is told JSON objects, which repeat what a watch is known by but for \`debounceMs\`. A stub is
\`{"type": "subscribe", "links": {}}\`. Parameters of its URL shape items as in lists. Whoever lists objects, or may \`get\` them by name, may watch them, for lists one after the other tell the same. (Steve tells what the verb
\`watch\` allows, so that members who may \`get\` their cluster by name see it and never hear of a change.)

### What subscribers send

All fields but \`resourceVersion\` and \`stop\` are what a watch is known by.

${table(["Field", "Is", "Does"], fields)}
### What they are told

${messages(told)}
### With clusters

${messages(toldOfSeveral)}
\`resourceVersion\` is the \`revision\` of a list with \`clusters\`, or of an event; clusters that are not in it are told from now on. Each cluster counts as a watch beside the subscription, of
which a session may have 512, and a user 8,192 in all sessions. Types that are no resources are of one cluster alone.
`;
}

function messages(all: readonly Told[]): string {
  return table(
    ["Name", "data", "When"],
    all.map(({ name, data, when }) => [code(name), data, when]),
  );
}

function errors(): string {
  const rows = Object.entries(codes).map(([name, status]) => [String(status), code(name)]);
  return `## Errors

\`{"type": "error", "links": {}, "status", "code", "message", "fieldName"?}\`, with the status of the answer. What an API server refuses keeps its status, and its reason as code
(\`Forbidden\`, \`Conflict\`, \`Invalid\`, \`AlreadyExists\`). A type that is unknown, or in which the caller may do nothing, is 404 without a body. Below \`/api\` and
\`/apis\` errors are objects of kind Status, once it is known who asks; what is refused before that is as here. As in Rancher, who is not logged in gets 401 with \`status\` as text and without \`links\` and \`code\`, and errors of logins have a \`baseType\`
and no \`links\`.

${table(["Status", "Code"], [...rows, ...otherCodes])}`;
}

/** Of a list's revision, and of requests that come no further than the listener or the websocket guard. */
const otherCodes = [
  [
    "400",
    "`unknown revision`, `invalid revision query param`; `BadRequest`: what is no HTTP, no target, not one `Host`, or /v1/subscribe without a websocket",
  ],
  ["403", "`Forbidden`: a browser's websocket of another origin"],
  ["408", "`RequestTimeout`"],
  ["410", "`Expired`"],
  ["413", "`ContentTooLarge`: of chunk extensions"],
  ["417", "`ExpectationFailed`: of `Expect` that is not `100-continue`"],
  ["431", "`RequestHeaderFieldsTooLarge`"],
  ["501", "`NotImplemented`: of a `Transfer-Encoding` that is not `chunked`"],
];

const aboutRows = `Files that end in \`.cluster.test.ts\` and \`.suite.ts\` meet a real API server. Files that end in \`.test.support.ts\` hold rows: those of states are sent to an API server and
listed by [lists/states](../../api/src/v1/lists/states), but for those that say that no API server keeps such an object; all are tried by themselves beside the tables.`;

function covered(): string {
  const counts = Object.entries(coverage).map(([name, rows]) => [
    name,
    String(rows.length),
    filesOf(rows),
  ]);
  const each = Object.entries(coverage).map(
    ([name, rows]) =>
      `### ${name}\n\n${table(
        ["Row", "Test"],
        rows.map((row) => [row.row, linkTo(row)]),
      )}`,
  );
  return `## What is tested\n\n${aboutRows}\n\n${table(["Table", "Rows", "Tests"], counts)}\n${each.join("\n")}`;
}

function filesOf(rows: readonly Row[]): string {
  return [...new Set(rows.map(linkTo))].join(", ");
}

function linkTo({ file }: Shown): string {
  return `[${file.replace("api/src/v1/", "")}](../../${file})`;
}

/** Names, with commas between them. */
function code(text: string): string {
  return text
    .split(", ")
    .map((each) => `\`${each}\``)
    .join(", ");
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.map(escaped).join(" | ")} |\n`).join("");
}

function escaped(cell: string): string {
  return cell.replaceAll("|", "\\|");
}
