import { expect } from "chai";
import { type Client, connect } from "../../kube/index.ts";
import {
  endOfList,
  eventLine,
  eventually,
  type FakeClock,
  fakeClock,
  type ScriptedServer,
  startScriptedServer,
} from "../../testing/index.ts";
import { aWidget, Widget } from "../fixtures.ts";
import type { InformerOptions, InformerShare } from "./informer.ts";
import { Informers } from "./informers.ts";

const gather = 50;

/** Informers with a clock of their own, of a server that tells what a test says. */
class World implements AsyncDisposable {
  readonly clock: FakeClock = fakeClock();
  readonly server: ScriptedServer;
  readonly client: Client;
  readonly informers: Informers;
  readonly #write: Promise<(text: string) => void>;
  #revision = 10;

  private constructor(server: ScriptedServer, write: Promise<(text: string) => void>) {
    this.server = server;
    this.#write = write;
    this.client = connect(server.config);
    this.informers = new Informers(this.client, { audit: false, clock: this.clock });
  }

  static async start(): Promise<World> {
    const written = Promise.withResolvers<(text: string) => void>();
    const server = await startScriptedServer((response, { form }) => {
      if (form !== "watchList") return void response.end("{}");
      response.writeHead(200, { "Content-Type": "application/json" });
      response.write(endOfList("10"));
      written.resolve((text) => void response.write(text));
    });
    return new World(server, written.promise);
  }

  async acquire(options: InformerOptions): Promise<InformerShare<Widget>> {
    const share = this.informers.acquire(Widget, options);
    await share.whenSynced();
    return share;
  }

  /** The server tells of an object; resolves to its key. */
  async tell(): Promise<string> {
    const resourceVersion = String(++this.#revision);
    const name = `w-${resourceVersion}`;
    (await this.#write)(eventLine("ADDED", aWidget({ name, resourceVersion })));
    return `default/${name}`;
  }

  /** Tells of objects until one holds up what follows it; one that comes while others are read does not. */
  async gathers({ cache }: InformerShare<Widget>): Promise<void> {
    const before = this.clock.pending;
    do {
      const key = await this.tell();
      await eventually(() => cache.has(key));
    } while (this.clock.pending <= before);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.informers.dispose();
    await this.client[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
  }
}

/** Long enough for what a server has sent on this machine to be read. */
const roundTrips = async (client: Client): Promise<void> => {
  for (let count = 0; count < 5; count++) {
    await client.request({ method: "GET", path: "/version" });
  }
};

describe("informers whose changes gather", () => {
  it("hold back what follows a change, until the time is over", async () => {
    await using test = await World.start();
    const share = await test.acquire({ gather });
    await test.gathers(share);
    const keys = [await test.tell(), await test.tell()];
    await roundTrips(test.client);
    expect(keys.map((key) => share.cache.has(key))).to.deep.equal([false, false]);

    await test.clock.advance(gather);

    await eventually(() => keys.every((key) => share.cache.has(key)));
  });

  it("tell at once where some user wants no gathering, and hold back when they have gone", async () => {
    await using test = await World.start();
    const share = await test.acquire({ gather });
    const prompt = await test.acquire({ keep: "columns" });
    for (let count = 0; count < 3; count++) {
      const key = await test.tell();
      await eventually(() => share.cache.has(key));
    }

    prompt.release();
    await test.gathers(share);
    const key = await test.tell();
    await roundTrips(test.client);

    expect(share.cache.has(key)).to.equal(false);
  });

  it("tell at once what has gathered when somebody comes who follows, and while they do", async () => {
    await using test = await World.start();
    const share = await test.acquire({ gather });
    await test.gathers(share);
    const gathered = await test.tell();
    const following = test.informers.follow();
    await eventually(() => share.cache.has(gathered));
    for (let count = 0; count < 3; count++) {
      const key = await test.tell();
      await eventually(() => share.cache.has(key));
    }

    following[Symbol.dispose]();
    await test.gathers(share);
    const key = await test.tell();
    await roundTrips(test.client);

    expect(share.cache.has(key)).to.equal(false);
  });

  it("hold back nothing for which somebody waits", async () => {
    await using test = await World.start();
    const share = await test.acquire({ gather });
    await test.gathers(share);
    await test.tell();
    const last = await test.tell();

    const reached = await share.cache.waitFor(last.replace("default/w-", ""));

    expect(reached).to.equal(true);
    expect(share.cache.has(last)).to.equal(true);
  });

  it("leave no timer behind", async () => {
    const test = await World.start();
    const share = await test.acquire({ gather });
    await test.gathers(share);
    share.release();
    await test[Symbol.asyncDispose]();

    expect(test.clock.pending).to.equal(0);
  });
});
