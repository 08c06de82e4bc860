import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect } from "chai";
import { eventually } from "../testing/index.ts";
import type { Behaviour } from "./testing/process.ts";

/** A process that runs an operator of the given behaviour. */
class Running {
  out = "";
  log = "";
  readonly #child;
  readonly #closed: Promise<unknown[]>;

  constructor(behaviour: Behaviour) {
    const script = join(import.meta.dirname, "testing", "process.js");
    this.#child = spawn(process.execPath, [script, behaviour], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#closed = once(this.#child, "close");
    this.#child.stdout.on("data", (chunk) => {
      this.out += chunk;
    });
    this.#child.stderr.on("data", (chunk) => {
      this.log += chunk;
    });
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async says(text: string): Promise<void> {
    await eventually(() => this.out.includes(text) || this.log.includes(text), {
      within: 10_000,
      what: text,
    });
  }

  async code(): Promise<unknown> {
    return (await this.#closed)[0];
  }
}

describe("runOperator", function () {
  this.timeout(20_000);

  for (const name of ["SIGTERM", "SIGINT"] as const) {
    it(`stops in order on ${name}, with code 0`, async () => {
      const running = new Running("drains");
      await running.says("running");

      running.signal(name);

      expect(await running.code()).to.equal(0);
      expect(running.out).to.contain("drained");
      expect(running.log).to.contain('"msg":"stopping"');
    });
  }

  for (const { name, code } of [
    { name: "SIGTERM", code: 143 },
    { name: "SIGINT", code: 130 },
  ] as const) {
    it(`ends at once on the second ${name}, with code ${code}`, async () => {
      const running = new Running("never drains");
      await running.says("started");
      running.signal("SIGTERM");
      await running.says('"msg":"stopping"');

      running.signal(name);

      expect(await running.code()).to.equal(code);
    });
  }

  it("ends with the operator's code", async () => {
    expect(await new Running("loses its lease").code()).to.equal(75);
  });

  it("ends with code 1 and a line of the log when the operator rejects", async () => {
    const running = new Running("rejects");

    expect(await running.code()).to.equal(1);
    expect(running.log).to.contain('"message":"broken"');
  });

  it("ends although something keeps the process alive, and says what", async () => {
    const running = new Running("lingers");

    expect(await running.code()).to.equal(0);
    expect(running.log).to.match(/"resources":\[[^\]]*"Timeout"/);
  });

  it("logs an exception that nobody catches before it ends the process", async () => {
    const running = new Running("throws beside");

    expect(await running.code()).to.equal(1);
    expect(running.log).to.contain('"msg":"uncaught exception"');
    expect(running.log).to.contain("nobody catches this");
  });
});
