/** Messages as frames of a websocket, made once however many get them (RFC 6455, 5.2; RFC 7692). */

import { constants, deflateRawSync } from "node:zlib";

/** Smaller messages are sent as they are: packing costs more than it saves. */
const worthPacking = 16 * 1024;

const finalText = 0x81;
const packedBit = 0x40;

/** A text message. */
export class Frame {
  readonly #payload: Buffer;
  #plain: Buffer | undefined;
  #packed: Buffer | undefined;

  constructor(payload: Buffer | readonly Uint8Array[]) {
    this.#payload = Buffer.isBuffer(payload) ? payload : Buffer.concat(payload);
  }

  /** Bytes of the message. */
  get size(): number {
    return this.#payload.length;
  }

  /** The whole frame. */
  get plain(): Buffer {
    this.#plain ??= framed(this.#payload, finalText);
    return this.#plain;
  }

  /** For connections that agreed on permessage-deflate, each message on its own; a small one is as it was. */
  get packed(): Buffer {
    if (this.size < worthPacking) return this.plain;
    this.#packed ??= framed(pack(this.#payload), finalText | packedBit);
    return this.#packed;
  }
}

/** Servers do not mask what they send. */
function framed(payload: Buffer, first: number): Buffer {
  return Buffer.concat([headOf(payload.length, first), payload]);
}

function headOf(length: number, first: number): Buffer {
  if (length < 126) return Buffer.from([first, length]);
  if (length < 65_536) return Buffer.from([first, 126, length >> 8, length & 0xff]);
  const head = Buffer.alloc(10);
  head.writeUInt8(first, 0);
  head.writeUInt8(127, 1);
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

/** At the fastest level: an object of 1.5 MiB, the largest there is, takes some 15 ms. The last four bytes are always the same, and not sent. */
function pack(payload: Buffer): Buffer {
  const packed = deflateRawSync(payload, { level: 1, finishFlush: constants.Z_SYNC_FLUSH });
  return packed.subarray(0, -4);
}
