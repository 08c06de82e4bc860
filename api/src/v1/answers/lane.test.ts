import { once } from "node:events";
import { createServer, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { Lane } from "./lane.ts";

const kib = 1024;
const page = Buffer.alloc(256 * kib, "x");
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
      const asked = request({ port, agent: false }, (answered) => answered.resume()).end();
      asked.on("error", () => undefined);
    }
    await promise;
    return responses;
  }

  /** The names of those who have entered by now. */
  function entering(...all: readonly (readonly [string, ServerResponse, number?])[]): string[] {
    const entered: string[] = [];
    for (const [name, response, bytes = page.length] of all)
      void lane.enter(response, bytes, signal).then(() => entered.push(name));
    return entered;
  }

  async function turns(count: number): Promise<void> {
    for (let index = 0; index < count; index++) await new Promise(setImmediate);
  }

  it("lets one after the other in, in order, once the one before has gone", async () => {
    const events: string[] = [];
    const all = (await open(10)).map(async (response, index) => {
      const gone = once(response, "finish").then(() => events.push(`${index} has gone`));
      const hasWaited = await lane.enter(response, page.length, signal);
      events.push(`${index} enters ${hasWaited ? "in turn" : "at once"}`);
      response.end(page);
      await gone;
    });
    await Promise.all(all);

    const expected = (index: number): readonly string[] => [
      `${index} enters ${index > 0 ? "in turn" : "at once"}`,
      `${index} has gone`,
    ];
    expect(events).to.deep.equal(all.flatMap((_, index) => expected(index)));
  });

  it("does not wait for long for one that is not read", async () => {
    const [first, second] = await open(2);
    const entered = entering(
      ["first", first as ServerResponse],
      ["second", second as ServerResponse],
    );

    await turns(1);
    expect(entered).to.deep.equal(["first"]);
    await turns(5);
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
      ["small", third as ServerResponse, 256 * kib - 1],
      ["in parts", fourth as ServerResponse, 2048 * kib + 1],
    );

    await turns(1);
    expect(entered).to.deep.equal(["first", "small", "in parts"]);
  });

  it("passes over those who have gone", async () => {
    const [first, second, third] = (await open(3)) as ServerResponse[];
    const gone = new AbortController();
    await lane.enter(first as ServerResponse, page.length, signal);
    const waiting = lane
      .enter(second as ServerResponse, page.length, gone.signal)
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
