/** How objects and lists of them are shown, and how they are written. */

import { row, type Tables, v1 } from "./row.ts";

const representation = `${v1}/lists/representation.cluster.test.ts`;
const answers = `${v1}/lists/answers.cluster.test.ts`;
const pages = `${v1}/lists/pages.cluster.test.ts`;
const items = `${v1}/items/items.cluster.test.ts`;
const pods = `${v1}/lists/states/built-in.test.support.ts`;
const joins = `${v1}/lists/joins.cluster.test.ts`;
const strangers = `${v1}/lists/strangers.cluster.test.ts`;
const writes = `${v1}/writes/writes.cluster.test.ts`;

/** Items, collections, writes. */
export const ofObjects: Tables = {
  Representation: [
    row("members and their order", representation, "begins with its own members"),
    row("renamed members", representation, "renames what an object has under its names"),
    row("link self", representation, 'verbs: ["list"], links: ["self"]'),
    row("link update", representation, 'links: ["self", "update"]'),
    row("link remove", representation, 'links: ["self", "remove"]'),
    row("link patch", representation, 'links: ["self", "patch"]'),
    row("link view", representation, "has links to itself, and a view below /api"),
    row("link view, of Rancher's", joins, "views objects of management.cattle.io/v3 below /v1"),
    row("links that are blocked", representation, "has links that are blocked"),
    row("metadata.fields", items, "have the cells of the API server's table"),
    row("cells of built-in kinds", `${v1}/printers/printers.cluster.test.ts`, "agree about"),
    row(
      "cells of CRDs",
      `${v1}/types/live-types.cluster.test.ts`,
      "follows a CRD that comes, changes its columns and goes",
    ),
    row("dates in cells", representation, "grows older without a change: "),
    row(
      "dates of CRDs, as they are",
      representation,
      "has the dates of custom resources as they are",
    ),
    row("duration of Jobs", representation, "has cells with ages, durations and restarts"),
    row("restarts of Pods", representation, "has cells with ages, durations and restarts"),
    row("metadata.state", items, "are the objects that the API server has, with what /v1 adds"),
    row("state of Pods: running", pods, '"that runs"'),
    row("state of Pods: crashLoopBackOff", pods, '"that crashes"'),
    row("state of Pods: completed", pods, '"that has ended"'),
    row(
      "state of Pods: terminating",
      `${v1}/lists/states/built-in.cluster.test.ts`,
      "pods are terminating while something keeps them",
    ),
    row("state of Pods: containerCreating", pods, '"that is made"'),
    row("state of Pods: oomKilled", pods, '"that was killed"'),
    row(
      "metadata.relationships",
      items,
      "know the state of what they have to do with, and who has to do with them",
    ),
    row(
      "state and relationships are those of now",
      items,
      "show that another object has changed though they have not",
    ),
    row(
      "flags of conditions",
      representation,
      "has flags on conditions, and the time of their last update",
    ),
    row("metadata.associatedData: Deployment", representation, '"apps.deployments", "web"'),
    row("metadata.associatedData: DaemonSet", representation, '"apps.daemonsets", "web"'),
    row("metadata.associatedData: ReplicaSet", representation, '"apps.replicasets", "web"'),
    row("metadata.associatedData: StatefulSet", representation, '"apps.statefulsets", "web"'),
    row("metadata.associatedData: Job", representation, '"batch.jobs", "runs"'),
    row("metadata.associatedData: CronJob", representation, '"batch.cronjobs", "cron"'),
    row(
      "metadata.associatedData, by rights",
      representation,
      '["one", "apps.replicasets", "web", "second"]',
    ),
    row("include", representation, '["include"'),
    row("exclude", representation, '["exclude"'),
    row("excludeValues", representation, '["excludeValues"'),
    row("their order", representation, '"their order"'),
    row("truncate", representation, '"truncate"'),
    row(
      "checkPermissions",
      representation,
      "tells what its reader may do in the namespace that it stands for, by checkPermissions",
    ),
    row("includeHelmData", representation, "leaves out releases of Helm, or reads them"),
    row(
      "includeHelmData: ConfigMaps",
      representation,
      "leaves out releases in ConfigMaps, or reads them",
    ),
    row("includeHelmData: OWNER=TILLER", representation, "leaves out releases of Tiller in "),
    row(
      "namespace that may not be got",
      representation,
      "tells little of a namespace that the reader may not get",
    ),
    row(
      "namespace that may not be got: its label and its annotations",
      strangers,
      "show a label and two annotations of all that they have",
    ),
    row("collection", answers, "have the members of a collection in Steve's order"),
    row("its links", answers, "name the list itself, without its query"),
    row("createTypes", representation, "names where to create for who may"),
    row("pagination", pages, "tell where the list goes on, as a number that is taken back"),
    row("count, and no pages", pages, "are numbered from 1, with the number of all"),
    row("JSON lines", answers, "come as lines"),
    row("YAML", answers, "come as YAML"),
  ],
  Writes: [
    row("GET", writes, "answers the object with the cells of the server's table"),
    row("POST", writes, "answers 201, with kind, apiVersion, namespace and a name"),
    row(
      "POST: options",
      writes,
      "makes nothing in a dry run, under the field manager that is told",
    ),
    row(
      "POST: no namespace",
      writes,
      "takes the namespace of the body, and answers 422 without any",
    ),
    row("PUT", writes, "replaces the object, without what /v1 had added"),
    row("PUT: an old state is 409", writes, "answers 409 to a state that is not the last one"),
    row("PATCH: the content type", writes, "a patch without a content type"),
    row(
      "PATCH: force",
      writes,
      "answers 409 to an apply that would take a field of others, 200 with force",
    ),
    row("DELETE: 204", writes, "answers 204 when the object is gone"),
    row("DELETE: 200", writes, "answers 200 with an object that a finalizer keeps"),
    row("DELETE: options", writes, "honours the propagation policy"),
    row("limit of bodies", writes, '"too much"'),
  ],
};
