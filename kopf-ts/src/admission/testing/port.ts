import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * A port that nobody has, for a replica whose successor shall have the same. Below those that systems give to who asks for any (32768 to 60999 on Linux), or to who connects, as the API server
 * does all the time.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(20_000, 32_768);
    if (await isFree(port)) return port;
  }
  throw new Error("there is no port that 127.0.0.1 can be bound to");
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
