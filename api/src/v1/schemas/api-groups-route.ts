import type { Client } from "kopf-ts";
import { parseJson } from "kopf-ts/kube";
import { type Collected, jsonOf, sendCollection, sendObject } from "../answers/answer.ts";
import { problem } from "../problem.ts";
import { nameIn, type Route } from "../route.ts";
import { at, listAt, textAt } from "../tree.ts";
import type { Types } from "../types/resource-type.ts";

/** A group as Kubernetes tells of it; the core group is called `core`. */
interface ApiGroup {
  readonly name: string;
  readonly versions: readonly unknown[];
  readonly preferredVersion: unknown;
}

const core: ApiGroup = {
  name: "core",
  versions: [{ groupVersion: "v1", version: "v1" }],
  preferredVersion: { groupVersion: "v1", version: "v1" },
};

/** Serves `/v1/apigroups` and `/v1/apigroups/{name}` (steve: pkg/resources/apigroups). Asks the API server once per revision of the types. */
export function apiGroupsRoute(types: Types, client: Client): Route {
  const groupsOf = keptPer(
    () => types.revision,
    () => askGroups(client),
  );
  return async (exchange, place) => {
    const name = nameIn(exchange, place);
    const groups = await groupsOf();
    if (name === undefined) {
      return sendCollection(exchange, collectionOf(groups, place.base));
    }
    const group = groups.find((each) => each.name === name);
    if (group === undefined) throw problem("NotFound", `no API group ${JSON.stringify(name)}`);
    await sendObject(exchange, `${JSON.stringify(itemOf(group, place.base))}\n`);
  };
}

/** What was asked for is kept until the key changes, or the question fails. */
function keptPer<T>(key: () => number, ask: () => Promise<T>): () => Promise<T> {
  let kept: { readonly key: number; readonly answer: Promise<T> } | undefined;
  return () => {
    if (kept?.key === key()) return kept.answer;
    const asked = { key: key(), answer: ask() };
    kept = asked;
    asked.answer.catch(() => {
      if (kept === asked) kept = undefined;
    });
    return asked.answer;
  };
}

async function askGroups(client: Client): Promise<readonly ApiGroup[]> {
  const { body } = await client.request({ method: "GET", path: "/apis" });
  const groups = listAt(parseJson(body.toString("utf8")), "groups").map((group) => ({
    name: textAt(group, "name"),
    versions: listAt(group, "versions"),
    preferredVersion: at(group, "preferredVersion"),
  }));
  return [core, ...groups];
}

function collectionOf(groups: readonly ApiGroup[], base: string): Collected {
  const links = { self: `${base}/v1/apigroups` };
  return {
    envelope: { type: "collection", links, actions: {}, resourceType: "apigroup" },
    items: jsonOf(groups.map((group) => itemOf(group, base))),
  };
}

function itemOf(group: ApiGroup, base: string): object {
  const links = { self: `${base}/v1/apigroups/${group.name}` };
  return { id: group.name, type: "apigroup", links, ...group };
}
