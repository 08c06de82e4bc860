import { spawnSync } from "node:child_process";
import { expect } from "chai";
import { logLevels, silentLogger, systemClock } from "../base/index.ts";
import {
  createLogger,
  isLogFormat,
  isLogLevel,
  type LoggerOptions,
  type RootLogger,
} from "./logger.ts";

const clock = { ...systemClock, now: () => Date.UTC(2026, 0, 2) };

function capture(options: LoggerOptions = {}): { log: RootLogger; lines: string[] } {
  const lines: string[] = [];
  const output = { write: (line: string) => void lines.push(line) };
  return { log: createLogger({ clock, output, ...options }), lines };
}

describe("createLogger", () => {
  it("writes one JSON object per line, the message constant and the rest in fields", () => {
    const { log, lines } = capture();

    log.info("deleted expired object", { name: "a", count: 2 });

    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/^[^\n]+\n$/);
    expect(JSON.parse(lines[0] ?? "")).to.deep.equal({
      level: "info",
      time: "2026-01-02T00:00:00.000Z",
      name: "a",
      count: 2,
      msg: "deleted expired object",
    });
  });

  it("writes text", () => {
    const { log, lines } = capture({ format: "text", fields: { app: "x" } });

    log.warn("look out", { name: "a" });

    expect(lines).to.deep.equal(["2026-01-02T00:00:00.000Z WARN  look out app=x name=a\n"]);
  });

  for (const { level, expected } of [
    { level: "debug", expected: ["d", "i", "w", "e"] },
    { level: "info", expected: ["i", "w", "e"] },
    { level: "warn", expected: ["w", "e"] },
    { level: "error", expected: ["e"] },
  ] as const) {
    it(`tells ${expected.join()} at level ${level}`, () => {
      const { log, lines } = capture({ level });

      log.debug("d");
      log.info("i");
      log.warn("w");
      log.error("e");

      expect(lines.map((line) => JSON.parse(line).msg)).to.deep.equal(expected);
    });
  }

  it("changes the level of every child with the root's", () => {
    const { log, lines } = capture();
    const child = log.child({ a: 1 }).child({ b: 2 });

    child.debug("hidden");
    log.level = "debug";
    child.debug("shown");

    expect(lines.map((line) => JSON.parse(line))).to.deep.equal([
      { level: "debug", time: "2026-01-02T00:00:00.000Z", a: 1, b: 2, msg: "shown" },
    ]);
  });

  it("keeps secrets out of fields, children and errors", () => {
    const { log, lines } = capture({ secretShapes: [/kc-\w+/g] });

    log.child({ password: "hunter2" }).error("failed", {
      headers: { authorization: "Bearer abcdefgh" },
      error: new Error("login with kc-secret failed"),
    });

    expect(lines.join("")).to.not.match(/hunter2|abcdefgh|kc-secret/);
  });

  it("survives fields that throw what has no text", () => {
    const { log, lines } = capture();
    const fields = {
      get bad(): never {
        throw Object.create(null);
      },
    };

    log.info("still told", fields);
    log.child(fields).info("this too");

    expect(lines.map((line) => JSON.parse(line).msg)).to.deep.equal(["still told", "this too"]);
  });

  it("says which levels are written, also of its children, as that changes", () => {
    const { log } = capture();
    const child = log.child({ a: 1 });
    const enabled = () => logLevels.filter((level) => child.isEnabled(level));

    expect(enabled()).to.deep.equal(["info", "warn", "error"]);
    log.level = "error";
    expect(enabled()).to.deep.equal(["error"]);
    log.level = "debug";
    expect(enabled()).to.deep.equal(logLevels);
    expect(logLevels.some((level) => silentLogger.isEnabled(level))).to.equal(false);
  });

  it("shows the stack of an error at level debug only", () => {
    const { log, lines } = capture();

    log.error("failed", { err: new Error("x") });
    log.level = "debug";
    log.error("failed", { err: new Error("x") });

    const [first, second] = lines.map((line) => JSON.parse(line).err);
    expect(first).to.deep.equal({ message: "x", type: "Error" });
    expect(second.stack).to.contain("logger.test");
  });

  it("is silent about nothing: the last line before a crash is written", () => {
    const url = new URL("./logger.js", import.meta.url).href;
    const script = `import { createLogger } from ${JSON.stringify(url)};
      createLogger().info("last words"); process.kill(process.pid, "SIGKILL");`;

    const { stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
    });

    expect(stderr).to.contain('"msg":"last words"');
  });
});

describe("parsing of logger options", () => {
  it("knows levels and formats", () => {
    expect([isLogLevel("debug"), isLogLevel("trace")]).to.deep.equal([true, false]);
    expect([isLogFormat("text"), isLogFormat("xml")]).to.deep.equal([true, false]);
  });
});
