import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that systems give to who asks for any, or connects (32768 to 60999 on Linux): by chance nobody is given one of these while who had it starts again. */
const [from, to] = [20_000, 32_768];
const attempts = 100;

/**
 * `wanted` if nobody listens there on loopback, else one that nobody is given who does not name it. Another process may name it as well
 * before it is used, so whoever uses it tries again with another.
 */
export async function freePort(wanted?: number): Promise<number> {
  if (wanted !== undefined && (await isFree(wanted))) return wanted;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = randomInt(from, to);
    if (await isFree(port)) return port;
  }
  throw new Error("no free port on 127.0.0.1");
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ port, host: "127.0.0.1" });
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
