/** Messages as frames of a websocket, made once however many get them (RFC 6455, 5.2; RFC 7692). */

import { constants, deflateRawSync } from "node:zlib";

/** Smaller messages are sent as they are: packing costs more than it saves. */
const worthPacking = 16 * 1024;

const finalText = 0x81;
const packedBit = 0x40;

/** A text message. */
export class Frame {
  /** The whole frame. */
  readonly plain: Buffer;
  /** Bytes of the message. */
  readonly size: number;
  #packed: Buffer | undefined;

  constructor(parts: readonly Uint8Array[]) {
    this.size = parts.reduce((sum, { length }) => sum + length, 0);
    this.plain = Buffer.concat([headOf(this.size, finalText), ...parts]);
  }

  /** For connections that agreed on permessage-deflate, each message on its own; a small one is as it was. */
  get packed(): Buffer {
    if (this.size < worthPacking) return this.plain;
    this.#packed ??= packedFrame(this.plain.subarray(-this.size));
    return this.#packed;
  }
}

/** At the fastest level: an object of 1.5 MiB, the largest there is, takes some 15 ms. The last four bytes are always the same, and not sent. */
function packedFrame(payload: Buffer): Buffer {
  const packed = deflateRawSync(payload, { level: 1, finishFlush: constants.Z_SYNC_FLUSH });
  const body = packed.subarray(0, -4);
  return Buffer.concat([headOf(body.length, finalText | packedBit), body]);
}

/** Servers do not mask what they send. */
function headOf(length: number, first: number): Buffer {
  if (length < 126) return Buffer.from([first, length]);
  if (length < 65_536) return Buffer.from([first, 126, length >> 8, length & 0xff]);
  const head = Buffer.alloc(10);
  head.writeUInt8(first, 0);
  head.writeUInt8(127, 1);
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}
