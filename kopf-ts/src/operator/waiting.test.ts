import { expect } from "chai";
import { HealthChecks } from "../observe/index.ts";
import { Waiting } from "./waiting.ts";

describe("Waiting", () => {
  it("is a check of /readyz for as long as something is missing, with the last reason", async () => {
    const health = new HealthChecks();
    const waiting = new Waiting(health);

    waiting.tell("api-server", "refused");
    waiting.tell("api-server", "no route");
    expect(await health.unready()).to.deep.equal(["api-server: no route"]);

    waiting.tell("api-server", undefined);
    expect(await health.unready()).to.deep.equal([]);
  });

  it("replaces what is missing of one sort and leaves the others", async () => {
    const health = new HealthChecks();
    const waiting = new Waiting(health);
    waiting.tell("start", "not yet");

    waiting.replace(
      "cache/",
      new Map([
        ["a", "Forbidden"],
        ["b", "NotFound"],
      ]),
    );
    waiting.replace("cache/", new Map([["b", "NotFound"]]));

    expect(await health.unready()).to.deep.equal(["start: not yet", "cache/b: NotFound"]);
  });

  it("leaves no check behind", async () => {
    const health = new HealthChecks();
    const waiting = new Waiting(health);
    waiting.tell("start", "not yet");
    waiting.tell("cache/a", "Forbidden");

    waiting[Symbol.dispose]();

    expect(await health.unready()).to.deep.equal([]);
  });
});
