/** What HTTP writes around the bytes of an answer, right beside them in memory. */

import type { Writable } from "node:stream";

/** What is written before bytes: a head takes a third of it; in bytes. */
const headRoom = 2048;

/** What is written behind them: the end of a chunk, and of the last one; in bytes. */
const tailRoom = 64;

/** Less is copied sooner than written apart; in bytes. */
const worthAlone = 256 * 1024;

/** Of a room: whether somebody is writing what is around its bytes. */
interface Use {
  isTaken: boolean;
}

const rooms = new WeakMap<ArrayBufferLike, Use>();

/** Room for so many bytes, and around them for what belongs to them. */
export function roomBehindHead(size: number): Buffer {
  const whole = Buffer.allocUnsafeSlow(headRoom + size + tailRoom);
  rooms.set(whole.buffer, { isTaken: false });
  return whole.subarray(headRoom, headRoom + size);
}

/** As a stream is given them. */
type Parts = Parameters<NonNullable<Writable["_writev"]>>[0];
type Done = Parameters<NonNullable<Writable["_writev"]>>[1];

/**
 * Has a connection write an answer, or a chunk of it, as one buffer. What it is given in parts Node copies into new memory before it encrypts it (node:
 * src/crypto/crypto_tls.cc). So what is around the bytes is put beside them where they have room for it; where somebody else is writing from there, many bytes are written by
 * themselves.
 */
export function joinHeads(socket: Writable): void {
  const writev = socket._writev?.bind(socket);
  if (writev === undefined) return;
  socket._writev = (parts, done) => {
    const answer = answerIn(parts);
    const whole = answer && joined(answer);
    if (whole !== undefined) writeWhole(socket, whole, done);
    else if (answer !== undefined && answer.bytes.length >= worthAlone)
      writeApart(socket, writev, answer, done);
    else writev(parts, done);
  };
}

/** Bytes in a room, and what is around them. */
interface Answer {
  readonly head: Parts;
  readonly bytes: Buffer;
  readonly use: Use;
  readonly tail: Parts;
}

function answerIn(parts: Parts): Answer | undefined {
  for (const [index, { chunk }] of parts.entries()) {
    const use = Buffer.isBuffer(chunk) ? rooms.get(chunk.buffer) : undefined;
    if (use === undefined || chunk.byteOffset !== headRoom) continue;
    return { head: parts.slice(0, index), bytes: chunk, use, tail: parts.slice(index + 1) };
  }
  return undefined;
}

/** All in one, which is in use from now on; undefined where there is no room. */
function joined({ head, bytes, use, tail }: Answer): Buffer | undefined {
  const [before, behind] = [lengthOf(head), lengthOf(tail)];
  if (use.isTaken || before > headRoom || behind > tailRoom) return undefined;
  use.isTaken = true;
  const length = before + bytes.length + behind;
  const whole = Buffer.from(bytes.buffer, headRoom - before, length);
  put(head, whole, 0);
  put(tail, whole, before + bytes.length);
  return whole;
}

function lengthOf(parts: Parts): number {
  let length = 0;
  for (const { chunk, encoding } of parts) length += Buffer.byteLength(chunk, encoding);
  return length;
}

function put(parts: Parts, whole: Buffer, start: number): void {
  let end = start;
  for (const { chunk, encoding } of parts) {
    if (typeof chunk === "string") end += whole.write(chunk, end, encoding);
    else {
      whole.set(chunk, end);
      end += chunk.length;
    }
  }
}

function writeWhole(socket: Writable, whole: Buffer, done: Done): void {
  socket._write(whole, asBuffer, (error) => {
    const use = rooms.get(whole.buffer);
    if (use !== undefined) use.isTaken = false;
    done(error);
  });
}

function writeApart(
  socket: Writable,
  writev: NonNullable<Writable["_writev"]>,
  { head, bytes, tail }: Answer,
  done: Done,
): void {
  const behind: Done = (error) => (error || tail.length === 0 ? done(error) : writev(tail, done));
  const then: Done = (error) => (error ? done(error) : socket._write(bytes, asBuffer, behind));
  if (head.length === 0) then();
  else writev(head, then);
}

/** What streams call the encoding of a Buffer; their types do not know of it. */
const asBuffer = "buffer" as BufferEncoding;
