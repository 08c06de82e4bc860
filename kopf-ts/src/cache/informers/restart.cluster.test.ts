import { freshNamespace, testEnv } from "@drover/env";
import { expect } from "chai";
import { type Logger, silentLogger } from "../../base/index.ts";
import {
  type Client,
  type ClusterConfig,
  connect,
  defineKind,
  type KubeObject,
  loadConfig,
} from "../../kube/index.ts";
import { eventually, type FakeClock, fakeClock, recordTransport } from "../../testing/index.ts";
import { Informers, type InformersOptions } from "./informers.ts";

const core = { group: "", version: "v1", scope: "Namespaced" } as const;
const ConfigMap = defineKind({ ...core, plural: "configmaps", kind: "ConfigMap" });
const Secret = defineKind({ ...core, plural: "secrets", kind: "Secret" });

const soon = { within: 10_000 };
/** Milliseconds after which such a watch begins anew. */
const PAUSE = 5_000;

/**
 * A cache survives listeners that throw. What it does not survive by itself is a fault while it tells of one: here the log is full. That fault
 * comes out of the watch, as any bug of a cache would.
 */
describe("an informer whose cache throws", function () {
  this.timeout(30_000);
  let config: ClusterConfig;
  let client: Client;
  let namespace: string;
  before(async function () {
    this.timeout(120_000);
    config = await loadConfig({ kubeconfig: (await testEnv()).kubeconfigPath });
  });
  beforeEach(async () => {
    namespace = await freshNamespace(await testEnv());
    client = connect(config);
    await eventually(() => client.find(ConfigMap, "kube-root-ca.crt", { namespace }), soon);
  });
  afterEach(() => client[Symbol.asyncDispose]());

  const create = (name: string): Promise<KubeObject> =>
    client.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace } });

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
    const failed = (): Promise<unknown> => eventually(() => errors.includes(ended), soon);
    return {
      ...{ clock, informers, failed },
      [Symbol.asyncDispose]: () => informers.dispose(),
    };
  }

  it("lists anew after 5 s, and tells what came meanwhile", async () => {
    const { client: recorded, calls } = recordTransport(client);
    await using test = failing(recorded);
    const { cache } = test.informers.acquire(ConfigMap, { namespace });
    await cache.whenSynced();
    const told: string[] = [];
    cache.subscribe(({ type, key }) => told.push(`${type} ${key}`));
    using bug = cache.subscribe(() => {
      throw new Error("a bug");
    });
    await create("first");
    await test.failed();
    bug[Symbol.dispose]();
    await create("second");

    await test.clock.advance(PAUSE - 1);
    expect(calls).to.have.length(1);
    await test.clock.advance(1);
    await eventually(() => cache.has(`${namespace}/second`), soon);
    await create("third");
    await eventually(() => cache.has(`${namespace}/third`), soon);

    expect(calls).to.have.length(2);
    expect(told).to.deep.equal(
      ["first", "second", "third"].map((name) => `ADDED ${namespace}/${name}`),
    );
  });

  it("lets others list while it waits", async () => {
    await using test = failing(client, { lists: 1 });
    const { cache } = test.informers.acquire(ConfigMap, { namespace });
    cache.subscribe(() => {
      throw new Error("a bug");
    });
    const other = test.informers.acquire(Secret, { namespace });

    await test.failed();
    await eventually(() => other.cache.synced, soon);

    expect(cache.synced).to.equal(false);
  });

  it("ends at once when it is released meanwhile", async () => {
    await using test = failing(client);
    const informer = test.informers.acquire(ConfigMap, { namespace });
    informer.cache.subscribe(() => {
      throw new Error("a bug");
    });
    await test.failed();
    expect(test.clock.pending).to.equal(1);

    informer.release();
    await test.informers.dispose();

    expect(test.clock.pending).to.equal(0);
  });
});
