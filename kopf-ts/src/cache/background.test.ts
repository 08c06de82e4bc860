import { expect } from "chai";
import { type Logger, silentLogger } from "../base/index.ts";
import { Background } from "./background.ts";
import { spin } from "./fixtures.ts";

function* count(to: number, done: string[], name: string): Generator<void, void, void> {
  for (let n = 0; n < to; n++) yield;
  done.push(name);
}

describe("Background", () => {
  it("runs jobs in the order they came, and nothing before the next turn", async () => {
    const background = new Background(silentLogger);
    const done: string[] = [];

    const jobs = ["a", "b", "c"].map((name) => background.run(count(10, done, name)));
    const before = [...done];
    await Promise.all(jobs.map((job) => job.done));

    expect(before).to.deep.equal([]);
    expect(done).to.deep.equal(["a", "b", "c"]);
  });

  it("lets a short job pass a long one", async () => {
    const background = new Background(silentLogger);
    const done: string[] = [];
    const long = background.run(
      (function* () {
        for (let n = 0; n < 30; n++) {
          spin(1);
          yield;
        }
        done.push("long");
      })(),
    );
    const short = background.run(count(10, done, "short"));

    const both = background.size;
    await Promise.all([long.done, short.done]);

    expect(done).to.deep.equal(["short", "long"]);
    expect([both, background.size]).to.deep.equal([2, 0]);
  });

  it("lets the event loop turn every few milliseconds", async () => {
    const background = new Background(silentLogger);
    let turns = 0;
    const turn = (): void => {
      turns++;
      handle = setImmediate(turn);
    };
    let handle = setImmediate(turn);

    await background.run(
      (function* () {
        for (let n = 0; n < 50; n++) {
          spin(1);
          yield;
        }
      })(),
    ).done;
    clearImmediate(handle);

    expect(turns).to.be.at.least(8);
  });

  it("goes on after a job that throws", async () => {
    const errors: unknown[] = [];
    const logger: Logger = { ...silentLogger, error: (_, fields) => errors.push(fields?.error) };
    const background = new Background(logger);
    const done: string[] = [];
    const failing = background.run(
      (function* () {
        yield;
        throw new Error("broken");
      })(),
    );
    const next = background.run(count(1, done, "next"));

    await Promise.all([failing.done, next.done]);

    expect(errors).to.deep.equal(["broken"]);
    expect(done).to.deep.equal(["next"]);
  });

  it("stops what is cancelled, and then has nothing scheduled", async () => {
    const background = new Background(silentLogger);
    const done: string[] = [];
    const first = background.run(count(1e9, done, "endless"));
    await new Promise(setImmediate);

    first.cancel();
    const second = background.run(count(1e9, done, "endless too"));
    background.clear();
    await Promise.all([first.done, second.done]);

    expect(done).to.deep.equal([]);
    expect(process.getActiveResourcesInfo()).to.not.include("Immediate");
  });
});
