import { type ControlPlane, freshNamespace, testEnv } from "@drover/env";
import { expect } from "chai";
import { silentLogger, systemClock } from "../base/index.ts";
import { Informers, type InformersOptions } from "../cache/index.ts";
import {
  type Client,
  type ClusterConfig,
  connect,
  defineKind,
  loadConfig,
  refTo,
} from "../kube/index.ts";
import { eventually, type FaultProxy, startFaultProxy } from "../testing/index.ts";
import { NewKinds } from "./new-kinds.ts";
import { aGadget, Crd, install } from "./testing/gadgets.ts";

const ConfigMap = defineKind({
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  scope: "Namespaced",
});

/** By itself a watch that was refused looks again after 15 to 30 s. */
const soon = { within: 8000 };

describe("NewKinds", function () {
  this.timeout(30_000);

  let controlPlane: ControlPlane;
  let config: ClusterConfig;
  let direct: Client;
  before(async function () {
    this.timeout(120_000);
    controlPlane = await testEnv();
    config = await loadConfig({ kubeconfig: controlPlane.kubeconfigPath });
    direct = connect(config);
  });
  after(() => direct[Symbol.asyncDispose]());

  /** Informers of a client behind a proxy, told of new kinds. */
  class Followed implements AsyncDisposable {
    readonly client: Client;
    readonly informers: Informers;
    readonly kinds: NewKinds;
    readonly #proxy: FaultProxy;

    constructor(proxy: FaultProxy, timing: InformersOptions["timing"] = {}) {
      this.#proxy = proxy;
      this.client = connect(proxy.config);
      this.informers = new Informers(this.client, { timing });
      const { client, informers } = this;
      const options = { client, informers, clock: systemClock, logger: silentLogger };
      this.kinds = new NewKinds(options).start();
    }

    /** Requests under way that ask which kinds there are. */
    get following(): number {
      return this.#proxy.open(({ path }) => path.includes("customresourcedefinitions"));
    }

    async [Symbol.asyncDispose](): Promise<void> {
      await this.kinds[Symbol.asyncDispose]();
      await this.informers.dispose();
      await this.client[Symbol.asyncDispose]();
    }
  }

  it("lets a watch go on soon after its CRD is installed, each time it is", async () => {
    await using proxy = await startFaultProxy(config);
    await using followed = new Followed(proxy);
    const Gadget = aGadget();
    const { cache } = followed.informers.acquire(Gadget);
    const isMissing = (): boolean =>
      cache.watchState.phase === "degraded" && cache.watchState.reason === "NotFound";
    await eventually(isMissing, soon);
    await eventually(() => followed.following === 1, soon);

    await install(direct, Gadget);
    await eventually(() => cache.watchState.phase === "live", soon);
    await eventually(() => followed.following === 0, soon);
    await direct.delete(refTo(Crd, `${Gadget.plural}.${Gadget.group}`));
    await eventually(isMissing, soon);
    await eventually(() => followed.following === 1, soon);
    await install(direct, Gadget);

    await eventually(() => cache.watchState.phase === "live", soon);
  });

  it("asks for nothing while every watch is served", async () => {
    const namespace = await freshNamespace(controlPlane);
    await using proxy = await startFaultProxy(config);
    await using followed = new Followed(proxy);

    await followed.informers.acquire(ConfigMap, { namespace }).whenSynced();

    expect(proxy.requests.map(({ form }) => form)).to.deep.equal(["watchList"]);
  });

  it("does not try in circles what is served and refused all the same", async () => {
    const namespace = await freshNamespace(controlPlane);
    await using proxy = await startFaultProxy(config);
    // Lists in pages work, and each of them makes the watch live for a moment.
    using _list = proxy.always({ kind: "status", code: 400 }, ({ form }) => form === "watchList");
    using _watch = proxy.always(
      { kind: "status", code: 404 },
      ({ form, path }) => form === "watch" && path.includes("configmaps"),
    );
    await using followed = new Followed(proxy, { eager: 0 });
    followed.informers.acquire(ConfigMap, { namespace });
    const lists = (): number => proxy.requests.filter(({ form }) => form === "list").length;
    const discoveries = (): number => proxy.requests.filter(({ path }) => path === "/apis").length;
    await eventually(() => lists() === 2, soon); // the very first discovery tells all kinds
    await eventually(() => followed.following === 1, soon);
    const before = discoveries();

    await install(direct, aGadget());
    await eventually(() => discoveries() >= before + 2, soon);

    expect(lists()).to.equal(2);
  });

  it("leaves no request when it is disposed of", async () => {
    await using proxy = await startFaultProxy(config);
    using _ = proxy.always({ kind: "silence" }, ({ path }) => path === "/apis");
    await using followed = new Followed(proxy);
    followed.informers.acquire(aGadget());
    await eventually(() => proxy.requests.some(({ path }) => path === "/apis"), soon);

    const begin = systemClock.monotonic();
    await followed.kinds[Symbol.asyncDispose]();

    expect(systemClock.monotonic() - begin).to.be.lessThan(5000); // not the call's own 30 s
    await eventually(() => followed.following === 0, soon);
  });
});
