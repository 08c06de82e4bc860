import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { connect, type RawStream } from "../kube/index.ts";
import { startScriptedServer } from "../testing/index.ts";
import { unpacked } from "./unpacked.ts";

const text = Array.from({ length: 100_000 }, (_, index) => `line ${index}\n`).join("");
const bytes = gzipSync(text);

/** What comes of an answer of these bytes; `read` may throw. */
async function answered(
  body: Buffer,
  read: (chunk: Buffer, stream: RawStream) => void = () => undefined,
  headers: Readonly<Record<string, string>> = { "content-encoding": "gzip" },
): Promise<string> {
  await using server = await startScriptedServer((response) => {
    response.writeHead(200, headers);
    response.end(body);
  });
  await using client = connect(server.config);
  const stream = unpacked(await client.stream({ method: "GET", path: "/" }));
  const chunks: Buffer[] = [];
  await stream.pipe((chunk) => {
    chunks.push(Buffer.from(chunk));
    read(chunk, stream);
  });
  return Buffer.concat(chunks).toString();
}

describe("A packed answer", () => {
  it("is read as it was", async () => {
    expect(await answered(bytes)).to.equal(text);
  });

  it("is read as it is where it is not packed", async () => {
    expect(await answered(Buffer.from(text), undefined, {})).to.equal(text);
  });

  it("waits while its reader does", async () => {
    let pauses = 0;
    const read = (_: Buffer, stream: RawStream): void => {
      stream.pause();
      pauses++;
      setImmediate(() => stream.resume());
    };

    expect(await answered(bytes, read)).to.equal(text);
    expect(pauses).to.be.greaterThan(1);
  });

  it("ends quietly when its reader closes it", async () => {
    const part = await answered(bytes, (_, stream) => stream.close());

    expect(part.length).to.be.within(1, text.length - 1);
  });

  it("fails with what its reader throws", async () => {
    const broken = new Error("enough");
    const read = (): void => {
      throw broken;
    };

    expect(await answered(bytes, read).catch((thrown: unknown) => thrown)).to.equal(broken);
  });

  for (const { what, body } of [
    { what: "is not packed", body: Buffer.from("{}") },
    { what: "is cut off", body: bytes.subarray(0, -20) },
  ]) {
    it(`is no answer when it ${what} though it says so`, async () => {
      const failure = await answered(body).catch((thrown: unknown) => thrown);

      expect(failure).to.be.instanceOf(SyntaxError);
    });
  }

  it("fails as the connection does", async () => {
    await using server = await startScriptedServer((response) => {
      response.writeHead(200, { "content-encoding": "gzip", "content-length": bytes.length });
      response.write(bytes.subarray(0, 1000), () => response.destroy());
    });
    await using client = connect(server.config);
    const stream = unpacked(await client.stream({ method: "GET", path: "/" }));

    const failure = await stream.pipe(() => undefined).catch((thrown: unknown) => thrown);

    expect(failure).to.include({ name: "ApiError", code: 0 });
  });
});
