import { Readable } from "node:stream";
import { expect } from "chai";
import { silentLogger, systemClock } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { checkJson, parseBody, parseJson, readBody } from "./body.ts";
import { type ServingCertificate, selfSigned } from "./listener/certificate.ts";
import { type Listener, listen } from "./listener/index.ts";
import { Raw } from "./listener/testing/raw.ts";
import { type Exchange, send } from "./stage.ts";
import { Problem } from "./v1/problem.ts";
import { YamlReader } from "./yaml/index.ts";

const text = (error: unknown): string =>
  error instanceof Problem ? `${error.status} ${error.code} ${error.message}` : String(error);

describe("readBody", () => {
  let certificate: ServingCertificate;
  let listener: Listener;
  const seen: string[] = [];
  const told: string[] = [];
  before(async () => {
    certificate = await selfSigned(["localhost"], Date.now());
    const error = (message: string): void => void told.push(message);
    listener = await listen({
      ...{ httpsPort: 0, certificate, clock: systemClock, log: { ...silentLogger, error } },
      handle: async (exchange) => {
        try {
          const body = await readBody(exchange, 10);
          send(exchange.response, 200, `${body.length} bytes`, "text/plain");
        } catch (thrown) {
          seen.push(text(thrown));
          throw thrown;
        }
      },
    });
  });
  after(() => listener.close(0));
  beforeEach(() => {
    seen.length = 0;
    told.length = 0;
  });

  const post = (...lines: readonly string[]): Raw =>
    new Raw(listener, certificate.cert).send("POST / HTTP/1.1", "Host: localhost", ...lines);

  for (const { name, lines, body, expected } of [
    { name: "nothing", lines: ["Connection: close"], body: "", expected: "200 0 bytes" },
    {
      name: "as much as allowed",
      lines: ["Connection: close", "Content-Length: 10"],
      body: "0123456789",
      expected: "200 10 bytes",
    },
    {
      name: "chunks",
      lines: ["Connection: close", "Transfer-Encoding: chunked"],
      body: "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
      expected: "200 5 bytes",
    },
    { name: "more, as it says", lines: ["Content-Length: 11"], body: "", expected: "413" },
    {
      name: "more, in chunks without end",
      lines: ["Transfer-Encoding: chunked"],
      body: "b\r\nabcdefghijk\r\n",
      expected: "413",
    },
    {
      name: "something compressed",
      lines: ["Connection: close", "Content-Encoding: gzip", "Content-Length: 1"],
      body: "x",
      expected: "415",
    },
  ]) {
    it(`answers ${expected} to ${name}`, async () => {
      const raw = post(...lines);
      raw.socket.write(body);

      const answer = await raw.ended;

      expect(answer).to.match(new RegExp(`^HTTP/1.1 ${expected.slice(0, 3)} `));
      expect(answer).to.contain("Connection: close").and.contain(expected.slice(4));
      expect(told).to.deep.equal([]);
    });
  }

  it("is over when the connection breaks, and nobody is alarmed", async () => {
    const raw = post("Content-Length: 9");
    raw.socket.write("abc");
    await raw.written();

    raw.socket.destroy();

    await eventually(() => seen.length === 1);
    expect(seen).to.deep.equal(["422 InvalidBodyContent Failed to parse body: it broke off"]);
    expect(told).to.deep.equal([]);
  });

  it("is over when the sender closes its half too early", async () => {
    const raw = post("Content-Length: 9");
    raw.socket.end("abc");

    await eventually(() => seen.length === 1);

    expect(seen).to.deep.equal(["422 InvalidBodyContent Failed to parse body: it broke off"]);
    expect(told).to.deep.equal([]);
    await raw.ended;
  });
});

describe("readBody, of many long bodies at once", () => {
  it("gives each a turn of the event loop to itself", async () => {
    const bytes = Buffer.alloc(100_000, "x");
    const sent = (): Pick<Exchange, "request" | "response"> =>
      ({ request: Object.assign(Readable.from([bytes]), { headers: {} }) }) as unknown as Exchange;
    const works = 20;
    let [done, longest] = [0, 0];
    for (let count = 0; count < works; count++) {
      void readBody(sent(), bytes.length).then(() => done++);
    }

    for (let turns = 0; done < works && turns < 1_000; turns++) {
      const before = done;
      await new Promise((resolve) => setImmediate(resolve));
      longest = Math.max(longest, done - before);
    }

    expect([done, longest]).to.deep.equal([works, 1]);
  });
});

