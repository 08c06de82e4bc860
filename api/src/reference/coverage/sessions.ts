/** Who may see what, how watches tell of it, and what the Dashboard does first. */

import { row, type Tables, v1 } from "./row.ts";

const watch = `${v1}/subscribe/watch.cluster.test.ts`;
const ends = `${v1}/subscribe/ends.cluster.test.ts`;
const resume = `${v1}/subscribe/resume.cluster.test.ts`;
const rights = `${v1}/subscribe/rights.cluster.test.ts`;
const notifications = `${v1}/subscribe/notifications.cluster.test.ts`;
const specials = `${v1}/subscribe/specials.cluster.test.ts`;
const soon = `${v1}/rights.cluster.test.ts`;
const bad = `${v1}/subscribe/bad-input.cluster.test.ts`;
const messages = `${v1}/subscribe/messages.test.ts`;
const access = `${v1}/access/access.cluster.test.ts`;
const held = `${v1}/access/held-access.test.ts`;
const answers = `${v1}/lists/answers.cluster.test.ts`;
const counts = `${v1}/counts/feed.cluster.test.ts`;
const dashboard = "test/e2e/api/dashboard.suite.ts";
const login = "test/e2e/api/login.suite.ts";
const stages = "test/e2e/api/stages.suite.ts";

