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
  readonly #written: WrittenBy;
  readonly #namespaces = new Map<InformerShare<Widget>, string>();
  #revision = 10;

  private constructor(server: ScriptedServer, written: WrittenBy) {
    this.server = server;
    this.#written = written;
    this.client = connect(server.config);
    this.informers = new Informers(this.client, { audit: false, clock: this.clock });
  }

  static async start(): Promise<World> {
    const written: WrittenBy = new Map();
    const server = await startScriptedServer((response, { form, path }) => {
      if (form !== "watchList") return void response.end("{}");
      response.writeHead(200, { "Content-Type": "application/json" });
      response.write(endOfList("10"));
      written.set(namespaceIn(path), (text) => void response.write(text));
    });
    return new World(server, written);
  }

  async acquire(options: InformerOptions): Promise<InformerShare<Widget>> {
    const share = this.informers.acquire(Widget, options);
    this.#namespaces.set(share, options.namespace ?? "");
    await share.whenSynced();
    return share;
  }

  /** The server tells a watch of an object; returns its key. */
  tell(share: InformerShare<Widget>): string {
    const resourceVersion = String(++this.#revision);
    const name = `w-${resourceVersion}`;
    const write = this.#written.get(this.#namespaces.get(share) ?? "");
    write?.(eventLine("ADDED", aWidget({ name, resourceVersion })));
    return `default/${name}`;
  }

  /** The server tells of an object, and it is there at once. */
  async comes(share: InformerShare<Widget>): Promise<void> {
    const key = this.tell(share);
    await eventually(() => share.cache.has(key));
  }

  /**
   * Tells of objects until one holds up what follows it; one that comes while others are read does not. Resolves to the key of one more, that has not come though
   * there was time.
   */
  async gathers(share: InformerShare<Widget>): Promise<string> {
    const before = this.clock.pending;
    do await this.comes(share);
    while (this.clock.pending <= before);
    const key = this.tell(share);
    await this.#roundTrips();
    expect(share.cache.has(key)).to.equal(false);
    return key;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.informers.dispose();
    await this.client[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
  }

  /** Long enough for what the server has sent to be read. */
  async #roundTrips(): Promise<void> {
    for (let count = 0; count < 5; count++) {
      await this.client.request({ method: "GET", path: "/version" });
    }
  }
}

/** What writes to the watch of a namespace; of all of them under "". */
type WrittenBy = Map<string, (text: string) => void>;

function namespaceIn(path: string): string {
  return /\/namespaces\/([^/]+)\//.exec(path)?.[1] ?? "";
}

describe("informers whose changes gather", () => {
  it("hold back what follows a change, until the time is over", async () => {
    await using test = await World.start();
    const share = await test.acquire({ gather });
    const gathered = await test.gathers(share);
    const last = test.tell(share);

    await test.clock.advance(gather);

    await eventually(() => [gathered, last].every((key) => share.cache.has(key)));
  });

  it("tell at once where some user wants no gathering, and hold back when they have gone", async () => {
    await using test = await World.start();
    const share = await test.acquire({ gather });
    const prompt = await test.acquire({ keep: "columns" });
    for (let count = 0; count < 3; count++) await test.comes(share);

    prompt.release();

    await test.gathers(share);
  });

  it("tell at once what has gathered when somebody comes who follows, and while they do", async () => {
    await using test = await World.start();
    const share = await test.acquire({ gather });
    const gathered = await test.gathers(share);
    const following = test.informers.follow();
    await eventually(() => share.cache.has(gathered));
    for (let count = 0; count < 3; count++) await test.comes(share);

    following[Symbol.dispose]();

    await test.gathers(share);
  });

  it("tell at once what each of them has gathered when somebody follows", async () => {
    await using test = await World.start();
    const shares = [
      await test.acquire({ gather }),
      await test.acquire({ gather, namespace: "default" }),
    ];
    const gathered: string[] = [];
    for (const share of shares) gathered.push(await test.gathers(share));

    using _following = test.informers.follow();

    await eventually(() => shares.every(({ cache }, at) => cache.has(gathered[at] ?? "")));
  });

  it("hold back nothing for which somebody waits", async () => {
    await using test = await World.start();
    const share = await test.acquire({ gather });
    await test.gathers(share);
    const last = test.tell(share);

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
