/** Lists in one text. Pure. */

/** The parts between the commas that stand in no brackets. Looks once at each character: texts come from anybody, and may be long. */
export function splitOutside(text: string, [open, close]: "[]" | "()"): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  let isInside = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === open) isInside = true;
    else if (character === close) isInside = false;
    else if (character === "," && !isInside) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
}
