import { Preference } from "@drover/crds";
import type { Client } from "kopf-ts";
import { parseJson, readBody, usualLimit } from "../../body.ts";
import { impersonationOf } from "../../caller.ts";
import type { Exchange } from "../../stage.ts";
import { jsonOf, sendCollection, sendObject } from "../answers/answer.ts";
import { problem } from "../problem.ts";
import { methodIn, nameOf, type Place, type Route, unsupported } from "../route.ts";
import { mapAt } from "../tree.ts";
import { makeNamespace, type Owner, readValues, type Values, writeValues } from "./kept.ts";

/** What a namespace may be called (RFC 1123); some users are called otherwise. */
const namespaceShape = /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/;
/** More than any user interface keeps. */
const most = 500;

/** Serves `/v1/userpreferences` and, as the one item in it, the caller's own under their user name. `client` acts as the server. */
export function userPreferencesRoute(client: Client): Route {
  return async (exchange, place) => {
    const { username } = exchange.login.caller;
    const method = methodIn(exchange);
    const name = nameOf(place);
    if (name !== undefined && name !== username) throw problem("NotFound", "no such preferences");
    if (method === "GET") return tell(client, exchange, place, name);
    if (name === undefined || (method !== "PUT" && method !== "DELETE")) throw unsupported(method);
    const values = method === "PUT" ? await valuesIn(exchange) : {};
    await writeValues(ownerOf(client, exchange, place), values, () =>
      prepare(client, username, place),
    );
    if (method === "PUT") await sendObject(exchange, textOf(itemOf(username, values, place.base)));
    else exchange.response.writeHead(204).end();
  };
}

async function tell(
  client: Client,
  exchange: Exchange,
  place: Place,
  name: string | undefined,
): Promise<void> {
  const { username } = exchange.login.caller;
  const values = namespaceShape.test(username)
    ? await readValues(ownerOf(client, exchange, place))
    : {};
  const item = itemOf(username, values, place.base);
  const links = { self: `${place.base}/v1/userpreferences` };
  const envelope = { type: "collection", links, actions: {}, resourceType: "userpreference" };
  if (name !== undefined) return sendObject(exchange, textOf(item));
  await sendCollection(exchange, { envelope, items: jsonOf([item]) });
}

/** The user's rights count, in the namespace that is their own. */
function ownerOf(client: Client, exchange: Exchange, { signal }: Place): Owner {
  const { caller } = exchange.login;
  const { username } = caller;
  if (!namespaceShape.test(username)) {
    throw problem("PermissionDenied", "nothing can be kept for a user of this name");
  }
  return { asUser: client.as(impersonationOf(caller)), namespace: username, signal };
}

/** Only for those who may keep something in it. */
async function prepare(client: Client, namespace: string, { access }: Place): Promise<void> {
  if (!access.may("create", Preference, namespace)) {
    throw problem("PermissionDenied", "can not create userpreference");
  }
  await makeNamespace(client, namespace);
}

async function valuesIn(exchange: Exchange): Promise<Values> {
  const body = parseJson(await readBody(exchange, usualLimit));
  const entries = Object.entries(mapAt(body, "data") ?? {});
  const isWrong = mapAt(body, "data") === undefined || entries.length > most;
  if (isWrong)
    throw problem("InvalidBodyContent", `data must be a map of at most ${most} texts`, "data");
  return Object.fromEntries(entries.map(([name, value]) => [name, textIn(name, value)]));
}

function textIn(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw problem(
    "InvalidBodyContent",
    `${JSON.stringify(name.slice(0, 64))} must be a text`,
    "data",
  );
}

function itemOf(id: string, data: Values, base: string): object {
  const self = `${base}/v1/userpreferences/${encodeURIComponent(id)}`;
  return { id, type: "userpreference", links: { remove: self, self, update: self }, data };
}

function textOf(answer: object): string {
  return `${JSON.stringify(answer)}\n`;
}
