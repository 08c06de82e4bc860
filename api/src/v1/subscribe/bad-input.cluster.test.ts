import { request } from "node:http";
import { connect as connectTcp } from "node:net";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { eventually, seededRandom } from "kopf-ts/testing";
import { lists, subscribeBed, within } from "./bed.test.support.ts";
import { randomMessage } from "./random-message.test.support.ts";

const seed = Number(process.env.SUBSCRIBE_SEED ?? 1);
const cases = Number(process.env.SUBSCRIBE_CASES ?? 20_000);

describe("subscribe, on an API server", function () {
  this.timeout(90_000);

  const bed = subscribeBed();

  describe("bad input", () => {
    for (const [title, message, error] of [
      ["no JSON", "{", /^a message is a JSON object/],
      ["a list", "[1]", /^a message is a JSON object$/],
      ["a number for a text", '{"resourceType":5}', /^invalid resourceType/],
      ["half a character", '{"resourceType":"\\ud800"}', /^invalid resourceType/],
      ["an unknown mode", '{"resourceType":"pod","mode":"x"}', /^invalid mode/],
      ["a negative interval", '{"resourceType":"pod","debounceMs":-1}', /^invalid debounceMs/],
      [
        "a revision that is none",
        '{"resourceType":"pod","resourceVersion":"x"}',
        /^invalid resourceVersion/,
      ],
      ["a type that is none", '{"resourceType":"nothing"}', /^failed to find schema nothing$/],
      ["a selector that is none", '{"resourceType":"pod","selector":"a=("}', /^label selector/],
      [
        "a type that cannot be watched",
        '{"resourceType":"authorization.k8s.io.selfsubjectaccessreview"}',
        /^schema authorization.k8s.io.selfsubjectaccessreview does not support watching$/,
      ],
    ] as const) {
      it(`is answered, and the session goes on: ${title}`, async () => {
        const admin = await bed.server.subscriber();

        admin.send(message);

        expect((await admin.heard("resource.error")).data.error).to.match(error);
        if (message.startsWith('{"resourceType":"')) await admin.heard("resource.stop");
        await admin.watch(bed.configMaps());
        expect(admin.named("resource.error")).to.have.length(1);
      });
    }

    it("about a watch that goes on ends nothing", async () => {
      const admin = await bed.server.subscriber();
      await admin.watch(bed.configMaps());

      admin.send(bed.configMaps({ resourceVersion: "x" }));
      admin.send(bed.configMaps({ stop: "yes" }));
      await admin.until(() => admin.named("resource.error").length === 2, "two errors");
      await bed.make("one");
      await admin.heard("resource.create", "one");
      expect(admin.named("resource.stop")).to.deep.equal([]);
    });

    it("of a type that the caller may know nothing of is as one that is not there", async () => {
      const user = await bed.server.subscriber(await bed.somebody());

      user.send({ resourceType: "secret" });

      await user.heard("resource.stop");
      const { data } = await user.heard("resource.error");
      expect(data.error).to.equal("failed to find schema secret");
    });

    it("of a type that the caller may change and not list is refused, and the session goes on", async () => {
      const rules = ["update", "patch", "delete"].map((verb) => {
        return { apiGroups: [""], resources: ["secrets"], verbs: [verb] };
      });
      for (const rule of rules) {
        const user = await bed.server.subscriber(await bed.somebody([rule, lists]));

        user.send({ resourceType: "secrets" });

        await user.heard("resource.stop");
        expect(user.course).to.deep.equal(["error", "stop"]);
        const { data } = await user.heard("resource.error");
        expect(data.error).to.equal("PermissionDenied 403: can not list secret");
        await user.watch(bed.configMaps());
      }
    });

    it("of a type that the caller may only make begins, as lists of it are empty, and tells nothing", async () => {
      const rule = { apiGroups: [""], resources: ["secrets"], verbs: ["create"] };
      const user = await bed.server.subscriber(await bed.somebody([rule, lists]));

      user.send({ resourceType: "secrets" });
      await user.heard("resource.start");
      await user.watch(bed.configMaps());
      const metadata = { name: "hidden", namespace: bed.namespace };
      await bed.client.create({ apiVersion: "v1", kind: "Secret", metadata });
      await bed.make("shown");

      await user.heard("resource.create", "shown");
      const told = user.named("resource.create").map(({ resourceType }) => resourceType);
      expect(new Set(told)).to.deep.equal(new Set(["configmap"]));
    });

    it("in number is bounded", async () => {
      const admin = await bed.server.subscriber();
      for (let index = 0; index < 520; index++) admin.send(bed.configMaps({ id: `n${index}` }));

      await admin.until(() => admin.named("resource.error").length === 8, "eight errors");
      const { data } = await admin.heard("resource.error");
      expect(data.error).to.match(/^too many watches/);
    });

    it("in number is bounded for all sessions of a user together", async () => {
      const name = await bed.somebody();
      const sessions = await Promise.all(
        Array.from({ length: 17 }, () => bed.server.subscriber(name)),
      );
      for (const session of sessions) {
        for (let index = 0; index < 512; index++) session.send(bed.configMaps({ id: `n${index}` }));
      }

      const refused = (): number =>
        sessions.reduce((sum, session) => sum + session.named("resource.error").length, 0);
      await sessions[0]?.until(() => refused() === 512, "as many errors as are too many");
    });

    it("in length ends the connection", async () => {
      const admin = await bed.server.subscriber();

      admin.send(bed.configMaps({ selector: "x".repeat(20_000) }));

      await admin.until(() => admin.closed !== undefined, "the end");
      expect(admin.closed?.[0]).to.equal(1009);
    });

    it("in the handshake is refused", async () => {
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const sent = request({ port: bed.server.port, path: "/v1/subscribe" }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        sent.on("error", reject).end();
      });
      const refused = await bed.server.subscriber(undefined, {}, "?truncate=x").catch(String);

      expect(status).to.equal(400);
      expect(refused).to.contain("422");
    });

    for (const [method, query] of [
      ["POST", ""],
      ["HEAD", ""],
      ["GET", "?_method=DELETE"],
      ["POST", "?_method=GET"],
    ] as const) {
      it(`in the method is refused: ${method} ${query}`, async () => {
        const { port } = bed.server;
        const headers = { connection: "upgrade", upgrade: "websocket" };
        const path = `/v1/subscribe${query}`;

        const status = await new Promise((resolve, reject) => {
          const sent = request({ port, path, method, headers }, (response) => {
            response.resume();
            resolve(response.statusCode);
          });
          sent.on("error", reject).end();
        });

        expect(status).to.equal(403);
      });
    }

    it("in the headers of the handshake is named", async () => {
      const headers = { connection: "upgrade", upgrade: "websocket", "sec-websocket-key": "x" };
      const { port } = bed.server;

      const told = await new Promise<string>((resolve, reject) => {
        const sent = request({ port, path: "/v1/subscribe", headers }, (response) => {
          const { "set-cookie": cookies, "sec-websocket-version": version } = response.headers;
          const read = (body: string) =>
            resolve(`${response.statusCode} ${cookies} ${version} ${body}`);
          text(response).then(read, reject);
        });
        sent.on("error", reject).end();
      });

      expect(told).to.match(
        /^400 CSRF=1,other=2 13 \{"type":"error",.*Sec-WebSocket-Key.*"status":400\}\n$/,
      );
    });

    it(`of any kind harms nobody (${cases} random messages, seed ${seed})`, async () => {
      const random = seededRandom(seed);
      const admin = await bed.server.subscriber();
      for (let index = 0; index < cases; index++) {
        admin.send(randomMessage(random, bed.namespace));
        if (index % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      admin.send({ resourceType: "the end", mode: "of it" });

      await admin.until(
        () => admin.told.some(({ resourceType }) => resourceType === "the end"),
        "an answer to the last message",
      );
      const other = await bed.server.subscriber();
      await other.watch(bed.configMaps());
      await bed.make("one");
      await other.heard("resource.create", "one");
    });

    it("below messages ends connections, and harms no others", async () => {
      const random = seededRandom(seed);
      const key = Buffer.alloc(16).toString("base64");
      const head = `GET /v1/subscribe HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`;
      for (let index = 0; index < 200; index++) {
        const socket = connectTcp(bed.server.port, "127.0.0.1");
        socket.on("error", () => undefined).resume();
        socket.write(index % 10 === 0 ? head.replace("13", "x") : head);
        socket.end(Buffer.from(Array.from({ length: random.below(64) }, () => random.below(256))));
      }

      await eventually(() => bed.server.subscriptions.stats.sessions === 0, within);
      const admin = await bed.server.subscriber();
      await admin.watch(bed.configMaps());
    });
  });
});
