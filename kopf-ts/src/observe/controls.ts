/** Keeps what others wrote from driving the terminal that shows it. */

/** C0 and C1 control characters, line and paragraph separators, and what turns the direction of writing. */
const controls = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** The text in one line, with every control character as JSON escapes it: `\n`, `\u001b`. */
export function escapeControls(text: string): string {
  return text.replace(controls, (control) => {
    const escaped = JSON.stringify(control).slice(1, -1);
    return escaped === control ? `\\u${hex(control)}` : escaped;
  });
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, "0");
}
