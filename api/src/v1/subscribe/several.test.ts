import { expect } from "chai";
import { fakeClock } from "kopf-ts/testing";
import { everything } from "../access/held-access.ts";
import { whole } from "../items/shape.ts";
import type { Frame } from "./frame.ts";
import { unsaid } from "./message.ts";
import { type SeveralAsked, watchSeveral } from "./several.ts";

const nothing = (): void => undefined;

/** A subscription to notifications of several clusters, and what it is told. */
function aSubscription() {
  const told: string[] = [];
  const clock = fakeClock();
  const send = ({ plain }: Frame): void => {
    const { name, revision, data } = JSON.parse(String(plain.subarray(plain.indexOf("{"))));
    told.push([name, revision, data?.error].filter(Boolean).join(" "));
  };
  const message = { ...unsaid, resourceType: "pod", mode: "resource.changes" as const };
  let asked: SeveralAsked | undefined;
  const serve = (which: SeveralAsked) => {
    asked = which;
    return { accessChanged: nothing, [Symbol.dispose]: nothing };
  };
  watchSeveral(serve, {
    ...{ message, clock, names: "all", take: () => true, give: nothing },
    asker: {
      ...{ caller: { username: "u", groups: [] }, scope: undefined, access: everything },
      ...{ base: "https://drover", shape: whole },
    },
    outlet: { isFull: false, send, whenDrained: nothing },
  });
  if (asked === undefined) throw new Error("nobody was asked");
  return { told, clock, asked };
}

describe("notifications of several clusters", () => {
  for (const end of ["tellLast", "tellRest"] as const) {
    it(`tell what is known of a cluster before why it ends (${end})`, async () => {
      const { told, clock, asked } = aSubscription();
      const ofOne = asked.notifierOf("c-1");
      ofOne?.tell("1");
      ofOne?.tell("2");

      ofOne?.[end]("2");
      asked.failed("c-1", "gone");
      await clock.advance(10_000);

      const names = told.map((text) => text.split(" ")[0]);
      expect(names).to.deep.equal(["resource.changes", "resource.changes", "resource.error"]);
    });
  }

  it("go on for the others", async () => {
    const { told, clock, asked } = aSubscription();
    asked.notifierOf("c-1")?.tell("1");
    asked.notifierOf("c-1")?.tellLast("2");

    asked.notifierOf("c-2")?.tell("7");
    await clock.advance(10_000);

    expect(told.filter((text) => text.startsWith("resource.changes"))).to.have.lengthOf(3);
    expect(clock.pending).to.equal(0);
  });
});
