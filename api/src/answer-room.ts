/** What HTTP writes around the bytes of an answer, right beside them in memory. */

import type { Writable } from "node:stream";

/** What is written before bytes: of a head of ours some hundred, with cookies more; in bytes. */
const headRoom = 2048;

/** What is written behind them: the end of a chunk, and of the last one; in bytes. */
const tailRoom = 64;

/** Less is copied sooner than written apart; in bytes. */
const worthAlone = 256 * 1024;

/** Of a room: whether what is around its bytes belongs to an answer from which it was not handed over yet. */
interface Use {
  isTaken: boolean;
}

/**
 * What of a longer answer is encrypted and written at once, in bytes: 32 records of TLS. Node encrypts all that it is given before it writes the first of it: of more, what is encrypted
 * waits as a second copy, and has left the processor's caches when it is written. Of less, who reads is woken for each piece.
 */
const atOnce = 32 * 16 * 1024;

/** What is left goes in one piece where it is no more; in bytes. */
const lastAtOnce = 40 * 16 * 1024;

const rooms = new WeakMap<ArrayBufferLike, Use>();

/**
 * Room for so many bytes, and around them for what belongs to them. Bytes are written together with that only from the beginning of the room, and what stands behind them may then be
 * overwritten: all that anybody has of a room must be as long.
 */
export function roomForAnswer(size: number): Buffer {
  const whole = Buffer.allocUnsafeSlow(headRoom + size + tailRoom);
  rooms.set(whole.buffer, { isTaken: false });
  return whole.subarray(headRoom, headRoom + size);
}

type Writev = NonNullable<Writable["_writev"]>;
/** As a stream is given them. */
type Parts = Parameters<Writev>[0];
type Done = Parameters<Writev>[1];

/**
 * Has a connection write an answer, or a chunk of it, from one buffer, a piece at a time. What it is given in parts Node copies into new memory before it encrypts it (node:
 * src/crypto/crypto_tls.cc). So what is around the bytes is put beside them where they have room for it; where what ends another answer stands behind them still, many bytes are
 * written by themselves.
 */
export function joinHeads(socket: Writable): void {
  const writev = socket._writev?.bind(socket);
  if (writev === undefined) return;
  socket._writev = (parts, done) => {
    const answer = answerIn(parts);
    if (answer === undefined) writev(parts, done);
    else if (isJoinable(answer)) writeWhole(socket, answer, done);
    else if (answer.bytes.length >= worthAlone) writeApart(socket, writev, answer, done);
    else writev(parts, done);
  };
}

/** Bytes in a room, and what is around them. */
interface Answer {
  readonly head: Around;
  readonly bytes: Buffer;
  readonly use: Use;
  readonly tail: Around;
}

/** What is written before bytes, or behind them. */
interface Around {
  readonly parts: Parts;
  /** In bytes; infinite where it is not known. */
  readonly length: number;
}

/** Of several the longest one. */
function answerIn(parts: Parts): Answer | undefined {
  let longest: Pick<Answer, "bytes" | "use"> | undefined;
  let at = 0;
  for (const [index, { chunk }] of parts.entries()) {
    const use = Buffer.isBuffer(chunk) ? rooms.get(chunk.buffer) : undefined;
    if (use === undefined || chunk.byteOffset !== headRoom) continue;
    if (chunk.length <= (longest?.bytes.length ?? -1)) continue;
    longest = { bytes: chunk, use };
    at = index;
  }
  if (longest === undefined) return undefined;
  return { head: around(parts.slice(0, at)), ...longest, tail: around(parts.slice(at + 1)) };
}

/** A text that HTTP writes has a byte for each character (latin1); how long others are would have to be counted. */
function around(parts: Parts): Around {
  let length = 0;
  for (const { chunk, encoding } of parts) {
    const isKnown = typeof chunk !== "string" || encoding === "latin1";
    length += isKnown ? chunk.length : Number.POSITIVE_INFINITY;
  }
  return { parts, length };
}

function isJoinable({ head, use, tail }: Answer): boolean {
  return !use.isTaken && head.length <= headRoom && tail.length <= tailRoom;
}

function writeWhole(socket: Writable, { head, bytes, use, tail }: Answer, done: Done): void {
  const length = head.length + bytes.length + tail.length;
  const whole = Buffer.from(bytes.buffer, headRoom - head.length, length);
  const leave = taken(use);
  put(head.parts, whole, 0);
  put(tail.parts, whole, head.length + bytes.length);
  const handedOver = (isLast: boolean): void => {
    if (isLast || tail.length === 0) leave();
  };
  writePieces(socket, whole, { handedOver, done });
}

/** Takes what is around a room's bytes; the function leaves it to the next one, whose it is once it was called. */
function taken(use: Use): () => void {
  use.isTaken = true;
  let isMine = true;
  return () => {
    if (isMine) use.isTaken = false;
    isMine = false;
  };
}

/** Who hears of pieces. */
interface Hearers {
  /** A piece is encrypted, or copied: nobody reads it any more. With `true` also where there is nothing more to write, or it failed. */
  readonly handedOver?: (isLast: boolean) => void;
  /** All are written, or one cannot be. */
  readonly done: Done;
}

function writePieces(socket: Writable, bytes: Buffer, { handedOver, done }: Hearers): void {
  let start = 0;
  const writeNext: Done = (error) => {
    if (error || start === bytes.length) {
      handedOver?.(true);
      done(error);
      return;
    }
    const isLast = bytes.length - start <= lastAtOnce;
    const piece = bytes.subarray(start, isLast ? bytes.length : start + atOnce);
    start += piece.length;
    socket._write(piece, asBuffer, writeNext);
    handedOver?.(start === bytes.length);
  };
  writeNext();
}

function put(parts: Parts, whole: Buffer, start: number): void {
  let end = start;
  for (const { chunk } of parts) {
    if (typeof chunk === "string") whole.write(chunk, end, "latin1");
    else whole.set(chunk, end);
    end += chunk.length;
  }
}

function writeApart(
  socket: Writable,
  writev: Writev,
  { head, bytes, tail }: Answer,
  done: Done,
): void {
  const toEnd: Done = (error) => {
    if (error || tail.length === 0) done(error);
    else writev(tail.parts, done);
  };
  const toBytes: Done = (error) => {
    if (error) done(error);
    else writePieces(socket, bytes, { done: toEnd });
  };
  if (head.length === 0) toBytes();
  else writev(head.parts, toBytes);
}

/** What streams call the encoding of a Buffer; their types do not know of it. */
const asBuffer = "buffer" as BufferEncoding;
