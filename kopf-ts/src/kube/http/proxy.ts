import type { Dial } from "./dial.ts";

export function proxyDial(_proxyUrl: string): Dial {
  throw new Error("proxy-url is not supported yet");
}
