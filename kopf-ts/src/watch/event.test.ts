import { expect } from "chai";
import { parseEvent } from "./event.ts";

const parse = (line: string): ReturnType<typeof parseEvent> =>
  parseEvent(Buffer.from(`##${line}##`), 2, 2 + Buffer.byteLength(line));

describe("parseEvent", () => {
  for (const type of ["ADDED", "MODIFIED", "DELETED"] as const) {
    for (const { spelling, line } of [
      {
        spelling: "as Kubernetes writes it",
        line: `{"type":"${type}","object":{"metadata":{"name":"a"}}}`,
      },
      {
        spelling: "with white space",
        line: ` { "type" : "${type}" , "object" : {"metadata":{"name":"a"}} } \r`,
      },
      {
        spelling: "the other way round",
        line: `{"object":{"metadata":{"name":"a"}},"type":"${type}"}`,
      },
      {
        spelling: "with more members",
        line: `{"type":"${type}","object":{"metadata":{"name":"a"}},"x":{"y":[1]}}`,
      },
      {
        spelling: "with an escaped key",
        line: `{"typ\\u0065":"${type}","object":{"metadata":{"name":"a"}}}`,
      },
      {
        spelling: "with repeated members",
        line: `{"type":"ERROR","object":{},"type":"${type}","object":{"metadata":{"name":"a"}}}`,
      },
    ]) {
      it(`reads ${type} ${spelling}`, () => {
        const event = parse(line);

        expect(event.type).to.equal(type);
        expect("object" in event ? event.object?.name : undefined).to.equal("a");
      });
    }
  }

  it("tells an object without a name from half an object", () => {
    expect(parse('{"type":"ADDED","object":{"metadata":{}}}')).to.deep.equal({
      type: "ADDED",
      object: undefined,
    });
  });

  for (const type of ["BOOKMARK", "ERROR"] as const) {
    it(`hands over the value of ${type}`, () => {
      expect(parse(`{"type":"${type}","object":{"code":410}}`)).to.deep.equal({
        type,
        value: { code: 410 },
      });
    });
  }

  it("refuses a line that was cut off, at whatever byte", () => {
    const line =
      '{"type":"ADDED","object":{"metadata":{"name":"a","labels":{}},"spec":{"a":[{}]}}}';
    for (let end = 0; end < line.length; end++) {
      expect(() => parse(line.slice(0, end)), line.slice(0, end)).to.throw(SyntaxError);
    }
  });

  for (const line of [
    "null",
    "{}",
    '{"type":"ADDED"}',
    '{"type":"ADDED","object":null}',
    '{"type":1,"object":{}}',
    '{"type":"NEW","object":{}}',
    '{"type":"ADDED","object":{"metadata":{"name":"a"}}}{"type":"ADDED"}',
  ]) {
    it(`refuses ${line}`, () => {
      expect(() => parse(line)).to.throw(SyntaxError);
    });
  }

  for (const line of [
    '{"type":"ADDED","object":{"data":{"password":"hunter2"}',
    '{"object":{"data":"hunter2"},"type":1}',
    '{"type":"hunter2"}',
    '{"type":"\\hunter2","object":{}}',
    '{"type":"ERROR","object":{"message":hunter2}}',
    '{"type":"BOOKMARK","object":{"metadata":hunter2}}',
    "hunter2",
  ]) {
    it(`keeps the contents of ${line} out of its messages`, () => {
      expect(() => parse(line))
        .to.throw(SyntaxError)
        .with.property("message")
        .not.contains("hunter");
    });
  }
});
