import { expect } from "chai";
import { everything } from "../access/held-access.ts";
import { parseShape } from "../items/shape.ts";
import { problem } from "../problem.ts";
import type { SeveralAsked } from "../subscribe/index.ts";
import { unsaid } from "../subscribe/message.ts";
import type { ClusterSource, WatchQuestion } from "./cluster-source.ts";
import { Part } from "./part.ts";

const nothing = (): void => undefined;
const place = { cluster: "c-1", base: "https://drover", signal: new AbortController().signal };

/** A part, the source that it asks, and what it has told. */
function aPart(hasStarted = true) {
  const told: string[] = [];
  const source = new OneWatch();
  const asked: SeveralAsked = {
    ...{ caller: { username: "u", groups: [] }, scope: undefined, access: everything },
    base: "https://drover",
    ...{ message: unsaid, shape: parseShape(new URLSearchParams()), names: "all" },
    ...{ revisions: new Map(), notifierOf: () => undefined, give: nothing, take: () => true },
    outlet: { isFull: false, send: nothing, whenDrained: nothing },
    started: nothing,
    joined: (cluster, revision) => told.push(`${cluster} at ${revision}`),
    failed: (cluster, error) =>
      told.push(`${cluster} ${typeof error === "string" ? error : error.message}`),
  };
  const whole = { hasStarted: () => hasStarted, onEnd: nothing, onNews: nothing };
  return { told, source, part: new Part("c-1", asked, whole) };
}

/** Answers when it is told to. */
class OneWatch implements ClusterSource {
  readonly answer: PromiseWithResolvers<void> = Promise.withResolvers();
  questions = 0;
  isOpen = false;

  readonly list = (): Promise<never> => Promise.reject(new Error("nobody lists"));
  readonly search = (): Promise<never> => Promise.reject(new Error("nobody searches"));

  async watch({ onStart }: WatchQuestion): Promise<Disposable & { start(): void }> {
    this.questions++;
    await this.answer.promise;
    this.isOpen = true;
    return {
      start: () => onStart("7"),
      [Symbol.dispose]: () => {
        this.isOpen = false;
      },
    };
  }

  onChange(): Disposable {
    return { [Symbol.dispose]: nothing };
  }
}

describe("a part of a subscription to several clusters", () => {
  it("is asked for once, however often", async () => {
    const { part, source, told } = aPart();
    const both = [part.open(source, place), part.open(source, place)];
    source.answer.resolve();
    await Promise.all(both);
    await part.open(source, place);

    expect([source.questions, source.isOpen]).to.deep.equal([1, true]);
    expect(told).to.deep.equal(["c-1 at 7"]);
  });

  it("ends with a cluster that cannot be asked, which is told once for each reason", async () => {
    const { part, source, told } = aPart();
    source.answer.resolve();
    await part.open(source, place);

    for (const why of ["away", "away", "gone"]) part.fail(problem("ClusterUnavailable", why));

    expect(source.isOpen).to.equal(false);
    expect(told.slice(1)).to.deep.equal(["c-1 away", "c-1 gone"]);
  });

  it("says nothing before the subscription has begun", async () => {
    const { part, source, told } = aPart(false);
    source.answer.resolve();
    await part.open(source, place);
    part.fail(problem("ClusterUnavailable", "away"));
    const before = [...told];

    part.start();

    expect([before, told]).to.deep.equal([[], ["c-1 away"]]);
  });

  it("that is dropped while it is asked for lets go of what comes", async () => {
    const { part, source, told } = aPart();
    const opening = part.open(source, place);
    part[Symbol.dispose]();
    source.answer.resolve();
    await opening;

    expect([source.questions, source.isOpen]).to.deep.equal([1, false]);
    expect(told).to.deep.equal([]);
  });
});
