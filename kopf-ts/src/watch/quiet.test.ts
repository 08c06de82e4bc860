import { expect } from "chai";
import { connect } from "../kube/index.ts";
import type { WatchMetrics } from "../observe/index.ts";
import {
  endOfList,
  eventLine,
  type FakeClock,
  fakeClock,
  type ScriptedServer,
  type ServerScript,
  startScriptedServer,
} from "../testing/index.ts";
import { ConfigMaps, eventually, RecordingSink } from "./testing/harness.ts";
import { defaultTiming } from "./timing.ts";
import { Watch } from "./watch.ts";

const bookmark = eventLine("BOOKMARK", { metadata: { resourceVersion: "7" } });
/** Those of production, without chance. */
const timing = { ...defaultTiming, serverTimeoutMax: defaultTiming.serverTimeoutMin } as const;
const { serverTimeoutMin: serverTimeout, stallMargin, stallWithBookmarks } = timing;
const longestBackoff = timing.backoffMin * 2;
/** No event, but the answer to a watch has come when it has been read. */
const nothing = "\n";
/** The answer of a server that still has all that it told. */
const empty = '{"metadata":{"resourceVersion":"7"},"items":[]}';

/** A watch of a server where nothing happens but what a script says. */
class Quiet implements AsyncDisposable {
  readonly clock: FakeClock = fakeClock();
  readonly sink = new RecordingSink();
  readonly failed: string[] = [];
  readonly #server: ScriptedServer;
  readonly #client: ReturnType<typeof connect>;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #answers = 0;

  constructor(server: ScriptedServer) {
    this.#server = server;
    this.#client = connect(server.config);
    const ignore = (): void => undefined;
    const metrics: WatchMetrics = {
      ...{ listed: ignore, opened: ignore, event: ignore },
      received: () => void this.#answers++,
      failed: (reason) => void this.failed.push(reason),
    };
    const { clock, sink } = this;
    const watch = new Watch(this.#client, ConfigMaps, sink, { clock, metrics, timing });
    this.#done = watch.start(this.#stop.signal);
  }

  /** Until so many requests have been answered, and no others were made. */
  async answered(count: number): Promise<void> {
    await eventually(() => this.#answers >= count);
    expect(this.#server.requests).to.have.length(count);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#done;
    await this.#client[Symbol.asyncDispose]();
    await this.#server[Symbol.asyncDispose]();
  }
}

async function quiet(script: ServerScript): Promise<Quiet> {
  return new Quiet(await startScriptedServer(script));
}

describe("Watch of a kind in which nothing changes", () => {
  it("looks once whether the connection is dead, and then leaves it alone; neither is a failure", async () => {
    await using test = await quiet((response, { form }) => {
      if (form === "list") response.end(empty);
      else response.write(form === "watchList" ? endOfList("5") : nothing);
    });
    await test.answered(1);

    await test.clock.advance(stallWithBookmarks);
    await test.answered(3);
    await test.clock.advance(serverTimeout - 1);

    await test.answered(3);
    expect(test.failed).to.deep.equal([]);
    expect(test.sink.phase).to.equal("live");
  });

  it("does the same when bookmarks no longer come, as after a restart of the server", async () => {
    await using test = await quiet((response, { form }) => {
      if (form === "list") response.end(empty);
      else if (form === "watchList") response.end(endOfList("5") + bookmark);
      else response.write(nothing);
    });
    await test.answered(3);

    await test.clock.advance(stallWithBookmarks);
    await test.answered(5);
    await test.clock.advance(serverTimeout - 1);

    await test.answered(5);
    expect(test.failed).to.deep.equal([]);
  });

  it("counts silence where bookmarks have come on the same connection", async () => {
    await using test = await quiet((response, { form }) => {
      if (form === "list") response.end(empty);
      else response.write(form === "watchList" ? endOfList("5") + bookmark : nothing);
    });
    await eventually(() => test.sink.told.includes("bookmark"));

    await test.clock.advance(stallWithBookmarks + longestBackoff);

    await test.answered(3);
    expect(test.failed).to.deep.equal(["Stalled"]);
  });

  it("counts silence beyond the end that the server was asked for", async () => {
    await using test = await quiet((response, { form }) => {
      if (form === "list") response.end(empty);
      else response.write(form === "watchList" ? endOfList("5") : nothing);
    });
    await test.answered(1);
    await test.clock.advance(stallWithBookmarks);
    await test.answered(3);

    await test.clock.advance(serverTimeout + stallMargin + longestBackoff);

    await test.answered(5);
    expect(test.failed).to.deep.equal(["Stalled"]);
  });
});
