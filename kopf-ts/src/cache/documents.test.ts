import { expect } from "chai";
import { type Fields, type Logger, silentLogger } from "../base/index.ts";
import { type DocumentOptions, Documents } from "./documents.ts";
import { Widget } from "./fixtures.ts";

function documents(options: DocumentOptions = {}): {
  readonly documents: Documents<Widget>;
  readonly errors: readonly unknown[];
} {
  const errors: unknown[] = [];
  const logger: Logger = {
    ...silentLogger,
    error: (message: string, fields?: Fields) => errors.push([message, fields?.key]),
  };
  return { documents: new Documents(Widget, options, logger), errors };
}

const text = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const bare = { metadata: { name: "a" }, spec: { size: 1 } };
const typed = { apiVersion: "example.com/v1", kind: "Widget", ...bare };

describe("Documents", () => {
  it("parses a state once for several readers, until it is forgotten", () => {
    const { documents: parsed } = documents();
    let reads = 0;
    const read = (): Buffer => {
      reads++;
      return text({ ...typed, spec: { size: reads } });
    };

    const first = parsed.get(1, "a", read);
    const second = parsed.get(1, "a", read);
    parsed.forget(1);
    const third = parsed.get(1, "a", read);

    expect(second).to.equal(first);
    expect(third?.spec).to.deep.equal({ size: 2 });
    expect(reads).to.equal(2);
  });

  it("keeps no more than it may", () => {
    const { documents: parsed } = documents({ parsedBytes: 1000 });
    const size = text(typed).length;

    for (let row = 0; row < 100; row++) parsed.get(row, "a", () => text(typed));

    const kept = Array.from({ length: 100 }, (_, row) => parsed.peek(row)).filter(Boolean);
    expect(kept).to.have.length(Math.floor(1000 / size));
    expect(parsed.peek(99)).to.deep.equal(typed);
    expect(documents({ parsedBytes: 0 }).documents.get(1, "a", () => text(typed))).to.deep.equal(
      typed,
    );
  });

  it("adds apiVersion and kind, which items of paged lists lack", () => {
    expect(documents().documents.get(1, "a", () => text(bare))).to.deep.equal(typed);
  });

  it("gives metadata its own kind's name", () => {
    const partial = { ...bare, apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata" };
    const { documents: parsed } = documents({ metadataOnly: true });

    expect(parsed.get(1, "a", () => text(partial))).to.deep.equal(typed);
  });

  it("freezes objects to the ground when told", () => {
    const { documents: parsed } = documents({ freeze: true });
    const object = parsed.get(1, "a", () => text({ ...typed, list: [{ deep: [1] }] })) as
      | (Widget & { list: [{ deep: number[] }] })
      | undefined;

    expect(() => object?.list[0].deep.push(2)).to.throw(TypeError);
    expect(() => Object.assign(object?.metadata ?? {}, { name: "b" })).to.throw(TypeError);
  });

  for (const bytes of ['{"metadata":{"name":"a"},"spec":oops}', "", "null", "1"]) {
    it(`reports ${JSON.stringify(bytes)} once and returns nothing`, () => {
      const { documents: parsed, errors } = documents();

      const found = [1, 2, 3].map(() => parsed.get(7, "ns/a", () => Buffer.from(bytes)));
      const malformed = parsed.malformed;
      parsed.forget(7);

      expect(found).to.deep.equal([undefined, undefined, undefined]);
      expect(errors).to.deep.equal([["an object of the cache cannot be read", "ns/a"]]);
      expect(malformed).to.equal(1);
      expect(parsed.malformed).to.equal(0);
    });
  }
});
