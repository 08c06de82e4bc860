import { once } from "node:events";
import { createServer } from "node:net";

/**
 * `wanted` if nobody listens there on loopback, else a port the kernel chooses. Another process may take it
 * before it is used, so whoever uses it tries again with another.
 */
export async function freePort(wanted?: number): Promise<number> {
  if (wanted !== undefined && (await listen(wanted)) !== undefined) return wanted;
  const port = await listen(0);
  if (port === undefined) throw new Error("no free port on 127.0.0.1");
  return port;
}

async function listen(port: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen({ port, host: "127.0.0.1" });
    await once(server, "listening");
    const address = server.address();
    return typeof address === "object" ? address?.port : undefined;
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}
