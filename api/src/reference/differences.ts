/** Where we differ from Steve, or from Rancher around it, on purpose. Answers of lists, gets and counts test/steve brings to a form in which they are equal but for these; what it does not compare (watches, bodies, groups, stages) was read. */

/** A difference that is meant. */
export interface Difference {
  readonly what: string;
  readonly why: string;
}

/** Every one of them. */
export const differences: readonly Difference[] = [
  {
    what: "Keys of an item, and its relationships, come in another order",
    why: "Items are spliced from the bytes of the API server. Members of a JSON object have no order, and nothing sorts relationships in Steve either.",
  },
  {
    what: "Items of lists have no `_id`",
    why: "It is a copy of `id` that Steve's cache keeps in its objects and forgets to take out.",
  },
  {
    what: "`revision` is as far as the cache is, which may be further than the last object that changed",
    why: "Bookmarks of the watch count as well, so that a revision does not grow too old while nothing happens.",
  },
  {
    what: "`pagination` has the `limit` that was asked for, and `next` has the parameters in the order of the request",
    why: "Steve reads the limit from a header of that name, and sorts the parameters.",
  },
  {
    what: "Relationships tell nothing of objects that the caller may not see: no state, and none that only the other object knows of",
    why: "Steve shows how Secrets are to somebody who may not list them.",
  },
  {
    what: "Namespaces are listed for whoever may read something in them; what they do not show then is in filters, orders and summaries as if it were not there",
    why: "Steve finds them by what it does not show, which tells it all the same. Whose rights in a namespace are given as verb `*` it shows none.",
  },
  {
    what: "A namespace of which only little is shown is the same whatever `include` and `exclude` say",
    why: "What is left of it is what user interfaces need. Steve cuts the object first: `include=spec` leaves it without its name.",
  },
  {
    what: "Methods of schemas come in a fixed order",
    why: "Steve goes through a map, and they come as they fall.",
  },
  {
    what: "Errors about a parameter have its name in `fieldName`",
    why: "It helps whoever reads them; the code and the status are the same.",
  },
  {
    what: "Counts have no types that nobody can list and watch",
    why: "Steve shows an empty summary for each of them.",
  },
  {
    what: "Counts, and relationships that only the other object knows of, are also told to who may `get` the objects and not `list` them; lists and searches show them what they may `get` by its name, and nothing else",
    why: "As Steve counts, where `get` of a whole type or namespace allows it: who may get an object may learn that it is there.",
  },
  {
    what: "Counts have tokens and kubeconfigs of `ext.cattle.io` for those alone who may list everything",
    why: "Others see only their own, and Steve tells them how many everybody has.",
  },
  {
    what: "`page` and `pagesize` that are no numbers are refused with 422",
    why: "Steve takes them for 1 and for everything, and a typing error gets the whole type.",
  },
  {
    what: "Operations of `operation.cattle.io` have states of their own",
    why: "Those of newer Steve; the version that we are compared with knows no rules of these kinds.",
  },
  {
    what: "The duration of a Job that has not started is empty",
    why: "Steve shows how old the Job is.",
  },
  {
    what: "Where Steve answers 500 for a query that is well-formed, the query is answered",
    why: "It makes SQL of which SQLite says that it is none, for sums of what is also filtered or ordered by labels.",
  },
  {
    what: "A type that the server itself may not list is there, and its lists are 503 with the reason (`Forbidden`)",
    why: "Steve asks for each type whether it may, again with every change of a CRD, and hides the others from everybody, also from who may read and write them by id.",
  },
  {
    what: "An object that no longer matches a subscription's selector is told by `resource.remove`, one that begins to match by `resource.create`",
    why: "As in watches of Kubernetes. Steve tells `resource.change` of both, and its clients keep what they did not ask for.",
  },
  {
    what: "A change of the caller's rights ends the watches alone whose objects are others by it; in the others, what is told from then on has the new links",
    why: "Steve ends all of them. Its clients begin anew at the revision that they have, where objects that they have keep their old links as well; the schema that is told anew says in both which methods a type has now.",
  },
  {
    what: "Links escape what a name has that means something else in a URL, such as `?`, `#` and spaces in those of roles",
    why: "Steve writes names as they are, and such a link leads elsewhere.",
  },
  {
    what: "Bodies of POST, PUT and DELETE whose content type is neither JSON nor YAML are refused with 415, forms and plain text among them",
    why: "Steve reads forms, and everything else as JSON. A page of somebody else could send such in a visitor's name without the browser asking whether it may.",
  },
  {
    what: "Members of `system:masters` see and may do everything",
    why: "As at the API server, which asks RBAC nothing about them. Steve knows rights by bindings alone and shows them nothing, unless one names the group.",
  },
  {
    what: "Releases of Helm beyond 32 MiB of JSON, and in subscriptions beyond 512 KiB, stay packed whatever `includeHelmData` says",
    why: "Steve unpacks them whatever they come to. To read them takes memory, and time in which nobody else is served.",
  },
  {
    what: "A path with a link behind an object (`/v1/pods/a/b/x`) is for GET alone; writes there are 404",
    why: "Steve lets the link be, and a path that is too long by mistake changes or deletes the object before it.",
  },
  {
    what: "A body whose name or namespace is another one than the path's is refused with 400",
    why: "Steve goes by the body: a POST to one namespace makes an object in another.",
  },
  {
    what: "A PUT whose body has no name takes the path's",
    why: "Steve answers 500.",
  },
  {
    what: "A PUT keeps a condition's `lastUpdateTime` that is another one than `lastTransitionTime`, and conditions that are no list",
    why: "They are the object's own. Steve drops the one, and writes null for the other.",
  },
  {
    what: "Top-level `links`, `id` and `actions` of a body, and what items have in `metadata` beside the object's, are taken out without a Warning",
    why: "Clients send back what they were given. A resource's own stand behind an underscore, as in answers.",
  },
  {
    what: "A body with something behind its JSON, of several YAML documents, or with a key of YAML twice, is refused with 422; one beyond 2 MiB with 413",
    why: "Steve reads the first document, the last of the keys, and says nothing of the rest; of large ones it reads the beginning.",
  },
  {
    what: "`includeHelmData`, `includeAssociatedData`, `gracePeriodSeconds` and paths to include or exclude that cannot be read are refused with 422; `truncate` cuts",
    why: "Steve lets them be, and knows no `truncate`.",
  },
  {
    what: "`HEAD`, `_method=get` and `_method=HEAD` are answered; a method that HTTP does not know is 400",
    why: "Steve has 405 for all of them. The last does not reach us: Node's parser refuses it.",
  },
  {
    what: "Pods of a selector with `matchExpressions` are those that match; an owner in a version that is not the served one is found",
    why: "Steve looks at `matchLabels` alone, and shows all Pods; of such owners it knows no state.",
  },
  {
    what: "An empty cell of a CRD's date column is `<unknown>`",
    why: "As in the API server's table. Steve shows in lists how long ago the year 1 was not.",
  },
  {
    what: "Filters, orders and summaries go by the first 65,536 characters of a text",
    why: "A ConfigMap may hold a megabyte, and columns of all of it would be as large as the objects.",
  },
  {
    what: "`~` does not look at the case of any letter, also beyond ASCII; numbers are compared with numbers of an HPA's `maxReplicas`",
    why: "Steve does as SQLite does, and has that column as text.",
  },
  {
    what: "A subscription takes `id` as `namespace/name`, and tells of objects that may be read by name alone",
    why: "Steve starts such watches and never tells them anything.",
  },
  {
    what: "A subscription with a selector, revision, mode or `debounceMs` that cannot be read is `resource.error` and `resource.stop`, without `resource.start`",
    why: "Steve starts before it looks, or takes anything.",
  },
  {
    what: "What has no watch (`apigroup`, `userpreference`, `apiRoot`) is `resource.error` and `resource.stop`",
    why: "Steve starts such watches, which never tell anything.",
  },
  {
    what: "Who has a grant for one namespace and another one for the cluster lists the namespace of the first",
    why: "What RBAC allows in a namespace holds for that one's own object as well. Steve looks at the cluster's alone then.",
  },
  {
    what: "`/v1/collections`, `/v1/errors`, `/v1//pods` and what is below the special types are 404; their `self` is the plural's",
    why: "There is nothing. Steve answers 403, 307, or with the same again.",
  },
  {
    what: "Keys in YAML are in the order of JSON; lines of JSON for one object have no empty line behind them",
    why: "Neither means anything.",
  },
  {
    what: "A 404 without a body has a `Content-Type`",
    why: "It means nothing either.",
  },
  {
    what: "`imagePullSecrets` are relationships of Pods; ages in cells go on for every kind",
    why: "Steve forgets the one; the other it does for those kinds and versions alone that a table of its own names.",
  },
  {
    what: "A state that depends on the time is that of the moment when the object was first listed in its present form",
    why: "It takes `metadata.created` or `metadata.removed` as norman writes them (`initializing` for 5 s, an error after five minutes of `removing`), and no API server keeps these. Steve's items go by the time of each answer, its filters by that of the last change.",
  },
  {
    what: "In `metadata.associatedData` a Job of a CronJob has a `childName`",
    why: "Steve calls it `podName`, and what is of a workload `childName`.",
  },
  {
    what: "`metadata.associatedData` tells of 500 children of an object that the caller may read, the first ones by name",
    why: "Steve has no bound: a selector that finds all Pods of a large namespace would copy each of them into each item.",
  },
  {
    what: "Who may list nothing of a type gets an empty list without `revision` at once, also where they ask for a later `revision`",
    why: "They see nothing at any revision. Steve makes the type's cache for them, tells how far it is, and answers a later one with 400 `unknown revision`.",
  },
  {
    what: "Releases of Helm 2 (`OWNER=TILLER`) stay packed with `includeHelmData`",
    why: "Helm 2 has had no support since 2020. Steve reads their protobuf.",
  },
  {
    what: "A subscriber of resources who reads slowly is told nothing more until they have read, then goes on where they were, or gets `resource.error` with `resourceversion too old` and `resource.stop`; of counts and schemas it is `slow reader detected; items missed: too old` and `resource.stop`. Beyond 4 MiB that nobody reads the connection is cut",
    why: "With `too old` in it clients list and watch again. Steve's `slow reader detected; items missed: N` and `buffer was closed` say nothing to them, and it stops watches whose subscriber is busy for 10 ms.",
  },
  {
    what: "A websocket of /v1/subscribe goes on as long as its login and its rights do",
    why: "Rancher's end after some 30 minutes, because of the time limit of a proxy of its own.",
  },
  {
    what: "Answers of `/healthz`, `/readyz` and `/ping`, and the 503 of a server that is starting, have no `X-API-Cattle-Auth`",
    why: "They come before authentication, so that they are there whatever else is not. Rancher looks first who asks.",
  },
  {
    what: "`/k8s/clusters/local` is taken off a path before the websocket guard, not behind it",
    why: "The guard looks at headers alone, so that it refuses the same; all that is behind sees one path.",
  },
  {
    what: "A browser's write below /v1 or /v3 without a login, and without the proof that its CSRF cookie asks for, is 422 `InvalidCSRFToken`",
    why: "The proof is looked at once, before any route, those that need no login among them. Rancher asks for the login first, and says 401.",
  },
  {
    what: "A browser's write below /v3 without a CSRF cookie passes; logins below /v3-public are not asked for one",
    why: "As below /v1, and as Steve: the session's cookie is not sent from pages of others, and a login proves itself. Rancher's /v3 asks for what it has just set, which a browser's first write cannot have.",
  },
  {
    what: "`labelSelector`, `fieldSelector`, `limit` and `continue` of lists mean what they mean in Kubernetes",
    why: "Steve ignores them in lists, and whoever asks so gets everything.",
  },
  {
    what: "Any field of a type can be filtered, ordered and summed by",
    why: "Steve refuses with 422 those that it keeps no index of.",
  },
  {
    what: "Labels may be named without brackets though they have dots (`metadata.labels.app.kubernetes.io/name`); they are ordered as texts whatever is around them",
    why: "Steve takes the dots for a way into the object.",
  },
  {
    what: "`ip(...)` orders IPv6 behind IPv4, and what is no address first",
    why: "So that an order of mixed values is the same each time.",
  },
  {
    what: "`contains` finds members of arrays that hold a `|`",
    why: "Steve keeps arrays as one text with `|` between members.",
  },
  {
    what: "There are no HTML pages: browsers get JSON, and so does `_format=html`",
    why: "Steve's page loads a user interface from elsewhere.",
  },
  {
    what: "Fields that nobody describes (`x-kubernetes-int-or-string`) are `string` in schema definitions; there are no schemas `applyInput` and `applyOutput`",
    why: "Steve has an empty type there. The others are of an action that is not there yet.",
  },
  {
    what: "Whoever may do something with a resource of `management.cattle.io` may do it below `/apis` as well",
    why: "People apply these resources: RBAC says who may. Rancher asks there for `get` of cluster `local` too, for all but ten of them.",
  },
  {
    what: "Commands of a ClusterRegistrationToken have `{token}` in them as the object has; NavLinks are listed whether their service may be reached or not",
    why: "What the commands call is not there yet, and neither is the user interface that shows the links.",
  },
  {
    what: "Metrics have an address of their own (`--metrics-listen-addr`), not the one that serves `/v1`; there are no `k8s_proxy_*` and `steve_sqlcache_*`",
    why: "Lists call no API server and there is no database. What is sent to API servers is in `kopf_client_requests_total` and `rest_client_requests_total`.",
  },
  {
    what: "What cannot be decoded in a query (`%zz`) stays as it is, so that `filter=%zz` is refused with 422",
    why: "Go drops the parameter, and a typing error gets the whole type.",
  },
];
