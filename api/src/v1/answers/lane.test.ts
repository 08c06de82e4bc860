import { once } from "node:events";
import { createServer, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { Lane } from "./lane.ts";

const kib = 1024;
const large = 512 * kib;
/** More than a connection takes that nobody reads. */
const unread = Buffer.alloc(16 * 1024 * kib, "x");
const { signal } = new AbortController();

describe("Lane", () => {
  let server: Server;
  let lane: Lane;
  let answer: (response: ServerResponse) => void;

  before(async () => {
    server = createServer((_, response) => answer(response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  beforeEach(() => {
    lane = new Lane();
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Answers that were asked for together, to which nobody has written yet. */
  async function open(count: number): Promise<readonly ServerResponse[]> {
    const responses: ServerResponse[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    answer = (response) => {
      response.flushHeaders();
      if (responses.push(response) === count) resolve();
    };
    const { port } = server.address() as AddressInfo;
    for (let index = 0; index < count; index++) {
      const asked = request({ port, agent: false }, (answered) => answered.pause()).end();
      asked.on("error", () => undefined);
    }
    await promise;
    return responses;
  }

  /** The names of those who have entered by now. */
  function entering(...all: readonly (readonly [string, ServerResponse, number?])[]): string[] {
    const entered: string[] = [];
    for (const [name, response, bytes = large] of all)
      void lane.enter(response, bytes, signal).then(() => entered.push(name));
    return entered;
  }

  async function turns(count: number): Promise<void> {
    for (let index = 0; index < count; index++) await new Promise(setImmediate);
  }

  it("lets one in each turn, in order, however slowly they read", async () => {
    const entered: string[] = [];
    const all = (await open(10)).map(async (response, index) => {
      const hasWaited = await lane.enter(response, large, signal);
      entered.push(`${index} enters ${hasWaited ? "in turn" : "at once"}`);
      response.end(unread);
    });
    const counts: number[] = [];
    for (let turn = 0; turn < 9; turn++) {
      await turns(1);
      counts.push(entered.length);
    }
    await Promise.all(all);

    expect(counts).to.deep.equal([2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(entered).to.deep.equal(
      all.map((_, index) => `${index} enters ${index > 0 ? "in turn" : "at once"}`),
    );
  });

  it("does not wait for long for one that is not written", async () => {
    const [first, second] = await open(2);
    const entered = entering(
      ["first", first as ServerResponse],
      ["second", second as ServerResponse],
    );

    await turns(4);
    expect(entered).to.deep.equal(["first"]);
    await turns(1);
    expect(entered).to.deep.equal(["first", "second"]);
  });

  it("does not wait for one whose connection has broken", async () => {
    const [first, second] = await open(2);
    const entered = entering(
      ["first", first as ServerResponse],
      ["second", second as ServerResponse],
    );

    first?.destroy();
    await turns(2);
    expect(entered).to.deep.equal(["first", "second"]);
  });

  it("lets in at once what is small, and what goes out in parts", async () => {
    const [first, second, third, fourth] = (await open(4)) as ServerResponse[];
    const entered = entering(
      ...([
        ["first", first],
        ["second", second],
      ] as [string, ServerResponse][]),
      ["small", third as ServerResponse, large - 1],
      ["in parts", fourth as ServerResponse, 2048 * kib + 1],
    );

    await turns(1);
    expect(entered).to.deep.equal(["first", "small", "in parts"]);
  });

  it("has small ones whose bytes are there depart when the turn ends, whatever large ones do", async () => {
    const [first, second, third, fourth] = (await open(4)) as ServerResponse[];
    const departed: string[] = [];
    const depart = (name: string, response: ServerResponse | undefined, bytes: number): void =>
      void lane.depart(response as ServerResponse, bytes, signal).then(() => departed.push(name));
    depart("large", first, large);
    depart("large, too", second, large);
    depart("small", third, large - 1);
    depart("in parts", fourth, 2048 * kib + 1);

    await new Promise(process.nextTick);
    expect(departed).to.have.members(["large", "in parts"]);
    await turns(1);
    expect(departed).to.have.members(["large", "in parts", "small"]);
  });

  it("tells a small one whose caller has gone meanwhile", async () => {
    const [first] = await open(1);
    const gone = new AbortController();
    const waiting = lane
      .depart(first as ServerResponse, 0, gone.signal)
      .catch((thrown: unknown) => thrown);
    gone.abort(new Error("gone"));

    expect(await waiting).to.equal(gone.signal.reason);
  });

  it("passes over those who have gone", async () => {
    const [first, second, third] = (await open(3)) as ServerResponse[];
    const gone = new AbortController();
    await lane.enter(first as ServerResponse, large, signal);
    const waiting = lane
      .enter(second as ServerResponse, large, gone.signal)
      .catch((thrown: unknown) => thrown);
    const entered = entering(["third", third as ServerResponse]);
    gone.abort(new Error("gone"));
    second?.destroy();
    first?.end();

    expect(await waiting).to.equal(gone.signal.reason);
    await turns(2);
    expect(entered).to.deep.equal(["third"]);
  });
});
