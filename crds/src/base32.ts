/** Base32 of RFC 4648 without padding, in its two alphabets. */

/** The standard alphabet. */
export function base32(bytes: Uint8Array): string {
  return encode(bytes, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
}

/** The "extended hex" alphabet, which keeps the order of the bytes. */
export function base32Hex(bytes: Uint8Array): string {
  return encode(bytes, "0123456789ABCDEFGHIJKLMNOPQRSTUV");
}

function encode(bytes: Uint8Array, alphabet: string): string {
  let text = "";
  let pending = 0;
  let bits = 0;
  for (const byte of bytes) {
    pending = ((pending << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += alphabet.charAt((pending >> (bits - 5)) & 31);
  }
  return bits === 0 ? text : text + alphabet.charAt((pending << (5 - bits)) & 31);
}
