import { Writable } from "node:stream";
import { expect } from "chai";
import { joinHeads, roomForAnswer } from "./answer-room.ts";
import { Served } from "./listener/testing/served.ts";

/** Three pieces. */
const large = 1300 * 1024;
/** What is written at once, in bytes; of the last piece at most. */
const [piece, last] = [32 * 16 * 1024, 40 * 16 * 1024];

/** What a stream was told to write at once, as it was then, and how it goes on. */
interface Written {
  readonly parts: readonly (Buffer | string)[];
  readonly texts: readonly string[];
  readonly done: (error?: Error | null) => void;
}

/** A stream that takes bytes at once, as TLS does, and has written them when the test says so. */
class Slow extends Writable {
  readonly written: Written[] = [];

  constructor() {
    super({ decodeStrings: false, highWaterMark: 2 ** 30 });
    joinHeads(this);
  }

  override _write(chunk: Buffer | string, _: BufferEncoding, done: Written["done"]): void {
    this.#take([chunk], done);
  }

  override _writev(
    parts: readonly { readonly chunk: Buffer | string }[],
    done: Written["done"],
  ): void {
    this.#take(
      parts.map(({ chunk }) => chunk),
      done,
    );
  }

  #take(parts: Written["parts"], done: Written["done"]): void {
    const texts = parts.map((part) => (typeof part === "string" ? part : part.toString("latin1")));
    this.written.push({ parts, texts, done });
  }

  /** Writes them at once, as node:http does. */
  together(...parts: readonly (Buffer | string)[]): Promise<Error | null | undefined> {
    this.cork();
    for (const part of parts.slice(0, -1)) this.#add(part);
    const last = new Promise<Error | null | undefined>((resolve) => {
      this.#add(parts.at(-1) ?? "", resolve);
    });
    this.uncork();
    return last;
  }

  #add(part: Buffer | string, done?: Written["done"]): void {
    if (typeof part === "string") this.write(part, "latin1", done);
    else this.write(part, done);
  }

  /** Has written all that it is told to, and what comes then. */
  finish(): void {
    for (let index = 0; index < this.written.length; index++) this.written[index]?.done();
  }

  /** The bytes of each time. */
  get texts(): readonly string[] {
    return this.written.map(({ texts }) => texts.join("|"));
  }
}

/** Bytes in a room of theirs. */
function inRoom(text: string): Buffer {
  const room = roomForAnswer(text.length + 100);
  room.fill("?");
  room.write(text, "latin1");
  return room.subarray(0, text.length);
}

