import type { ServerResponse } from "node:http";
import { expect } from "chai";
import { type Clock, type Fields, type Logger, silentLogger, systemClock } from "../base/index.ts";
import { type Client, connect } from "../kube/index.ts";
import {
  endOfList,
  eventLine,
  fakeClock,
  type ScriptedServer,
  type ServerScript,
  startScriptedServer,
} from "../testing/index.ts";
import { ConfigMaps, eventually, quick, RecordingSink } from "./testing/harness.ts";
import { defaultTiming } from "./timing.ts";
import { Watch, type WatchOptions } from "./watch.ts";

/** A watch of a server that does what a script says. */
class Hostile implements AsyncDisposable {
  readonly sink = new RecordingSink();
  readonly logs: (readonly [string, Fields | undefined])[] = [];
  readonly server: ScriptedServer;
  readonly client: Client;
  readonly #stop = new AbortController();
  done: Promise<string> = Promise.resolve("");

  constructor(server: ScriptedServer) {
    this.server = server;
    this.client = connect(server.config);
  }

  watch(options: WatchOptions = {}): void {
    const warn = (message: string, fields?: Fields): void => void this.logs.push([message, fields]);
    const logger: Logger = { ...silentLogger, warn, child: () => logger };
    const timing = { ...quick, ...options.timing };
    const watch = new Watch(this.client, ConfigMaps, this.sink, { logger, ...options, timing });
    this.done = watch.start(this.#stop.signal).then(
      () => "resolved",
      (thrown) => `rejected with ${thrown}`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.done;
    await this.client[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
  }
}

async function hostile(script: ServerScript): Promise<Hostile> {
  return new Hostile(await startScriptedServer(script));
}

const object = (name: unknown, resourceVersion: string, more: object = {}): object => ({
  metadata: { name, namespace: "default", resourceVersion },
  ...more,
});
const added = (name: unknown, resourceVersion: string): string =>
  eventLine("ADDED", object(name, resourceVersion));

/** A list. */
const listOf = (resourceVersion: string, ...names: readonly string[]): string => {
  const items = names.map((name) => object(name, resourceVersion));
  return JSON.stringify({ metadata: { resourceVersion }, items });
};

/** Goes on until the client has had enough. */
function trickle(response: ServerResponse, head: string, more: string): void {
  response.write(head);
  const timer = setInterval(() => response.write(more), 20);
  response.on("close", () => clearInterval(timer));
}

/** An object that the API server accepts: as deep as it lets them be, with a key that Go escapes. */
const deep = `{"a\\u0026b":1,"metadata":{"name":"deep","namespace":"default","resourceVersion":"11"},"spec":${"[".repeat(3_000)}${"]".repeat(3_000)}}`;

describe("Watch of objects that users made to harm it", () => {
  it("goes on after a deep object with an escaped key, in a streamed list and in a change", async () => {
    await using test = await hostile((response, { form }) => {
      if (form !== "watchList") return response.flushHeaders();
      response.write(`{"type":"ADDED","object":${deep}}\n${added("a", "10")}${endOfList("12")}`);
      return response.write(`{"type":"MODIFIED","object":${deep}}\n${added("b", "14")}`);
    });

    test.watch();
    await eventually(() => test.sink.objects.has("default/b"));

    expect([...test.sink.objects.keys()].sort()).to.deep.equal(
      ["a", "b", "deep"].map((name) => `default/${name}`),
    );
    expect(test.sink.phase).to.equal("live");
    expect(test.server.requests).to.have.length(1);
  });

  it("goes on after a deep object with an escaped key in a page", async () => {
    await using test = await hostile((response, { form }) => {
      if (form === "watchList") return response.writeHead(422).end();
      if (form === "watch") return response.flushHeaders();
      const items = [deep, JSON.stringify(object("a", "10"))];
      return response.end(`{"metadata":{"resourceVersion":"12"},"items":[${items}]}`);
    });

    test.watch();
    await eventually(() => test.sink.phase === "live");

    expect([...test.sink.objects.keys()].sort()).to.deep.equal(["default/a", "default/deep"]);
  });

  it("leaves out, counts and names an object that it cannot read, and nothing else", async () => {
    const failed: string[] = [];
    const ignore = (): void => undefined;
    const metrics = { listed: ignore, opened: ignore, received: ignore, event: ignore };
    const unreadable = { metadata: { name: "odd", uid: 5 }, data: { password: "hunter2" } };
    await using test = await hostile((response, { form }) => {
      if (form !== "watchList") return response.flushHeaders();
      response.write(eventLine("ADDED", unreadable) + added("a", "10") + endOfList("12"));
      return response.write(eventLine("MODIFIED", unreadable) + added(7, "13") + added("b", "14"));
    });

    test.watch({ metrics: { ...metrics, failed: (reason) => void failed.push(reason) } });
    await eventually(() => test.sink.objects.has("default/b"));

    expect([...test.sink.objects.keys()]).to.deep.equal(["default/a", "default/b"]);
    expect(failed).to.deep.equal(["Unreadable", "Unreadable", "Unreadable"]);
    expect(test.logs.map(([, fields]) => fields?.name)).to.deep.equal(["odd", "odd", ""]);
    expect(JSON.stringify(test.logs)).to.not.contain("hunter2");
    expect(test.server.requests).to.have.length(1);
  });

  it("goes on after a change whose resourceVersion is no text", async () => {
    await using test = await hostile((response, { form }) => {
      if (form !== "watchList") return response.flushHeaders();
      const broken = '{"metadata":{"name":"broken","resourceVersion":"\\x"}}';
      response.write(`${endOfList("12")}{"type":"ADDED","object":${broken}}\n${added("b", "14")}`);
    });
    const names: string[] = [];
    test.sink.change = (_, each) => names.push(each.name);

    test.watch();
    await eventually(() => names.includes("b"));

    expect(names).to.deep.equal(["broken", "b"]);
    expect(test.server.requests).to.have.length(1);
  });
});

describe("Watch of a server that is no good", () => {
  for (const { what, status } of [
    { what: "causes of the wrong type", status: { details: { causes: {} } } },
    { what: "causes of null", status: { details: { causes: [null] } } },
    { what: "details of null", status: { details: null } },
    { what: "a reason that is a number", status: { reason: 5, message: {}, code: "x" } },
  ]) {
    it(`survives ${what}`, async () => {
      const error = eventLine("ERROR", { kind: "Status", code: 500, ...status });
      await using test = await hostile((response, { form }) => {
        response.end(form === "watchList" ? endOfList("5") + error : error);
      });

      test.watch();
      await eventually(() => test.server.requests.length > 3);

      expect(test.sink.reasons).to.include("InternalError");
    });
  }

  for (const { what, answer } of [
    { what: "less than nothing", answer: { retryAfterSeconds: -1 } },
    { what: "a text", answer: { retryAfterSeconds: "x" } },
  ]) {
    it(`backs off from a server that asks to wait for ${what}`, async () => {
      const { waits, clock } = aClock();
      const error = eventLine("ERROR", { kind: "Status", code: 500, details: answer });
      await using test = await hostile((response) => void response.end(error));

      // All other times of a watch are longer.
      const timing = { backoffMin: 20, backoffMax: 100, shortWatch: 1_000 };
      test.watch({ clock, timing });
      await eventually(() => test.server.requests.length > 4);

      expect(waits.filter((each) => each <= 100).length).to.be.at.least(4);
      expect(Math.min(...waits)).to.be.at.least(20);
    });
  }

  for (const { asked, least, most } of [
    { asked: 864_000, least: 300_000, most: 300_000 },
    { asked: 0, least: 1_000, most: 2_000 },
    { asked: 60, least: 60_000, most: 60_000 },
  ]) {
    it(`waits between its back-off and 5 minutes when it is asked for ${asked} s`, async () => {
      const { waits, clock } = aClock();
      const status = { kind: "Status", code: 503, details: { retryAfterSeconds: asked } };
      await using test = await hostile((response) => void response.end(eventLine("ERROR", status)));

      const timing = { backoffMin: 1_000, backoffMax: 30_000, answer: 900, listSilence: 900 };
      test.watch({ clock, timing });
      const wait = await eventually(() => waits.find((each) => each >= 1_000));

      expect(wait).to.be.within(least, most);
    });
  }

  it("backs off from watches that tell the same event and end, and says so", async () => {
    const clock = fakeClock();
    await using test = await hostile((response, { form, index }) => {
      if (form === "list") response.end(listOf("5", ...["a"].slice(0, index)));
      else response.end(form === "watchList" ? endOfList("5") : added("a", "5"));
    });
    const timing = { ...defaultTiming, shortWatch: 1_000, backoffMin: 1_000 };

    test.watch({ clock, timing });
    for (const requests of [3, 5, 7]) {
      // Nothing but the back-off waits.
      await eventually(() => test.server.requests.length === requests && clock.pending === 1);
      await clock.advance(30_000);
    }

    expect(test.sink.reasons).to.deep.equal(["ShortWatch"]);
    expect(test.sink.phase).to.equal("degraded");
  });

  it("goes on at once after a watch that brought something new, however short", async () => {
    const clock = fakeClock();
    await using test = await hostile((response, { form, index }) => {
      if (form === "watchList") response.end(endOfList("5"));
      else if (form === "list") response.end(listOf(String(5 + index), ...["a"].slice(0, index)));
      else if (index < 20) response.end(added("a", String(6 + index)));
      else response.flushHeaders();
    });

    test.watch({ clock, timing: defaultTiming });
    await eventually(() => test.server.requests.length === 43);

    expect(test.sink.reasons).to.deep.equal([]);
    expect(clock.monotonic()).to.equal(fakeClock().monotonic());
  });

  for (const { code, asked } of [
    ...[400, 404, 406, 410].map((code) => ({ code, asked: 1 })),
    { code: 403, asked: 2 },
    ...[500, 501].map((code) => ({ code, asked: undefined })), // twice, each with the client's retries
  ]) {
    it(`lists anew where whether a server has what it told is answered with ${code}`, async () => {
      await using test = await hostile((response, { form, index }) => {
        if (form === "list") response.writeHead(code).end();
        else if (index === 0) response.end(added("a", "5") + endOfList("9"));
        else response.write(added("a", "5") + endOfList("9"));
      });

      test.watch();
      await eventually(() => test.sink.lists === 2);
      await eventually(() => test.sink.phase === "live");

      const between = test.server.requests.slice(1, -1).map(({ form }) => form);
      expect(new Set(between)).to.deep.equal(new Set(["list"]));
      if (asked !== undefined) expect(between).to.have.length(asked);
      expect(test.server.requests.at(-1)?.form).to.equal("watchList");
    });
  }

  it("waits longer each time for a server whose lists are older than its watches", async () => {
    const clock = fakeClock();
    await using test = await hostile((response, { form }) => {
      if (form === "list") response.end(listOf("1"));
      else response.end(added("a", "5") + endOfList("9"));
    });

    test.watch({ clock, timing: defaultTiming });
    await eventually(
      async () => {
        await clock.advance(100);
        return test.sink.lists === 7;
      },
      { within: 20_000 },
    );

    expect(test.sink.reasons[0]).to.equal("Restored");
    // Six waits of at least 0.8, 0.8 (nobody was known to have lost anything before), 1.6, ... seconds.
    expect(clock.monotonic() - fakeClock().monotonic()).to.be.greaterThan(20_000);
  });

  for (const { what, list, asked } of [
    { what: "that has no past", list: listOf("12"), asked: 2 }, // as it is now, and as it was
    { what: "that knows no field selectors", list: listOf("9", "another"), asked: 1 },
    {
      what: "that selects after it has counted",
      list: '{"metadata":{"resourceVersion":"9","continue":"more"},"items":[]}',
      asked: 1,
    },
  ]) {
    it(`lists anew where a server ${what} cannot say whether it has what it told last`, async () => {
      await using test = await hostile((response, { form, index }) => {
        if (form === "watch") response.flushHeaders();
        else if (form === "list") response.end(list);
        else if (index === 0) response.end(added("a", "5") + endOfList("9"));
        else response.write(added("a", "5") + endOfList("9"));
      });

      test.watch();
      await eventually(() => test.sink.lists === 2);
      await eventually(() => test.sink.phase === "live");

      expect(test.sink.reasons).to.deep.equal([]);
      expect(test.server.requests.map(({ form }) => form)).to.deep.equal([
        ...["watchList", ...Array(asked).fill("list"), "watchList"],
      ]);
    });
  }

  it("asks again where the answer about what was told last has no end", async () => {
    const head = '{"metadata":{"resourceVersion":"9"},"items":[';
    await using test = await hostile((response, { form, index }) => {
      if (form === "watch") response.flushHeaders();
      else if (form !== "list") response.end(added("a", "5") + endOfList("9"));
      else if (index > 0) response.end(`${head}${JSON.stringify(object("a", "5"))}]}`);
      else trickle(response, head, `${JSON.stringify(object("b", "5"))},`);
    });

    test.watch({ timing: { answer: 200 } });
    await eventually(() => test.server.requests.at(-1)?.form === "watch");

    expect(test.server.requests.map(({ form }) => form)).to.deep.equal([
      ...["watchList", "list", "list", "watch"],
    ]);
    expect(test.sink.lists).to.equal(1);
  });

  it("ends when its client was disposed, and says so", async () => {
    const clock = fakeClock();
    await using test = await hostile((response) => {
      response.write(endOfList("5"));
    });
    test.watch({ clock });
    await eventually(() => test.sink.phase === "live");

    await test.client[Symbol.asyncDispose]();

    expect(await test.done).to.equal("resolved");
    expect(test.sink.states.at(-1)).to.include({ phase: "degraded", reason: "Closed" });
    expect(clock.pending).to.equal(0);
  });

  for (const { form, code, from } of [
    { form: "watchList", code: 200, from: "40" },
    { form: "list", code: 422, from: "40" },
  ]) {
    it(`asks for a ${form} that is no older than what its consumer has seen`, async () => {
      await using test = await hostile((response, request) => {
        response.writeHead(request.form === "watchList" ? code : 200);
        if (request.form === "list") response.end('{"metadata":{"resourceVersion":"50"}}');
        else if (code === 200) response.write(endOfList("50"));
        else response.end();
      });

      test.watch({ startFrom: from });
      await eventually(() => test.sink.phase === "live");

      const asked = test.server.requests.find((each) => each.form === form);
      expect(asked?.query.get("resourceVersion")).to.equal(from);
    });
  }

  it("takes what a server has whose state was lost, whatever its consumer has seen", async () => {
    const details = { causes: [{ reason: "ResourceVersionTooLarge" }] };
    await using test = await hostile((response, { query }) => {
      if ((query.get("resourceVersion") ?? "") === "") response.write(endOfList("7"));
      else response.end(eventLine("ERROR", { kind: "Status", code: 504, details }));
    });

    test.watch({ startFrom: "40" });
    await eventually(() => test.sink.phase === "live");

    expect(test.sink.resourceVersion).to.equal("7");
  });
});

/** The system's clock, and how long somebody wanted to wait. */
function aClock(): { readonly waits: readonly number[]; readonly clock: Clock } {
  const waits: number[] = [];
  const after: Clock["after"] = (delay, callback) => {
    waits.push(delay);
    return systemClock.after(delay, callback);
  };
  return { waits, clock: { ...systemClock, after } };
}
