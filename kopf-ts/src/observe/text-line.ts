/** The plain text form of a log line: time, level, message, then `name=value` pairs. */

import { escapeControls } from "./controls.ts";

const plain = /^[^\s"=\\]+$/;

/** Values are what servers and users wrote: only the line itself may break a line or drive a terminal. */
function shown(value: unknown): string {
  const json = escapeControls(JSON.stringify(value));
  return typeof value === "string" && plain.test(value) && json === `"${value}"` ? value : json;
}

/** An error reads as its message; its other parts follow under dotted names, the stack as lines of its own. */
function pairs(name: string, value: unknown): string {
  if (typeof value !== "object" || value === null || !("message" in value)) {
    return ` ${shown(name)}=${shown(value)}`;
  }
  const { message, stack: _stack, ...rest } = value as Record<string, unknown>;
  const parts = Object.entries(rest).map(
    ([part, each]) => ` ${shown(`${name}.${part}`)}=${shown(each)}`,
  );
  return ` ${shown(name)}=${shown(message)}${parts.join("")}`;
}

function stackOf(value: unknown): string {
  if (typeof value !== "object" || value === null || !("stack" in value)) return "";
  return String(value.stack)
    .split("\n")
    .map((line) => `\n    ${escapeControls(line)}`)
    .join("");
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
  const head = `${String(time)} ${String(level).toUpperCase().padEnd(5)} ${escapeControls(String(msg))}`;
  const body = entries.map(([name, value]) => pairs(name, value)).join("");
  return `${head}${body}${entries.map(([, value]) => stackOf(value)).join("")}\n`;
}
