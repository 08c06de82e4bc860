/** The text in at most `maxBytes` of UTF-8: what is too long loses its middle, for errors say what at their start and why at their end. */
export function cutMiddle(text: string, maxBytes: number, mark = " … "): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const half = Math.floor((maxBytes - Buffer.byteLength(mark)) / 2);
  const characters = Array.from(text);
  const head = fitting(characters, half);
  const tail = fitting(characters.toReversed(), half).toReversed();
  return [...head, mark, ...tail].join("");
}

/** The first characters that fit. */
function fitting(characters: readonly string[], maxBytes: number): readonly string[] {
  let left = maxBytes;
  const end = characters.findIndex((character) => {
    left -= Buffer.byteLength(character);
    return left < 0;
  });
  return characters.slice(0, end < 0 ? characters.length : end);
}
