import { expect } from "chai";
import { eventually } from "kopf-ts/testing";
import { at, listAt } from "../tree.ts";
import {
  aggregate,
  type Remote,
  type RemoteOptions,
  RemoteServer,
  services,
} from "../types/aggregated.test.support.ts";
import { aKind, send, type TestKind } from "../types/testing.test.support.ts";
import { toldCells } from "../types/told.ts";
import { bodyOf, idsOf } from "./gizmos.test.support.ts";
import { ListServer } from "./harness.test.support.ts";

const soon = { within: 30_000 };
const [hour, day] = [3_600_000, 86_400_000];

/** Their ages are the same for an hour. */
const remotes = (): readonly Remote[] => {
  const now = Date.now();
  return [
    { name: "a", colour: "red", size: 10, created: now - 12 * hour, seen: now - 3 * day },
    { name: "b", colour: "blue", size: 9, created: now - 30 * day, seen: now - 10 * hour },
    { name: "c", colour: "red", size: 100, created: now - 400 * day, seen: now - 20 * hour },
  ];
};

/** A kind that an aggregated API server serves, and lists of it. */
class RemoteLists implements AsyncDisposable {
  readonly kind: TestKind;
  readonly behind: RemoteServer;
  readonly #server: ListServer;
  readonly #service: string;

  constructor(kind: TestKind, behind: RemoteServer, server: ListServer, service: string) {
    this.kind = kind;
    this.behind = behind;
    this.#server = server;
    this.#service = service;
  }

  static async start(options: RemoteOptions = {}): Promise<RemoteLists> {
    const kind = aKind("remote");
    const behind = await RemoteServer.start(kind, options);
    for (const each of remotes()) behind.put(each);
    const server = await ListServer.start();
    const service = await aggregate(server.client, kind.group, behind.port);
    const lists = new RemoteLists(kind, behind, server, service);
    const isKnown = (): boolean => {
      const type = server.type(`${kind.group}.remote`);
      return type !== undefined && (options.tables === false || type.cells === toldCells);
    };
    await eventually(isKnown, soon);
    return lists;
  }

  /** Resolves when all objects are counted, which takes a share of the same cache. */
  async counted(): Promise<void> {
    this.#server.followOwners();
    const id = `${this.kind.group}.remote`;
    await eventually(() => this.#server.inventory.of(id)?.total.count === 3, soon);
  }

  async body(query = ""): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.#server.get(`${this.kind.group}.remotes?${query}`);
    expect(answer.status, `${query}: ${answer.text.slice(0, 300)}`).to.equal(200);
    return bodyOf(answer);
  }

  status(query: string): Promise<number> {
    return this.#server.get(`${this.kind.group}.remotes?${query}`).then(({ status }) => status);
  }

  async names(query: string): Promise<readonly string[]> {
    return idsOf(await this.body(query)).map((id) => id.replace("default/", ""));
  }

