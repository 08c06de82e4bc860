import { expect } from "chai";
import { type Logger, silentLogger } from "../../base/index.ts";
import { type Client, connect } from "../../kube/index.ts";
import {
  endOfList,
  eventLine,
  eventually,
  fakeClock,
  type ScriptedServer,
  type ServerScript,
  startScriptedServer,
} from "../../testing/index.ts";
import { aWidget, Widget } from "../fixtures.ts";
import type { Store } from "../store.ts";
import { Informers, type InformersOptions } from "./informers.ts";

/** Informers of a server that does what a script says. */
class World implements AsyncDisposable {
  readonly server: ScriptedServer;
  readonly client: Client;
  readonly informers: Informers;

  constructor(server: ScriptedServer, options: InformersOptions) {
    this.server = server;
    this.client = connect(server.config);
    this.informers = new Informers(this.client, { audit: false, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.informers.dispose();
    await this.client[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
  }
}

async function world(script: ServerScript, options: InformersOptions = {}): Promise<World> {
  return new World(await startScriptedServer(script), options);
}

const listOf = (resourceVersion: string, ...items: readonly object[]): string =>
  JSON.stringify({ metadata: { resourceVersion }, items });
const version = (name: string, resourceVersion: string, color: string): Widget =>
  aWidget({ name, resourceVersion, spec: { color } });

/** Two replicas that page: one knows everything, the other is behind and answers whoever does not insist. */
function replicas(state: { behind: boolean }): ServerScript {
  return (response, { form, query }) => {
    if (form === "watchList") response.writeHead(422).end();
    else if (form === "watch") response.flushHeaders();
    else if (state.behind && Number(query.get("resourceVersion") ?? "0") <= 50) {
      response.end(listOf("50", version("a", "40", "old")));
    } else response.end(listOf("100", version("a", "90", "new"), version("b", "95", "new")));
  };
}

describe("informers of a server whose replicas are behind", () => {
  it("never go back in time when they list anew", async () => {
    const state = { behind: false };
    await using test = await world(replicas(state));
    const share = test.informers.acquire(Widget, { keep: "columns" });
    const { cache } = share;
    await cache.whenSynced();
    const told: string[] = [];
    cache.subscribe(({ type, key }) => told.push(`${type} ${key}`));

    state.behind = true;
    await share.addColumns([{ name: "spec.color" }]); // no bytes are kept: this lists

    expect(told).to.deep.equal([]);
    expect(cache.resourceVersion).to.equal("100");
    expect(cache.resourceVersionOf("default/a")).to.equal("90");
    expect(cache.valueOf("default/b", "spec.color")).to.equal("new");
  });

  it("never go back in time after a bug of their cache, and say that it is stale meanwhile", async () => {
    const state = { behind: false };
    const clock = fakeClock();
    let broken: (() => void) | undefined;
    const script = replicas(state);
    const told: string[] = [];
    await using test = await world(
      (response, request) => {
        script(response, request);
        if (request.form === "watch") {
          broken = () => void response.write(eventLine("ADDED", version("c", "101", "new")));
        }
      },
      { clock },
    );
    const { cache } = test.informers.acquire(Widget);
    await cache.whenSynced();
    const store = cache as Store<Widget>;
    const { change } = store;
    store.change = () => {
      throw new Error("a bug");
    };
    await eventually(() => broken !== undefined);
    state.behind = true;
    broken?.();

    await eventually(() => cache.watchState.phase === "degraded");
    expect(cache.watchState).to.include({ reason: "ConsumerFailed" });
    store.change = change;
    cache.subscribe(({ type, key }) => told.push(`${type} ${key}`));
    await clock.advance(5_000);
    await eventually(() => cache.watchState.phase !== "degraded");
    await eventually(() => test.server.requests.filter(({ form }) => form === "list").length > 1);
    await eventually(async () => {
      await clock.advance(1_000);
      return cache.watchState.phase === "live";
    });

    expect(told).to.deep.equal([]);
    expect(cache.has("default/b")).to.equal(true);
  });
});

/** On a busy machine. */
const patient = { within: 10_000 };

describe("an informer of what cannot be watched", function () {
  this.timeout(30_000);

  it("lists again and again, and tells what differs with its new state", async () => {
    const clock = fakeClock();
    const lists = [
      [
        version("a", "1", "old"),
        version("b", "2", "old"),
        aWidget({ name: "c", resourceVersion: "" }),
      ],
      [
        version("a", "1", "old"),
        version("b", "3", "new"),
        aWidget({ name: "c", resourceVersion: "" }),
      ],
      [version("b", "3", "new"), version("d", "4", "new")],
    ];
    const state = { list: 0, isDown: false };
    await using test = await world(
      (response, { form }) => {
        if (form !== "list" || state.isDown) response.writeHead(form === "list" ? 500 : 405).end();
        else response.end(listOf(String(10 + state.list), ...(lists[state.list] ?? [])));
      },
      { clock },
    );
    const { cache } = test.informers.acquire(Widget, { poll: 5000 });
    await cache.whenSynced();
    await eventually(() => cache.watchState.phase === "live", patient);
    const told: string[] = [];
    const phases = new Set<string>();
    cache.subscribe((change) => {
      phases.add(cache.watchState.phase);
      told.push(`${change.type} ${change.key} ${change.current()?.spec?.color}`);
    });
    const seen = (): number => test.server.requests.filter(({ form }) => form === "list").length;

    for (const list of [1, 2]) {
      state.list = list;
      await eventually(async () => {
        await clock.advance(5000);
        return cache.resourceVersion === String(10 + list);
      }, patient);
    }
    const reach = (phase: string): Promise<unknown> =>
      eventually(async () => {
        await clock.advance(5000);
        return cache.watchState.phase === phase;
      }, patient);
    state.isDown = true;
    await reach("degraded");
    state.isDown = false;
    await reach("live");

    expect(told).to.deep.equal([
      "MODIFIED default/b new",
      "ADDED default/d new",
      "DELETED default/a undefined",
      "DELETED default/c undefined",
    ]);
    expect([...phases]).to.deep.equal(["live"]);
    expect(seen()).to.equal(test.server.requests.length);
  });
});

describe("informers of a server that refuses our credentials", () => {
  it("warn of it once, whatever is watched", async () => {
    const told: string[] = [];
    const at = (level: string) => (message: string) =>
      void (message === "watch is degraded" && told.push(level));
    const logger: Logger = {
      ...{ ...silentLogger, debug: at("debug"), warn: at("warn") },
      child: () => logger,
    };
    await using test = await world((response) => response.writeHead(401).end(), { logger });

    test.informers.acquire(Widget);
    test.informers.acquire({ ...Widget, plural: "gadgets", kind: "Gadget" });
    await eventually(() => told.length === 2, { within: 20_000 });

    expect(told).to.deep.equal(["warn", "debug"]);
  }).timeout(30_000);
});

describe("informers of a server that is no good", () => {
  it("end with their client, and say so", async () => {
    const clock = fakeClock();
    await using test = await world((response) => void response.write(endOfList("5")), {
      clock,
      audit: {},
    });
    const { cache } = test.informers.acquire(Widget);
    await cache.whenSynced();
    expect(clock.pending).to.be.greaterThan(0);

    await test.client[Symbol.asyncDispose]();
    await eventually(() => cache.watchState.phase === "degraded");
    await eventually(() => clock.pending === 0);

    expect(cache.watchState).to.include({ reason: "Closed" });
  });

  it("are degraded while it answers with errors that make no sense", async () => {
    const error = eventLine("ERROR", { kind: "Status", code: 500, details: { causes: {} } });
    const timing = { backoffMin: 5, backoffMax: 10 };
    await using test = await world(
      (response, { form }) =>
        void response.end(form === "watchList" ? endOfList("10") + error : error),
      { timing },
    );

    const { cache } = test.informers.acquire(Widget);
    await eventually(() => cache.watchState.phase === "degraded");

    expect(cache.watchState).to.include({ reason: "InternalError" });
  });

  it("heal what is wrong and nothing else when it does not know field selectors", async () => {
    const old = ["a", "b", "c"].map((name) => version(name, "10", "red"));
    const now = [version("b", "10", "red"), version("a", "15", "blue"), version("c", "10", "red")];
    await using test = await world(
      (response, { form }) => {
        if (form === "list") response.end(listOf("20", ...now));
        else if (form === "watch") response.flushHeaders();
        else {
          const events = old.map((each) => eventLine("ADDED", each)).join("");
          response.write(events + endOfList("10"));
        }
      },
      { audit: { settle: 20 } },
    );
    const { cache } = test.informers.acquire(Widget);
    await cache.whenSynced();
    const told: string[] = [];
    cache.subscribe(({ type, key }) => told.push(`${type} ${key}`));

    const report = await test.informers.audit(AbortSignal.timeout(1_500));

    expect(report).to.deep.equal({ compared: 3, healed: 1 });
    expect(told).to.deep.equal(["MODIFIED default/a"]);
    expect(cache.get("default/a")?.spec?.color).to.equal("blue");
    expect(cache.list().map(({ metadata }) => metadata.name)).to.deep.equal(["a", "b", "c"]);
    expect(cache.size).to.equal(3);
  });

  it("give up an audit that goes on for ever, without holding up anything", async () => {
    const clock = fakeClock();
    await using test = await world(
      (response, { form }) => {
        response.write(form === "list" ? '{"items":[' : endOfList("10"));
      },
      { clock, audit: {} },
    );
    const { cache } = test.informers.acquire(Widget);
    await cache.whenSynced();

    let ended = "";
    test.informers.audit(AbortSignal.timeout(1_900)).catch((thrown: Error) => {
      ended = thrown.message;
    });
    await eventually(() => test.server.requests.some(({ form }) => form === "list"));
    await eventually(async () => {
      await clock.advance(10_000);
      return ended !== "";
    });

    expect(ended).to.contain("did not come in time");
  });
});

describe("acquire", () => {
  it("takes an option of undefined for one that was not given", async () => {
    await using test = await world((response) => void response.write(endOfList("5")), {
      managedFields: "cold",
    });

    const first = test.informers.acquire(Widget, { managedFields: undefined });
    const second = test.informers.acquire(Widget);

    expect(first.cache).to.equal(second.cache);
    expect(test.informers.report()[0]?.options.managedFields).to.equal("cold");
  });
});
