import { testEnv } from "@drover/env";
import { expect } from "chai";
import {
  type Client,
  type Clock,
  type ClusterConfig,
  connect,
  Informers,
  loadConfig,
  silentLogger,
  systemClock,
} from "kopf-ts";
import { eventually, startFaultProxy } from "kopf-ts/testing";
import { type ErrorMapping, parseErrorMapping } from "../summary/error-mapping.ts";
import { at, listAt } from "../tree.ts";
import { aggregate, RemoteServer, remoteColumns, services } from "./aggregated.test.support.ts";
import { LiveTypes } from "./live-types.ts";
import { isCacheable, type ResourceType } from "./resource-type.ts";
import {
  aKind,
  change,
  crdOf,
  install,
  send,
  type TestKind,
  uninstall,
} from "./testing.test.support.ts";
import { toldCells } from "./told.ts";

const soon = { within: 20_000 };
const { signal: never } = new AbortController();

/** Twenty times as fast as time. */
const fast: Clock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic() * 20,
  after: (delay, fn) => systemClock.after(delay / 20, fn),
  at: (time, fn) => systemClock.at(time, fn),
  sleep: (delay, signal) => systemClock.sleep(delay / 20, signal),
};

/** Types that are followed until disposed. */
class Followed implements AsyncDisposable {
  readonly client: Client;
  readonly informers: Informers;
  readonly types: LiveTypes;
  readonly told: string[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(config: ClusterConfig, clock: Clock = systemClock, errorMapping?: ErrorMapping) {
    this.client = connect(config);
    this.informers = new Informers(this.client);
    const { client, informers } = this;
    this.types = new LiveTypes({ client, informers, clock, log: silentLogger, errorMapping });
    this.types.onChange((ids) => this.told.push(...ids));
    this.#running = this.types.start(this.#stop.signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.informers.dispose();
    await this.client[Symbol.asyncDispose]();
  }
}

describe("LiveTypes", function () {
  this.timeout(60_000);

  let config: ClusterConfig;
  let client: Client;
  before(async function () {
    this.timeout(120_000);
    const { kubeconfigPath } = await testEnv();
    config = await loadConfig({ kubeconfig: kubeconfigPath });
    client = connect(config);
  });
  after(() => client?.[Symbol.asyncDispose]());

  it("knows every kind that is served, under Steve's names", async () => {
    await using followed = new Followed(config);
    const { types } = followed;
    await types.ready(never);

    const pod = types.find("pods");
    expect(pod).to.include({ id: "pod", pluralName: "pods", crd: false, aggregated: false });
    expect(pod?.kind).to.include({ group: "", version: "v1", plural: "pods", kind: "Pod" });
    expect(pod?.verbs).to.include.members(["create", "delete", "list", "watch"]);
    const scaler = types.ofKind("autoscaling/v1", "HorizontalPodAutoscaler");
    expect(scaler?.kind.version).to.equal("v2");
    const review = types.find("authorization.k8s.io.subjectaccessreview");
    expect(review?.verbs).to.deep.equal(["create"]);
    await eventually(async () => {
      const ours = new Set([...types.all()].map(({ kind }) => `${kind.group} ${kind.kind}`));
      expect(ours).to.deep.equal(await namesServed(client));
      return true;
    }, soon);
  });

  it("knows which conditions mean an error, where the environment says so", async () => {
    const conditionMappings = [{ type: "Odd", status: ["True"] }];
    const mapping = parseErrorMapping(
      JSON.stringify([{ gvk: "/v1, Kind=Pod", conditionMappings }]),
    );
    await using followed = new Followed(config, systemClock, mapping);
    await followed.types.ready(never);

    const told = ["pod", "node"].map((id) => followed.types.find(id)?.errorStatuses);
    expect(told).to.deep.equal([{ Odd: ["True"] }, undefined]);
  });

  it("learns the columns of kinds that are built in, and makes their cells", async () => {
    await using followed = new Followed(config);
    const { types } = followed;
    const kept = (): readonly ResourceType[] => [...types.all()].filter(isCacheable);

    await eventually(() => types.revision > 1 && kept().every(hasColumns), soon);

    expect(names(types.find("pod"))).to.deep.equal([
      ...["Name", "Ready", "Status", "Restarts", "Age", "IP", "Node", "Nominated Node"],
      "Readiness Gates",
    ]);
    const without = kept().filter(({ cells, aggregated }) => !aggregated && cells === undefined);
    expect(without.map(({ id }) => id)).to.deep.equal([]);
    for (const { id, columns, cells } of kept()) {
      const isUneven = id === "networking.k8s.io.ipaddress"; // by Kubernetes
      if (cells !== undefined && !isUneven) expect(cells({}), id).to.have.length(columns.length);
    }
    const { revision } = types;
    expect(types.find("pod")).to.equal(types.find("pods"));
    expect(types.revision).to.equal(revision);
  });

  it("tells a type of a CRD once, with all that the CRD says, whenever it is found", async () => {
    await using followed = new Followed(config);
    const { types, told } = followed;
    await types.ready(never);
    const kinds = Array.from({ length: 60 }, () => aKind());
    const ids = kinds.map(({ group }) => `${group}.gadget`);
    const incomplete = new Set<string>();
    using _ = types.onChange((changed) => {
      for (const id of ids)
        if (changed.has(id) && types.find(id)?.crd === false) incomplete.add(id);
    });
    for (const kind of kinds) await install(client, crdOf(kind, {}));
    await eventually(() => ids.every((id) => types.find(id)?.crd), soon);

    expect([...incomplete]).to.deep.equal([]);
    const times = ids.map((id) => told.filter((each) => each === id).length);
    expect(new Set(times)).to.deep.equal(new Set([1]));
    for (const kind of kinds) await uninstall(client, kind);
  });

  it("follows a CRD that comes, changes its columns and goes", async () => {
    await using followed = new Followed(config);
    const { types, told } = followed;
    await types.ready(never);
    const kind = aKind();
    const id = `${kind.group}.gadget`;
    const colour = { name: "Colour", type: "string", jsonPath: ".spec.colour" };
    const size = { name: "Size", type: "integer", jsonPath: ".spec.size" };
    const properties = { status: { properties: { observedGeneration: { type: "integer" } } } };
    Object.assign(properties.status, { type: "object" });

    await install(client, crdOf(kind, { columns: [colour], properties }));
    const first = await eventually(() => types.find(id), soon);
    await change(client, crdOf(kind, { columns: [colour, size] }));
    const second = await eventually(() => other(types.find(id), first), soon);
    await uninstall(client, kind);
    await eventually(() => types.find(id) === undefined, soon);

    expect(names(first)).to.deep.equal(["Name", "Colour"]);
    expect(first).to.include({ crd: true, observesGeneration: true, table: true });
    expect(first.description).to.equal("Made for tests.");
    expect(first.pluralName).to.equal(kind.crd.replace(/^(gadgets)\.(.*)$/, "$2.$1"));
    expect(names(second)).to.deep.equal(["Name", "Colour", "Size"]);
    expect(second).to.include({ observesGeneration: false });
    expect(
      second.cells?.({ metadata: { name: "n" }, spec: { colour: "red", size: 3 } }),
    ).to.deep.equal([...["n", "red", 3]]);
    expect(second.columnPaths).to.deep.equal({
      ...{ Name: "{.metadata.name}", Colour: "{.spec.colour}", Size: "{.spec.size}" },
    });
    expect(told.filter((each) => each === id).length).to.be.at.least(3);
  });

  it("leaves types alone that did not change", async () => {
    await using followed = new Followed(config);
    const { types } = followed;
    await eventually(() => names(types.find("pod")).length > 0, soon);
    const pod = types.find("pod");
    const kind = aKind();

    await install(client, crdOf(kind, {}));
    await eventually(() => types.find(`${kind.group}.gadget`), soon);

    expect(types.find("pod")).to.equal(pod);
    await uninstall(client, kind);
  });

  it("reads the schema of a CRD's version when it is asked for", async () => {
    await using followed = new Followed(config);
    const { types } = followed;
    const kind = aKind();
    const properties = { spec: { type: "object", properties: { size: { type: "integer" } } } };
    await install(client, crdOf(kind, { properties }));

    const size = await eventually(() => {
      const { schema } = types.find(`${kind.group}.gadget`) ?? {};
      return at(schema, "properties", "spec", "properties", "size", "type");
    }, soon);

    expect(size).to.equal("integer");
    expect(types.find("pod")?.schema).to.equal(undefined);
    await uninstall(client, kind);
  });

  it("is not harmed by CRDs whose names clash or whose columns cannot be read", async () => {
    await using followed = new Followed(config);
    const { types } = followed;
    const [one, two] = [aKind(), aKind()];
    const clashing = { ...aKind(), group: one.group, plural: "others" };
    await install(client, crdOf(one, {}));
    const broken = { name: "Broken", type: "string", jsonPath: ".spec[x" };
    const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const clash = { ...clashing, crd: `others.${one.group}` };
    await send(client, "POST", crds, crdOf(clash, {}));
    await install(client, crdOf(two, { columns: [broken] }));

    const columnsOf = ({ group }: TestKind): string => names(types.find(`${group}.gadget`)).join();

    // Columns may come a moment after their type.
    await eventually(() => columnsOf(two) === "Name", soon);
    await eventually(() => columnsOf(one) === "Name,Age", soon);
    expect(types.find(`${one.group}.others`)).to.equal(undefined);
    for (const each of [one, two, clash]) await uninstall(client, each);
  });

  it("is not harmed by an APIService whose server was never there", async () => {
    await using followed = new Followed(config);
    const { types } = followed;
    await types.ready(never);
    const [away, kind] = [aKind("away"), aKind()];

    const name = await aggregate(client, away.group, 1);
    await install(client, crdOf(kind, {}));
    await eventually(() => types.find(`${kind.group}.gadget`), soon);

    expect(types.find("pod")?.id).to.equal("pod");
    await send(client, "DELETE", `${services}/${name}`);
    await uninstall(client, kind);
  });

  it("keeps the types of an aggregated API while its server is away, and learns them again", async () => {
    await using followed = new Followed(config);
    const { types } = followed;
    await types.ready(never);
    const kind = aKind("remote");
    const id = `${kind.group}.remote`;
    await using behind = await RemoteServer.start(kind, { tables: false, watches: false });

    const name = await aggregate(client, kind.group, behind.port);
    const first = await eventually(() => types.find(id), soon);
    await point(client, name, 1);
    const isSilent = async (): Promise<boolean> => (await availability(client, name)) === "False";
    await eventually(isSilent, soon);
    const other = aKind();
    await install(client, crdOf(other, {}));
    await eventually(() => types.find(`${other.group}.gadget`), soon);

    expect(first).to.include({ aggregated: true, crd: false, cells: undefined });
    expect(types.find(id)?.kind).to.deep.equal(first.kind);
    await send(client, "DELETE", `${services}/${name}`);
    await eventually(() => types.find(id) === undefined, soon);
    await uninstall(client, other);
  });

  it("learns the columns of an aggregated API, whose cells come with the objects", async () => {
    await using followed = new Followed(config);
    const { types } = followed;
    const kind = aKind("remote");
    await using behind = await RemoteServer.start(kind);
    const name = await aggregate(client, kind.group, behind.port);

    const isTold = (): ResourceType | undefined => {
      const type = types.find(`${kind.group}.remote`);
      return type !== undefined && hasColumns(type) ? type : undefined;
    };
    const type = await eventually(isTold, soon);

    expect(names(type)).to.deep.equal(remoteColumns);
    expect(type).to.include({ aggregated: true, table: true, cells: toldCells });
    await send(client, "DELETE", `${services}/${name}`);
  });

  it("asks again a minute after a table could not be had", async () => {
    await using followed = new Followed(config, fast);
    const { types } = followed;
    const kind = aKind("remote");
    await using behind = await RemoteServer.start(kind);
    behind.isBroken = true;
    const name = await aggregate(client, kind.group, behind.port);
    const columns = () => types.find(`${kind.group}.remote`)?.columns;
    await eventually(() => behind.asked.includes("failed"), soon);
    await eventually(() => types.find(`${kind.group}.remote`)?.table === false, soon);

    behind.isBroken = false;

    await eventually(() => columns()?.length === remoteColumns.length, soon);
    await send(client, "DELETE", `${services}/${name}`);
  });

  it("goes on when discovery fails for a while", async () => {
    await using proxy = await startFaultProxy(config);
    await using followed = new Followed(proxy.config);
    const { types } = followed;
    await types.ready(never);
    const kind = aKind();
    const isDiscovery = ({ path }: { readonly path: string }): boolean => /^\/apis?$/.test(path);
    const fault = proxy.always({ kind: "status", code: 500 }, isDiscovery);
    await install(client, crdOf(kind, {}));
    await eventually(() => proxy.count("status") > 0, soon);

    expect(types.find("pod")?.id).to.equal("pod");
    fault[Symbol.dispose]();

    await eventually(() => types.find(`${kind.group}.gadget`), soon);
    await uninstall(client, kind);
  });
});

function names(type: ResourceType | undefined): readonly string[] {
  return (type?.columns ?? []).map(({ name }) => name);
}

function hasColumns({ columns }: ResourceType): boolean {
  return columns.length > 0;
}

/** A type that is not the other one. */
function other(type: ResourceType | undefined, than: ResourceType): ResourceType | undefined {
  return type === than ? undefined : type;
}

/** Group and kind of all resources, as the older discovery says. */
async function namesServed(client: Client): Promise<ReadonlySet<string>> {
  const groups = listAt(await send(client, "GET", "/apis"), "groups");
  const versions = groups.flatMap((group) => listAt(group, "versions"));
  const paths = ["/api/v1", ...versions.map((each) => `/apis/${at(each, "groupVersion")}`)];
  const found = new Set<string>();
  for (const path of paths) {
    const document = await send(client, "GET", path);
    const [, group = ""] = /^\/apis\/(.*)\//.exec(path) ?? [];
    for (const each of listAt(document, "resources")) {
      if (!String(at(each, "name")).includes("/")) found.add(`${group} ${at(each, "kind")}`);
    }
  }
  return found;
}

/** Lets an APIService lead elsewhere. */
async function point(client: Client, name: string, port: number): Promise<void> {
  await send(client, "PATCH", `${services}/${name}`, { spec: { service: { port } } });
}

async function availability(client: Client, name: string): Promise<unknown> {
  const conditions = listAt(
    await send(client, "GET", `${services}/${name}`),
    "status",
    "conditions",
  );
  return at(
    conditions.find((each) => at(each, "type") === "Available"),
    "status",
  );
}
