import { expect } from "chai";
import { type Logger, silentLogger } from "../../base/index.ts";
import type { Client } from "../../kube/index.ts";
import { type FakeClock, fakeClock, recordTransport } from "../../testing/index.ts";
import {
  apiServer,
  type CacheTest,
  ConfigMap,
  eventually,
  Secret,
  startCacheTest,
} from "../testing/harness.ts";
import { Informers, type InformersOptions } from "./informers.ts";

/** Milliseconds after which such a watch begins anew. */
const PAUSE = 5_000;

/**
 * A cache survives listeners that throw. What it does not survive by itself is a fault while it tells of one: here the log is full. That fault
 * comes out of the watch, as any bug of a cache would.
 */
describe("an informer whose cache throws", function () {
  this.timeout(30_000);
  let test: CacheTest;
  before(apiServer);
  beforeEach(async () => {
    test = await startCacheTest();
  });
  afterEach(() => test[Symbol.asyncDispose]());

  interface Failing extends AsyncDisposable {
    readonly clock: FakeClock;
    readonly informers: Informers;
    /** Resolves when the watch has ended by the fault. */
    readonly failed: () => Promise<unknown>;
  }

  /** Informers with a log that takes no word of a listener. */
  function failing(through: Client, options: InformersOptions = {}): Failing {
    const clock = fakeClock();
    const errors: string[] = [];
    const logger: Logger = {
      ...silentLogger,
      error: (message) => {
        if (message === "a cache listener failed") throw new Error("the log is full");
        errors.push(message);
      },
      child: () => logger,
    };
    const informers = new Informers(through, { clock, logger, audit: false, ...options });
    const ended = "a watch ended by an error of its consumer";
    const failed = (): Promise<unknown> => eventually(() => errors.includes(ended));
    return {
      ...{ clock, informers, failed },
      [Symbol.asyncDispose]: () => informers.dispose(),
    };
  }

  it("lists anew after 5 s, and tells what came meanwhile", async () => {
    const { client: recorded, calls } = recordTransport(test.client);
    await using faulty = failing(recorded);
    const { cache } = faulty.informers.acquire(ConfigMap, { namespace: test.namespace });
    await cache.whenSynced();
    const told: string[] = [];
    cache.subscribe(({ type, key }) => told.push(`${type} ${key}`));
    using bug = cache.subscribe(() => {
      throw new Error("a bug");
    });
    await test.create("first");
    await faulty.failed();
    bug[Symbol.dispose]();
    await test.create("second");

    await faulty.clock.advance(PAUSE - 1);
    expect(calls).to.have.length(1);
    await faulty.clock.advance(1);
    await eventually(() => cache.has(test.key("second")));
    await test.create("third");
    await eventually(() => cache.has(test.key("third")));

    expect(calls).to.have.length(2);
    expect(told).to.deep.equal(
      ["first", "second", "third"].map((name) => `ADDED ${test.key(name)}`),
    );
  });

  it("lets others list while it waits", async () => {
    await using faulty = failing(test.client, { lists: 1 });
    const { cache } = faulty.informers.acquire(ConfigMap, { namespace: test.namespace });
    cache.subscribe(() => {
      throw new Error("a bug");
    });
    const other = faulty.informers.acquire(Secret, { namespace: test.namespace });

    await faulty.failed();
    await eventually(() => other.cache.synced);

    expect(cache.synced).to.equal(false);
  });

  it("ends at once when it is released meanwhile", async () => {
    await using faulty = failing(test.client);
    const informer = faulty.informers.acquire(ConfigMap, { namespace: test.namespace });
    informer.cache.subscribe(() => {
      throw new Error("a bug");
    });
    await faulty.failed();
    expect(faulty.clock.pending).to.equal(1);

    informer.release();
    await faulty.informers.dispose();

    expect(faulty.clock.pending).to.equal(0);
  });
});