describe("joinHeads", () => {
  let stream: Slow;

  beforeEach(() => {
    stream = new Slow();
  });

  for (const [what, length] of [
    ["few", 10],
    ["many", large],
  ] as const) {
    it(`writes ${what} bytes with their head and what ends them, in their room`, async () => {
      const body = inRoom("x".repeat(length));
      const sent = stream.together("HEAD\xe9", "a\r\n", Buffer.from("-"), body, "\r\n", "");

      stream.finish();
      expect(stream.texts.join("")).to.equal(`HEAD\xe9a\r\n-${"x".repeat(length)}\r\n`);
      for (const written of stream.written) expect(bufferOf(written)).to.equal(body.buffer);
      expect(await sent).to.be.oneOf([null, undefined]);
    });
  }

  it("takes the longest of several for the bytes", async () => {
    const [short, long] = [inRoom("short"), inRoom("x".repeat(large))];
    const sent = stream.together("HEAD", short, long, inRoom("end"));

    stream.finish();
    await sent;
    expect(stream.texts.join("")).to.equal(`HEADshort${long}end`);
    for (const written of stream.written) expect(bufferOf(written)).to.equal(long.buffer);
  });

  it("writes its head over that of an answer whose head has gone, and nothing follows its bytes", async () => {
    const body = inRoom("x".repeat(large));
    const others = [new Slow(), new Slow()] as const;
    const sent = [stream.together("FIRST", body), others[0].together("SECOND", body, "\r\n")];
    void others[1].together("THIRD", body);
    for (const each of [stream, ...others]) each.finish();
    await Promise.all(sent);

    expect(stream.texts.join("")).to.equal(`FIRST${body}`);
    expect(stream.texts[0]).to.have.length(piece);
    expect(others[0].texts.join("")).to.equal(`SECOND${body}\r\n`);
    expect(others[0].texts[0]).to.have.length(piece);
    expect(others[1].texts.join("")).to.equal(`THIRD${body}`);
  });

  it("writes nothing over what ends an answer before that has gone, but then it does again", async () => {
    const body = inRoom("x".repeat(large));
    const others = [new Slow(), new Slow()] as const;
    const first = stream.together("FIRST", body, "!");
    const second = others[0].together("SECOND", body, "\r\n");
    others[0].finish();
    await second;

    const [head, ...rest] = others[0].texts;
    expect([head, rest.join("")]).to.deep.equal(["SECOND", `${body}\r\n`]);
    stream.finish();
    await first;
    expect(stream.texts.join("")).to.equal(`FIRST${body}!`);
    void others[1].together("THIRD", body, "?");
    others[1].finish();
    expect(others[1].texts.join("")).to.equal(`THIRD${body}?`);
    expect(others[1].texts[0]).to.have.length(piece);
  });

  it("keeps its hands off a room that it has left", () => {
    const body = inRoom("x".repeat(large));
    const others = [new Slow(), new Slow()] as const;
    void stream.together("FIRST", body);
    void others[0].together("SECOND", body, "!");
    stream.finish();
    void others[1].together("THIRD", body, "?");
    for (const each of others) each.finish();

    expect(others[0].texts.join("")).to.equal(`SECOND${body}!`);
    expect(others[1].texts[0]).to.equal("THIRD");
  });

  for (const length of [1, 200 * 1024]) {
    it(`writes ${length} bytes, which go at once, to several people from one room`, () => {
      const body = inRoom("x".repeat(length));
      const other = new Slow();
      void stream.together("FIRST", body, "!");
      void other.together("SECOND", body, "?");

      expect([...stream.texts, ...other.texts]).to.deep.equal([`FIRST${body}!`, `SECOND${body}?`]);
    });
  }

  it("writes not so many bytes in parts where their head does not fit before them", () => {
    const body = inRoom("x".repeat(200 * 1024));
    const head = "h".repeat(2049);
    void stream.together(head, body, "!");

    expect(stream.texts).to.deep.equal([`${head}|${body}|!`]);
  });

  for (const [what, head, tail] of [
    ["before", "h".repeat(2049), "t"],
    ["behind", "h", "t".repeat(65)],
  ] as const) {
    it(`writes apart what does not fit ${what} the bytes`, () => {
      const body = inRoom("x".repeat(large));
      void stream.together(head, body, tail);
      stream.finish();

      const [first, ...rest] = stream.texts;
      expect([first, rest.at(-1)]).to.deep.equal([head, tail]);
      expect(rest.slice(0, -1).join("")).to.equal(`${body}`);
    });
  }

  it("writes nothing but the bytes where there is nothing around them", async () => {
    const body = inRoom("x".repeat(large));
    void stream.together("FIRST", body, "!");
    const other = new Slow();
    const sent = other.together(body, "");
    other.finish();
    await sent;

    expect(other.texts.join("")).to.equal(`${body}`);
  });

  for (const [length, sizes] of [
    [piece, [piece]],
    [last, [last]],
    [last + 1, [piece, last + 1 - piece]],
    [2 * piece + last, [piece, piece, last]],
  ] as const) {
    it(`writes ${length} bytes a piece at a time, each when the one before is written`, async () => {
      const body = inRoom("x".repeat(length - 4));
      const sent = stream.together("HEAD", body);
      for (const [index] of sizes.entries()) {
        expect(stream.written).to.have.length(index + 1);
        stream.written[index]?.done();
      }
      await sent;

      expect(stream.texts.map((text) => text.length)).to.deep.equal(sizes);
    });
  }

  it("leaves alone texts of which it is not known how long they are", () => {
    const body = inRoom("x");
    stream.cork();
    stream.write("aGk\n", "base64");
    stream.write(body);
    stream.uncork();

    expect(stream.texts).to.deep.equal(["aGk\n|x"]);
  });

  it("fills the room up to its edges", () => {
    const body = roomForAnswer(3).fill("x");
    void stream.together("h".repeat(2048), body, "t".repeat(64));

    expect(stream.texts).to.deep.equal([`${"h".repeat(2048)}xxx${"t".repeat(64)}`]);
  });

  it("leaves alone what has no room before it", () => {
    const room = inRoom("x".repeat(large));
    void stream.together("HEAD", room.subarray(1));
    void new Slow().together("OTHER", room.subarray(1));
    const alone = new Slow();
    void alone.together("HEAD", Buffer.alloc(large, "y"), "");

    expect(stream.texts).to.deep.equal([`HEAD|${room.subarray(1)}`]);
    expect(alone.texts).to.deep.equal([`HEAD|${"y".repeat(large)}|`]);
  });

  for (const failing of [0, 1, 2, 3, 4]) {
    it(`writes nothing behind a failure (${failing})`, async () => {
      const body = inRoom("x".repeat(large));
      const failure = new Error("gone");
      stream.on("error", () => undefined);
      const sent = stream.together("h".repeat(2049), body, "t");
      for (let index = 0; index < failing; index++) stream.written[index]?.done();
      stream.written[failing]?.done(failure);

      expect(await sent).to.equal(failure);
      expect(stream.written).to.have.length(failing + 1);
    });
  }

  it("leaves the room to others after a failure", async () => {
    const body = inRoom("x".repeat(large));
    stream.on("error", () => undefined);
    const sent = stream.together("FIRST", body, "!");
    const failure = new Error("gone");
    stream.written[0]?.done(failure);
    expect(await sent).to.equal(failure);
    const other = new Slow();
    void other.together("SECOND", body);
    other.finish();

    expect(other.texts.join("")).to.equal(`SECOND${body}`);
    expect(other.texts[0]).to.have.length(piece);
  });

  it("leaves no room to others between two pieces", () => {
    const body = inRoom("x".repeat(large));
    void stream.together("FIRST", body, "!");
    stream.written[0]?.done();
    const other = new Slow();
    void other.together("SECOND", body);

    expect(stream.written).to.have.length(2);
    expect(other.texts).to.deep.equal(["SECOND"]);
  });

  it("may count on a connection to have done with bytes once it was given them", async () => {
    const whole = "x".repeat(8 * large);
    let pieces = 0;
    await using served = await Served.open([
      async ({ response }) => {
        const socket = response.socket as Writable;
        const write = socket._write.bind(socket);
        socket._write = (chunk, ...rest) => {
          write(chunk, ...rest);
          chunk.fill("?");
          pieces++;
        };
        response.setHeader("Content-Length", whole.length);
        response.end(inRoom(whole)); // more than the network takes at once
      },
    ]);

    const { body } = await served.call("/");
    expect(body === whole).to.equal(true);
    expect(pieces).to.be.greaterThan(10);
  });

  it("has answers of a listener arrive whole, many at once from one room", async () => {
    const body = inRoom(Array.from({ length: large }, (_, index) => index).join());
    let whole = 0;
    await using served = await Served.open([
      async ({ response, path }) => {
        const socket = response.socket as Writable;
        const write = socket._write.bind(socket);
        socket._write = (chunk, ...rest) => {
          if (chunk.buffer === body.buffer && chunk.byteOffset < 2048) whole++; // begins with a head
          write(chunk, ...rest);
        };
        response.setHeader("X-Path", path);
        if (!path.endsWith("chunked")) response.setHeader("Content-Length", body.length);
        response.end(body);
      },
    ]);
    const one = async (index: number): Promise<void> => {
      const path = `/${index}${index % 3 === 0 ? "/chunked" : ""}`;
      const { headers, body: text } = await served.call(path);
      expect(headers["x-path"]).to.equal(path);
      expect(text === body.toString("latin1")).to.equal(true);
    };

    await one(0);
    await one(1);
    expect(whole).to.equal(2);
    await Promise.all(Array.from({ length: 20 }, (_, index) => one(index)));
  });
});

function bufferOf(written: Written | undefined): unknown {
  const [first] = written?.parts ?? [];
  return Buffer.isBuffer(first) && first.buffer;
}