describe("parseBody", () => {
  const yaml = new YamlReader(systemClock);
  const { signal } = new AbortController();
  const parse = (body: string | Buffer, type?: string): Promise<unknown> =>
    parseBody(Buffer.from(body as string), type, { yaml, signal }).catch(text);
  const failed = "422 InvalidBodyContent Failed to parse body: ";

  for (const { name, body, expected, type } of [
    { name: "JSON", body: '{"a":[1,"\\"[[["]}', expected: { a: [1, '"[[['] } },
    { name: "JSON whatever the type says", body: "{}", type: "text/plain", expected: {} },
    {
      name: "YAML by its exact type",
      body: "a: [1]",
      type: "application/yaml",
      expected: { a: [1] },
    },
    {
      name: "merge keys",
      body: "x: &x {a: 1}\nz: {<<: *x}",
      type: "application/yaml",
      expected: { x: { a: 1 }, z: { a: 1 } },
    },
    {
      name: "dates and octals as Kubernetes does",
      body: "a: 2020-01-01\nb: yes\nc: 0644",
      type: "application/yaml",
      expected: { a: "2020-01-01", b: true, c: 420 },
    },
    { name: "an empty YAML document", body: "", type: "application/yaml", expected: null },
  ]) {
    it(`reads ${name}`, async () => {
      expect(await parse(body, type)).to.deep.equal(expected);
    });
  }

  const bomb = [..."bcdefghij"].map((c, at) => {
    const before = Array(9).fill(`*${"abcdefghi"[at]}`);
    return `${c}: &${c} [${before}]`;
  });
  for (const { name, body, expected, type } of [
    {
      name: "YAML of another type",
      body: "a: 1",
      type: "application/yaml; charset=utf-8",
      expected: "it is no JSON",
    },
    { name: "half of some JSON", body: '{"a":"secret', expected: "it is no JSON" },
    { name: "nothing", body: "", expected: "it is no JSON" },
    { name: "what is no UTF-8", body: Buffer.from([0x22, 0xff, 0x22]), expected: "it is no UTF-8" },
    {
      name: "deep JSON",
      body: "[".repeat(501) + "]".repeat(501),
      expected: "it is nested deeper than 500",
    },
    { name: "endless JSON", body: "[".repeat(2_000_000), expected: "it is nested deeper than 500" },
    {
      name: "JSON of too many values",
      body: `[${"0,".repeat(10_000)}0]`,
      expected: "it has more than 10000 values",
    },
    {
      name: "broken YAML",
      body: "a: b\nc: [",
      type: "application/yaml",
      expected: "no YAML at line 2, column 5 (BAD_INDENT)",
    },
    {
      name: "two documents",
      body: "a: 1\n---\nb: 1",
      type: "application/yaml",
      expected: "no YAML at line 2, column 1 (MULTIPLE_DOCS)",
    },
    {
      name: "a key twice",
      body: "a: 1\na: 2",
      type: "application/yaml",
      expected: "a key for the second time, at line 2, column 1",
    },
    {
      name: "aliases that multiply",
      body: ["a: &a [x,x,x,x,x,x,x,x,x]", ...bomb].join("\n"),
      type: "application/yaml",
      expected: "its aliases or nesting have no end",
    },
    {
      name: "deep YAML",
      body: `${"[".repeat(501)}${"]".repeat(501)}`,
      type: "application/yaml",
      expected: "it is nested deeper than 500",
    },
  ]) {
    it(`refuses ${name}`, async () => {
      expect(await parse(body, type)).to.equal(`${failed}${expected}`);
    });
  }

  it("survives YAML whose nesting has no end", async () => {
    expect(await parse("[".repeat(200_000), "application/yaml")).to.match(
      /^422 InvalidBodyContent /,
    );
  }).timeout(30_000);

  it("keeps a name such as __proto__ to itself", () => {
    const parsed = parseJson(Buffer.from('{"__proto__":{"admin":true}}'));

    expect(Object.getPrototypeOf(parsed)).to.equal(Object.prototype);
    expect(Object.hasOwn(parsed as object, "__proto__")).to.equal(true);
  });

  it("keeps all digits of YAML's numbers", async () => {
    expect(await yaml.toJson("a: 123456789012345678901\nb: 0x10", signal)).to.equal(
      '{"a":123456789012345678901,"b":16}',
    );
  });

  it("serves others while it reads YAML", async () => {
    const line = "- {a: 1, b: [1, 2, 3]}\n";
    let turns = 0;
    const counting = setInterval(() => turns++, 1);

    await yaml.toJson(line.repeat(5000), signal);

    clearInterval(counting);
    expect(turns).to.be.above(5);
  }).timeout(30_000);

  it("ends its thread when nobody wants the answer any more", async () => {
    const ending = new AbortController();
    const reading = yaml.toJson("- {a: 1, b: [1, 2, 3]}\n".repeat(50_000), ending.signal);

    ending.abort(new Error("gone"));

    expect(await reading.catch(String)).to.equal("Error: gone");
  }).timeout(30_000);

  it("takes no bracket in a text for one", () => {
    expect(() =>
      checkJson(Buffer.from(`["${"[".repeat(1000)}\\"${"{".repeat(1000)}"]`)),
    ).not.to.throw();
  });
});
