import { once } from "node:events";
import { createServer } from "node:net";
import { expect } from "chai";
import { freePort } from "./port.ts";

describe("freePort", () => {
  it("gives the wanted port if nobody listens there, and it can be listened on", async () => {
    const wanted = await freePort();

    const port = await freePort(wanted);

    expect(port).to.equal(wanted);
    const server = createServer().listen(port, "127.0.0.1");
    await once(server, "listening");
    server.close();
  });

  it("gives another when the wanted one is taken", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const taken = typeof address === "object" ? address?.port : undefined;

    const port = await freePort(taken);
    server.close();

    expect(port).to.be.a("number").and.not.equal(taken);
  });

  it("chooses none that systems give to who asks for any", async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));

    for (const port of ports) expect(port).to.be.within(20_000, 32_767);
  });
});
