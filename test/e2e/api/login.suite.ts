/** How people and programs get in, and out again. */

import { expect } from "chai";
import { eventually } from "../drover.ts";
import { password, patience, type Site } from "./site.ts";

const credentials = { type: "localProvider", username: "admin", password };

/** How a browser calls itself. */
export const browser = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64)",
  accept: "application/json",
};

export function login(site: () => Site): void {
  describe("login", () => {
    it("lists the ways in, for nobody in particular", async () => {
      await using stranger = site().stranger();

      const answer = await stranger.read("/v1-public/authproviders");

      expect(answer.data).to.deep.equal([{ id: "local", type: "localProvider" }]);
    });

    it("gives programs a token, by the first password", async () => {
      await using stranger = site().stranger();

      const { status, text, headers } = await stranger.post("/v1-public/login", credentials);

      const told = JSON.parse(text);
      expect(status).to.equal(201);
      expect(told.token).to.match(/^token-[a-z0-9]+:[a-z0-9]{54}$/);
      expect(headers["set-cookie"]).to.equal(undefined);
      await using admin = site().bearer(told.token);
      expect((await admin.get("/v1/nodes")).status).to.equal(200);
      const basic = Buffer.from(told.token).toString("base64");
      expect(
        (await stranger.get("/v1/nodes", { authorization: `Basic ${basic}` })).status,
      ).to.equal(200);
    });

    it("tells no more of a wrong password than of a wrong name", async () => {
      await using stranger = site().stranger();

      const wrong = await stranger.post("/v1-public/login", { ...credentials, password: "guess" });
      const unknown = await stranger.post("/v1-public/login", {
        ...credentials,
        username: "nobody",
      });

      expect([wrong.status, unknown.status]).to.deep.equal([401, 401]);
      expect(wrong.text).to.equal(unknown.text);
    });

    it("asks strangers to log in, in the form of each place", async () => {
      await using stranger = site().stranger();

      const answers = await Promise.all(
        ["/v1/pods", "/v1/subscribe", "/v1/schemas", "/api/v1/pods"].map((path) =>
          stranger.get(path),
        ),
      );

      expect(answers.map(({ status }) => status)).to.deep.equal([401, 401, 401, 401]);
      expect(JSON.parse(answers[0]?.text ?? "")).to.include({ type: "error" });
      expect(JSON.parse(answers[3]?.text ?? "")).to.include({ kind: "Status", code: 401 });
    });

    it("gives browsers cookies, and takes writes only with the token of the form", async () => {
      await using tab = site().stranger(browser);
      await tab.get("/v1/management.cattle.io.settings");
      const { status, headers } = await tab.post("/v1-public/login", {
        ...credentials,
        responseType: "cookie",
      });
      expect(status).to.equal(200);
      expect(headers["set-cookie"]).to.match(/^R_SESS=.*HttpOnly.*Secure.*SameSite=Lax/);
      const csrf = tab.cookies.get("CSRF") ?? "";
      expect(csrf).to.match(/^[0-9a-f]{32}$/);
      const namespace = { kind: "Namespace", metadata: { name: "from-a-browser" } };

      const refused = await tab.post("/v1/namespaces", namespace);
      const made = await tab.post("/v1/namespaces", namespace, { "x-api-csrf": csrf });

      expect(refused.status).to.equal(422);
      expect(JSON.parse(refused.text)).to.include({ type: "error", code: "InvalidCSRFToken" });
      expect(made.status, made.text).to.equal(201);
    });

    it("ends a session by logout, and every websocket of it", async () => {
      await using tab = site().stranger(browser);
      await tab.post("/v1-public/login", { ...credentials, responseType: "cookie" });
      await tab.get("/v1/nodes");
      const session = tab.cookies.get("R_SESS") ?? "";
      using socket = await tab.subscribe();
      await socket.watch({ resourceType: "node" });

      const { status } = await tab.post(
        "/v1/logout",
        {},
        { "x-api-csrf": tab.cookies.get("CSRF") ?? "" },
      );

      expect(status).to.equal(200);
      expect(tab.cookies.has("R_SESS")).to.equal(false);
      await using thief = site().stranger({ cookie: `R_SESS=${session}` });
      expect((await thief.get("/v1/nodes")).status).to.equal(401);
      expect(await socket.closed).to.equal(1008);
    });

    it("ends a session whose token is deleted by anybody else", async () => {
      const token = await site().login("admin");
      await using admin = site().bearer(token);
      using socket = await admin.subscribe();
      await socket.watch({ resourceType: "node" });

      const [name = ""] = token.split(":");
      await site().direct.kubectl("delete", "tokens.management.cattle.io", name);

      await eventually(
        "end of the token",
        async () => ((await admin.get("/v1/nodes")).status === 401 ? true : undefined),
        patience,
      );
      expect(await socket.closed).to.equal(1008);
    });
  });
}
