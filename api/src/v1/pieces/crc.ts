/**
 * Checksums of gzip for bytes that are put together from parts whose checksums are known (zlib: crc32.c, crc32_combine). Their 32 bits are signed: V8 has those at hand
 * wherever they are kept, where it would look larger numbers up elsewhere.
 */

const polynomial = 0xedb88320 | 0;
const one = 0x80000000 | 0;

/** The factor by which so many more bytes change a checksum. */
export function shiftOf(bytes: number): number {
  let [shift, left, power] = [one, bytes, 3];
  while (left > 0) {
    if (left % 2 === 1) shift = product(powers[power % 32] ?? one, shift);
    left = Math.floor(left / 2);
    power++;
  }
  return shift;
}

/** The checksum of bytes that have the checksum `first`, followed by others with the checksum `second` and the factor `shift`. */
export function combined(first: number, second: number, shift: number): number {
  return product(shift, first) ^ second;
}

/** The factor of as many bytes as two others stand for together. */
export function shiftedBy(shift: number, other: number): number {
  return product(shift, other);
}

/** Of two polynomials modulo that of the checksum, their lowest powers in the highest bits. Without branches: which of them are taken nobody could foretell. */
function product(a: number, b: number): number {
  let [sum, rest, factor] = [0, a, b];
  for (let bit = 0; bit < 32; bit++) {
    sum ^= factor & (rest >> 31);
    rest <<= 1;
    factor = (factor >>> 1) ^ (polynomial & -(factor & 1));
  }
  return sum;
}

/** x to the power of 2 to the power of the index. */
const powers: readonly number[] = Array.from({ length: 31 }).reduce<number[]>(
  (all) => [...all, product(all.at(-1) ?? one, all.at(-1) ?? one)],
  [0x40000000],
);
