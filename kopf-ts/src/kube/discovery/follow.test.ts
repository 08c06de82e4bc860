import type { ServerResponse } from "node:http";
import { expect } from "chai";
import { silentLogger } from "../../base/index.ts";
import { clientOf, loopback, ManualClock, type Script, until } from "../loopback.test.support.ts";
import { followSources } from "./follow.ts";
import { RestMapper } from "./mapper.ts";

/** Follows a server's kinds by a clock of ours until it is disposed. */
async function following(script: Script) {
  const server = await loopback(script);
  const client = clientOf(server);
  const clock = new ManualClock();
  const controller = new AbortController();
  let changes = 0;
  const onChange = (): void => void changes++;
  const options = { client, clock, logger: silentLogger, onChange };
  const followed = followSources(options, controller.signal);
  return {
    server,
    clock,
    changes: () => changes,
    [Symbol.asyncDispose]: async () => {
      controller.abort();
      await followed;
      await client[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe("followSources", () => {
  for (const [name, script] of [
    ["ends at once", (response) => void response.end()],
    ["tells something and ends", (response) => void response.end('{"type":"ADDED"}\n')],
    ["is refused", (response) => void response.writeHead(400).end()],
  ] satisfies [string, Script][]) {
    it(`waits longer and longer for a watch that ${name}`, async () => {
      await using test = await following(script);
      const delays: number[] = [];

      for (let attempt = 1; attempt <= 4; attempt++) {
        await until(() => test.clock.waiting().length === 2);
        expect(test.server.seen, "both sources, once per delay").to.have.length(2 * attempt);
        const longest = test.clock.waiting()[1] ?? 0;
        delays.push(longest);
        test.clock.advance(longest);
      }

      for (const [attempt, delay] of delays.entries()) {
        expect(delay).to.be.at.least(800 * 2 ** attempt);
      }
    });
  }

  it("opens a watch that lasted a second again at once, and takes the gap as a change", async () => {
    const open: ServerResponse[] = [];
    await using test = await following((response) => {
      response.writeHead(200).flushHeaders();
      open.push(response);
    });
    await until(() => open.length === 2);

    test.clock.advance(1_000);
    for (const response of open) response.end();

    await until(() => open.length === 4);
    expect(test.clock.waiting()).to.deep.equal([]);
    expect(test.changes()).to.equal(2);
  });
});

describe("listeners of a RestMapper", () => {
  it("are all called though the first one throws", async () => {
    const kinds = { kind: "APIGroupDiscoveryList", items: [] };
    await using server = await loopback((response, { path }) => {
      response.writeHead(200, { "content-type": "application/json" });
      if (path.includes("watch")) response.flushHeaders();
      else response.end(JSON.stringify(kinds));
    });
    await using client = clientOf(server);
    const lines: unknown[] = [];
    const logger = { ...silentLogger, error: (_: string, fields: unknown) => lines.push(fields) };
    const mapper = new RestMapper(client, { logger });
    const controller = new AbortController();
    const told: string[] = [];
    mapper.subscribe(() => {
      throw new Error("a bug");
    });
    mapper.subscribe(() => void told.push("second"));

    const started = mapper.start(controller.signal);
    await until(() => told.length > 0);
    controller.abort();
    await started;

    expect(told).to.deep.equal(["second"]);
    expect(lines).to.deep.equal([{ error: "a bug" }]);
  });
});
