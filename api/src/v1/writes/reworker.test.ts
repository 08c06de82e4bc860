import { expect } from "chai";
import { type Kind, systemClock } from "kopf-ts";
import { manyValues } from "../../body.ts";
import { Problem } from "../problem.ts";
import { type Rework, rework } from "./rework.ts";
import { Reworker } from "./reworker.ts";

describe("Reworker", function () {
  this.timeout(60_000); // a thread starts slowly on a busy machine
  const reworker = new Reworker(systemClock);
  const { signal } = new AbortController();
  const kind: Kind = {
    ...{ group: "", version: "v1", plural: "secrets", kind: "Secret", scope: "Namespaced" },
  };
  const type = { id: "secret", kind, verbs: ["create", "get"] };
  const create: Rework = { verb: "create", type, namespace: undefined };
  const place = { namespace: "ns", name: "a" };
  const metadata = { namespace: "ns", resourceVersion: "1", fields: [1] };
  /** Keys that differ and numbers that JavaScript cannot hold take longest. */
  const heavy = (more: object, values = manyValues): Buffer => {
    const members = Array.from({ length: values }, (_, index) => `"k${index}":1.50`);
    return Buffer.from(`{${JSON.stringify(more).slice(1, -1)},"data":{${members.join()}}}`);
  };

  for (const task of [
    create,
    { verb: "update", type, ...place },
    { verb: "patch", typeId: "secret" },
  ] satisfies readonly Rework[]) {
    it(`makes the same of many values as of few: ${task.verb}`, async () => {
      const sent = heavy({ _type: "x", type: "secret", metadata });

      expect(await reworker.rework(task, sent, signal)).to.deep.equal(rework(task, sent));
    });
  }

  it("refuses as it does with few values", async () => {
    for (const [sent, fieldName] of [
      [heavy({ metadata: {} }), "metadata.namespace"],
      [Buffer.concat([heavy({ metadata }), Buffer.from("}")]), "body"],
      [heavy({ metadata }, 250_000), "body"],
    ] as const) {
      const refused = await reworker.rework(create, sent, signal).catch((thrown) => thrown);

      expect(refused).to.be.instanceOf(Problem);
      expect(refused).to.include({ status: 422, code: "InvalidBodyContent", fieldName });
    }
  });

  it("leaves others their turns meanwhile", async () => {
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);

    await reworker.rework(create, heavy({ metadata }, 100_000), signal);

    isDone = true;
    expect(turns).to.be.greaterThan(20);
  });

  it("ends for somebody who has gone", async () => {
    const gone = new AbortController();
    const working = reworker.rework(create, heavy({ metadata }), gone.signal);
    gone.abort(new Error("gone"));

    expect(await working.catch(String)).to.equal("Error: gone");
  });
});
