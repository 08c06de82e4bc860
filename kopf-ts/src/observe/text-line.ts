/** The plain text form of a log line: time, level, message, then `name=value` pairs. */

const plain = /^[^\s"=\\]+$/;

function shown(value: unknown): string {
  if (typeof value === "string") return plain.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value);
}

/** An error reads as its message; its other parts follow under dotted names, the stack as lines of its own. */
function pairs(name: string, value: unknown): string {
  if (typeof value !== "object" || value === null || !("message" in value)) {
    return ` ${name}=${shown(value)}`;
  }
  const { message, stack: _stack, ...rest } = value as Record<string, unknown>;
  const parts = Object.entries(rest).map(([part, each]) => ` ${name}.${part}=${shown(each)}`);
  return ` ${name}=${shown(message)}${parts.join("")}`;
}

function stackOf(value: unknown): string {
  if (typeof value !== "object" || value === null || !("stack" in value)) return "";
  return `\n    ${String(value.stack).replaceAll("\n", "\n    ")}`;
}

/** `2026-01-02T03:04:05.678Z INFO  message name=value`, from a JSON line; the line itself if it is none. */
export function toTextLine(json: string): string {
  let line: Record<string, unknown>;
  try {
    line = JSON.parse(json);
  } catch {
    return json;
  }
  const { time, level, msg, ...fields } = line;
  const entries = Object.entries(fields);
  const head = `${String(time)} ${String(level).toUpperCase().padEnd(5)} ${String(msg)}`;
  const body = entries.map(([name, value]) => pairs(name, value)).join("");
  return `${head}${body}${entries.map(([, value]) => stackOf(value)).join("")}\n`;
}