/** Subscriptions, counts, access, the Dashboard's requests, stages. */
export const ofSessions: Tables = {
  Subscriptions: [
    row(
      "resourceType: id, plural, any case; echoed",
      watch,
      "is found by id, plural name and any case, and echoes what was sent",
    ),
    row(
      "resourceVersion",
      resume,
      "is where a watch goes on: all that followed, once and in order",
    ),
    row(
      "namespace",
      rights,
      "that is about something else leaves nothing out, and tells nothing twice",
    ),
    row("id", watch, "of one object hears of no other"),
    row("selector", watch, "of a selector tells of objects that begin and cease to match"),
    row(
      "mode, debounceMs",
      notifications,
      "come at once, then at most one per interval, with the newest revision",
    ),
    row("stop", ends, "is told when the same message says stop; nothing follows"),
    row("the key of a watch", messages, "does not depend on revision and stop"),
    row(
      "a second start is ignored",
      ends,
      "can be followed by a start at once, and a second start is ignored",
    ),
    row("resource.start", watch, 'name: "resource.start"'),
    row(
      "resource.create, .change, .remove",
      watch,
      "tells what is made, changed and removed, and nothing of what was there",
    ),
    row(
      "formatted resources, with their revision",
      watch,
      "shows objects as lists do, with their revision",
    ),
    row(
      "resource.changes",
      notifications,
      "tell at the start that something followed the revision",
    ),
    row("resource.error", bad, "is answered, and the session goes on: "),
    row("resource.stop: a type that goes", ends, "comes when it has gone"),
    row(
      "resource.stop: a type with other columns",
      ends,
      "comes when it has other columns, and who goes on has missed nothing and is told them",
    ),
    row(
      "resource.stop: a type of another version",
      ends,
      "comes when another version of it is served, and who begins anew is told that one",
    ),
    row("resource.stop: rights", rights, "that takes objects away tells which, and ends the watch"),
    row(
      "resource.stop: more rights",
      rights,
      "that gives more ends the watch, so that it is begun anew",
    ),
    row("resource.stop: slow readers", resume, "is told that too much was missed"),
    row(
      "resource.stop: slow readers of counts",
      specials,
      "end with an error for who does not read, and the other watches go on",
    ),
    row("ping", watch, "pings every 30 s"),
    row("failed to find schema", bad, "failed to find schema nothing"),
    row("does not support watching", bad, "does not support watching"),
    row(
      "can not list: who may change and not list",
      bad,
      "of a type that the caller may change and not list is refused, and the session goes on",
    ),
    row(
      "may only make: as an empty list",
      bad,
      "of a type that the caller may only make begins, as lists of it are empty, and tells nothing",
    ),
    row("no JSON: the session goes on", bad, '"no JSON"'),
    row(
      "too old",
      resume,
      "that is too old ends in an error that says so, and a stop, without a start",
    ),
    row("no revision: what is new alone", watch, 'not.to.include("create before")'),
    row(
      "objects that leave a selector",
      watch,
      "of a selector tells of objects that begin and cease to match",
    ),
    row(
      "watch of schemas: types",
      specials,
      "tell of a type that comes, changes and goes, in the form of schemas, and nobody who may not see it",
    ),
    row("watch of schemas: rights", specials, "tell what other rights show, allow and hide"),
    row(
      "watch of counts",
      counts,
      "tells the first change at once and later ones together, of changed types alone",
    ),
    row("counts", `${v1}/counts/route.cluster.test.ts`, "is a collection of one item"),
  ],
  "Access control": [
    row(
      "users, groups, service accounts; any verb, group, resource, name",
      access,
      "agrees with it about random rights",
    ),
    row(
      "nonResourceURLs, by ClusterRoleBindings alone",
      access,
      "agrees with it about random paths",
    ),
    row("a namespace by a RoleBinding in it", held, "the namespace itself by a RoleBinding in it"),
    row(
      "no administrator but by bindings, and system:masters as at the API server",
      held,
      "is all for members of system:masters",
    ),
    row(
      "equal rights, one access",
      access,
      "gives callers with equal rights one access, and others none of it",
    ),
    row(
      "bindings and roles that change",
      access,
      "follows bindings and roles as they come, change and go, and tells who watches",
    ),
    row("rights that change: counts and schemas", soon, "within a second, by the median of"),
    row("rights that change: watches", soon, "ends watches within a second, by the median of"),
    row("list everywhere", held, "all by a ClusterRoleBinding"),
    row(
      "list in namespaces, get by name",
      answers,
      "see what they may list, and what they may get by name",
    ),
    row("nothing: an empty list", answers, "get an empty list without any right, and no error"),
    row(
      "pages, totals and summaries of that alone",
      answers,
      "get pages, totals and summaries of that alone",
    ),
    row(
      "get and writes upstream, as the caller",
      `${v1}/writes/writes.cluster.test.ts`,
      "passes on what the server refuses, with its reason",
    ),
    row(
      "Impersonate-* in the mode for them",
      "api/src/authn/authn.cluster.test.ts",
      "believes Impersonate-* headers, and takes everybody else for the server's own user",
    ),
    row(
      "bearer, basic and cookie",
      "api/src/authn/authn.cluster.test.ts",
      "knows by basic authentication and by cookie, and by the header alone if there is one",
    ),
  ],
  "What the Dashboard asks first": [
    row("version", dashboard, "learns the version"),
    row(
      "settings before login, x-api-cattle-auth",
      dashboard,
      "reads fewer than 13 settings before login, and is told that there was none",
    ),
    row(
      "settings in the form of /v3",
      dashboard,
      "finds first-login and ui-pl in the form of /v3 as well",
    ),
    row("providers", login, "lists the ways in, for nobody in particular"),
    row(
      "login by cookie, CSRF",
      login,
      "gives browsers cookies, and takes writes only with the token of the form",
    ),
    row("settings after login", dashboard, "logs in and reads all settings"),
    row("the user", dashboard, "finds the user who has logged in"),
    row("schemas", dashboard, "reads schemas with methods, columns and links"),
    row(
      "features, counts, namespaces, workspaces, clusters, preferences",
      dashboard,
      "reads features, counts, namespaces, workspaces, clusters and its preferences",
    ),
    row("writes of preferences", dashboard, "keeps preferences"),
    row(
      "the feature and the projects that its pages ask for",
      dashboard,
      "finds the feature and the projects that the setup page and a cluster's page ask for",
    ),
    row("settings of the setup page", dashboard, "changes the settings of the setup page"),
    row("subscribe, notifications", dashboard, "subscribes, and is told that something changed"),
    row("logout", dashboard, "logs out"),
    row(
      "the base of a cluster: /k8s/clusters/local/v1",
      dashboard,
      "finds the server's own cluster under the base of any cluster",
    ),
    row("what is to come: 404", dashboard, "is told that what is to come is not there"),
  ],
  "Order of stages": [
    row("headers before all that answers", stages, '"headers"'),
    row("ping before who asks", stages, '"ping"'),
    row("X-API-Cattle-Auth before refusals", stages, '"who asked"'),
    row("origins of websockets before login", stages, '"origin"'),
    row("CSRF before login", stages, '"csrf"'),
    row("public settings before login", stages, '"public"'),
    row("the Kubernetes API has its own refusal", stages, '"kubernetes"'),
    row("login before types", stages, '"login"'),
  ],
};