  /** metadata.fields of all. */
  async fields(query = ""): Promise<readonly unknown[]> {
    const { data } = await this.body(query);
    return listAt(data).map((item) => at(item, "metadata", "fields"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await send(this.#server.client, "DELETE", `${services}/${this.#service}`);
    await this.#server[Symbol.asyncDispose]();
    await this.behind[Symbol.asyncDispose]();
  }
}

describe("lists of types whose cells only their server knows", function () {
  this.timeout(120_000);

  let lists: RemoteLists;
  before(async () => {
    lists = await RemoteLists.start();
  });
  after(() => lists?.[Symbol.asyncDispose]());

  it("have the cells of the server's table, with ages of now", async () => {
    expect(await lists.fields("sort=metadata.name")).to.deep.equal([
      ["a", "red", 10, "3d", "12h"],
      ["b", "blue", 9, "10h", "30d"],
      ["c", "red", 100, "20h", "400d"],
    ]);
  });

  it("have ages that go on though nothing changes", async () => {
    await using own = await RemoteLists.start();
    own.behind.put({ name: "a", colour: "red", size: 1, created: Date.now(), seen: 0 });
    const age = async (): Promise<unknown> =>
      at(await own.fields("filter=metadata.name=a"), "0", "4");
    const isYoung = async () => /^\d+s$/.test(String(await age()));
    await eventually(isYoung, soon);
    const first = await age();

    await eventually(async () => (await age()) !== first, soon);
  });

  it("have nothing else in their items than others", async () => {
    const { data } = await lists.body("filter=metadata.name=b");
    const [item] = listAt(data);
    const metadata = Object.keys(Object(at(item, "metadata")));
    expect(metadata.filter((key) => key === "fields")).to.have.length(1);
    expect(Object.keys(Object(item)).toSorted()).to.deep.equal(
      ["apiVersion", "id", "kind", "links", "metadata", "type"].toSorted(),
    );
    expect(JSON.stringify(item)).to.not.contain("since");
  });

  for (const { query, names } of [
    { query: "filter=metadata.fields[1]=red&sort=metadata.name", names: ["a", "c"] },
    { query: "filter=metadata.fields[2]>9&sort=metadata.name", names: ["a", "c"] },
    { query: "sort=metadata.fields[2]", names: ["b", "a", "c"] },
    { query: "sort=-metadata.fields[2]", names: ["c", "a", "b"] },
    { query: "sort=metadata.fields[1],-metadata.fields[2]", names: ["b", "c", "a"] },
    { query: "sort=metadata.fields[3]", names: ["a", "c", "b"] },
    { query: "sort=metadata.fields[4]", names: ["c", "b", "a"] },
    { query: "sort=metadata.fields[4]&pagesize=1&page=2", names: ["b"] },
  ]) {
    it(`answer ${query}`, async () => {
      expect(await lists.names(query)).to.deep.equal(names);
    });
  }

  it("refuse a column that the table has not", async () => {
    expect(await lists.status("filter=metadata.fields[9]=x")).to.equal(422);
  });

  it("summarize cells", async () => {
    const { summary } = await lists.body("summary=metadata.fields[1]");
    expect(at(summary, "0", "counts")).to.deep.equal({ blue: { total: 1 }, red: { total: 2 } });
  });

  it("follow the server, with one watch for all who read", async () => {
    await using own = await RemoteLists.start();
    await own.body();
    await own.counted();
    const [, b] = remotes();
    own.behind.put({ ...Object(b), colour: "green" });
    own.behind.remove("a");
    own.behind.put({ ...Object(b), name: "d", size: 1 });

    await eventually(async () => {
      expect(await own.fields("sort=metadata.name")).to.deep.equal([
        ["b", "green", 9, "10h", "30d"],
        ["c", "red", 100, "20h", "400d"],
        ["d", "blue", 1, "10h", "30d"],
      ]);
      return true;
    }, soon);
    expect(await own.names("filter=metadata.fields[1]=green")).to.deep.equal(["b"]);
    expect(own.behind.asked.filter((each) => !each.startsWith("columns"))).to.deep.equal([
      "watch table",
    ]);
  });

  it("read again and again what cannot be watched, and show what has changed", async () => {
    await using own = await RemoteLists.start({ watches: false });
    await own.body();
    const [, b] = remotes();
    own.behind.put({ name: "e", colour: "x", size: 1, created: 0, seen: 0 });
    own.behind.put({ ...Object(b), colour: "green" });

    await eventually(async () => {
      expect(await own.names("filter=metadata.fields[1]=x")).to.deep.equal(["e"]);
      expect(await own.names("filter=metadata.fields[1]=green")).to.deep.equal(["b"]);
      return true;
    }, soon);

    expect(own.behind.asked).to.include("list table").and.not.include("watch table");
  });

  it("are plain where the server makes no tables", async () => {
    await using own = await RemoteLists.start({ tables: false });
    await eventually(() => own.behind.asked.includes("columns"), soon); // and then the type is made anew

    await eventually(async () => {
      expect(await own.names("sort=metadata.name")).to.deep.equal(["a", "b", "c"]);
      expect(await own.fields()).to.deep.equal([undefined, undefined, undefined]);
      expect(await own.status("filter=metadata.fields[1]=red")).to.equal(422);
      return true;
    }, soon);
  });
});
