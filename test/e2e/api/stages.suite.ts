/** The order of stages, where a request could be answered by two of them. */

import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { text as textOf } from "node:stream/consumers";
import { expect } from "chai";
import { browser } from "./login.suite.ts";
import type { Site } from "./site.ts";

/** A request of somebody nobody knows, and what tells which stage has answered. */
interface Row {
  readonly title: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly status: number;
  /** In the answer. */
  readonly text?: string;
  readonly told?: Readonly<Record<string, string>>;
}

const upgrade = {
  ...{ connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13" },
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};
const hardened = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-cache, no-store, must-revalidate",
};

const rows: readonly Row[] = [
  { title: "headers", path: "/v1/pods", status: 401, told: hardened },
  {
    title: "ping",
    path: "/ping",
    headers: { authorization: "Bearer a:b" },
    status: 200,
    text: "pong",
  },
  { title: "who asked", path: "/v1/pods", status: 401, told: { "x-api-cattle-auth": "false" } },
  {
    ...{ title: "origin", path: "/v1/subscribe" },
    headers: { ...browser, ...upgrade, origin: "https://elsewhere.example.com" },
    ...{ status: 403, text: "origin not allowed" },
  },
  {
    ...{ title: "csrf", method: "POST", path: "/v1/namespaces", body: {} },
    headers: { ...browser, cookie: "CSRF=0123456789abcdef0123456789abcdef" },
    ...{ status: 422, text: "InvalidCSRFToken" },
  },
  { title: "public", path: "/v1/management.cattle.io.settings", status: 200, text: "collection" },
  { title: "kubernetes", path: "/api/v1/pods", status: 401, text: '"kind":"Status"' },
  { title: "login", path: "/v1/no.such.type", status: 401, text: '"type":"error"' },
];

export function stages(site: () => Site): void {
  describe("the order of stages", () => {
    for (const row of rows) {
      it(`shows in what ${row.method ?? "GET"} ${row.path} is answered: ${row.title}`, async () => {
        const answer = await ask(site(), row);
        const body = await textOf(answer);

        expect(answer.statusCode, body).to.equal(row.status);
        expect(body).to.contain(row.text ?? "");
        expect(answer.headers).to.include(row.told ?? {});
      });
    }
  });
}

/** Sends a request as it is written: clients refuse some of these headers. */
async function ask(
  { base, ca }: Site,
  { method = "GET", path, headers = {}, body }: Row,
): Promise<IncomingMessage> {
  const sent = request(new URL(path, base), { method, ca, headers, agent: false });
  sent.end(body && JSON.stringify(body));
  const [answer] = await once(sent, "response");
  return answer;
}
