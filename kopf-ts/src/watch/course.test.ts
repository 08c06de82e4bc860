import { expect } from "chai";
import { ApiError } from "../kube/index.ts";
import { Course } from "./course.ts";
import { judge, WatchFailure } from "./failure.ts";
import { ListModeMemory } from "./memory.ts";
import { Position } from "./position.ts";
import { ConfigMaps } from "./testing/harness.ts";

class World {
  readonly memory = new ListModeMemory();
  readonly position = new Position();
  readonly course = new Course(ConfigMaps, this.position, this.memory);

  /** Asks for what is next and says what came of it; tells what was asked for, with `!` when it goes on at once. */
  step(outcome: Outcome): string {
    const asked = this.course.next();
    if (outcome === "works") {
      if (asked === "changes") return asked;
      this.position.listed("5");
      this.course.listed();
      this.course.live();
      return asked;
    }
    if (outcome === "breaks once listed") {
      this.position.listed("5");
      this.course.listed();
    }
    return this.course.failed(judge(failures[outcome])) ? `${asked}!` : asked;
  }
}

const status = (code: number): ApiError =>
  new ApiError({ message: "m", code, reason: "R", method: "GET", path: "/" });

const failures = {
  "breaks once listed": status(422),
  refused: status(422),
  silent: new WatchFailure("NoInitialEnd", "m"),
  busy: status(503),
  gone: status(410),
  missing: status(404),
  unreadable: new SyntaxError("m"),
} as const;

type Outcome = "works" | keyof typeof failures;

describe("Course", () => {
  for (const { what, outcomes, asked, mode } of [
    {
      what: "follows a streamed list",
      outcomes: ["works", "works", "busy", "works"],
      asked: ["stream", "changes", "changes", "changes"],
      mode: "stream",
    },
    {
      what: "tries pages at once where streaming is refused, and remembers what worked",
      outcomes: ["refused", "works", "gone", "works"],
      asked: ["stream!", "pages", "changes", "pages"],
      mode: "pages",
    },
    {
      what: "does not remember pages that do not work either",
      outcomes: ["silent", "busy", "works"],
      asked: ["stream!", "pages", "stream"],
      mode: "stream",
    },
    {
      what: "gives a stream that has worked a second chance, and one only",
      outcomes: ["works", "gone", "silent", "silent", "works"],
      asked: ["stream", "changes", "stream", "stream!", "pages"],
      mode: "pages",
    },
    {
      what: "does not blame streaming for what comes behind the list",
      outcomes: ["breaks once listed", "works"],
      asked: ["stream", "stream"],
      mode: "stream",
    },
    {
      what: "does not blame streaming for a server that is busy, or a kind that is missing",
      outcomes: ["busy", "missing", "works"],
      asked: ["stream", "stream", "stream"],
      mode: "stream",
    },
    {
      what: "lists again what is missing",
      outcomes: ["works", "missing", "works", "works"],
      asked: ["stream", "changes", "stream", "changes"],
      mode: "stream",
    },
    {
      what: "lists again when the same place cannot be read three times",
      outcomes: ["works", "unreadable", "unreadable", "unreadable", "works"],
      asked: ["stream", "changes", "changes", "changes", "stream"],
      mode: "stream",
    },
  ] satisfies readonly {
    what: string;
    outcomes: readonly Outcome[];
    asked: readonly string[];
    mode: "stream" | "pages";
  }[]) {
    it(what, () => {
      const world = new World();

      const found = outcomes.map((outcome) => world.step(outcome));

      expect(found).to.deep.equal(asked);
      expect(world.memory.modeOf(ConfigMaps)).to.equal(mode);
    });
  }

  it("questions its position where the server may have been another meanwhile", () => {
    const world = new World();
    const questioned = (["works", "busy"] as const).map((outcome) => {
      world.step(outcome);
      return world.position.unproven;
    });

    expect(questioned).to.deep.equal([false, true]);
    expect(world.course.next()).to.equal("changes");
  });

  it("counts failures until the watch is live", () => {
    const world = new World();
    for (const outcome of ["busy", "refused", "busy"] as const) world.step(outcome);
    const before = world.course.failures;
    world.step("works");

    expect([before, world.course.failures]).to.deep.equal([3, 0]);
  });
});
