import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { json } from "node:stream/consumers";
import { freshNamespace, testEnv } from "@drover/env";
import { expect } from "chai";
import { loadConfig, silentLogger } from "kopf-ts";
import { eventually, type FakeClock, fakeClock } from "kopf-ts/testing";
import { type ServingCertificate, selfSigned } from "../listener/certificate.ts";
import { type Listener, listen } from "../listener/index.ts";
import type { Exchange } from "../stage.ts";
import { ServedV1 } from "./served-v1.test.support.ts";
import { listAt } from "./tree.ts";
import { send } from "./types/testing.test.support.ts";

/** Objects of nearly a megabyte: more than a connection takes that nobody reads. */
const count = 40;
/** Milliseconds. */
const grace = 5_000;

describe("a list that is being sent when the server stops, on a real API server", function () {
  this.timeout(60_000);

  let v1: ServedV1;
  let namespace: string;
  let certificate: ServingCertificate;
  let clock: FakeClock;
  let listener: Listener;
  /** The request for the list, and whether it is still answered. */
  let asked: Exchange | undefined;
  let isOver: boolean;

  before(async () => {
    const { kubeconfigPath } = await testEnv();
    v1 = await ServedV1.start(await loadConfig({ kubeconfig: kubeconfigPath }));
    certificate = await selfSigned(["localhost"], Date.now());
    namespace = await freshNamespace(await testEnv(), "drain");
    const data = { big: "x".repeat(900_000) };
    for (let index = 0; index < count; index++) {
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      await send(v1.client, "POST", path, { metadata: { name: `big-${index}` }, data });
    }
    await eventually(
      async () => {
        const listed = await v1.get(`configmaps/${namespace}?exclude=data`);
        return listAt(listed, "data").length >= count;
      },
      { within: 20_000 },
    );
  });
  after(async () => {
    await send(v1.client, "DELETE", `/api/v1/namespaces/${namespace}`);
    await v1[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    clock = fakeClock();
    isOver = false;
    const handle = async (exchange: Exchange): Promise<void> => {
      asked = exchange;
      await v1.handle(exchange).finally(() => {
        isOver = true;
      });
    };
    listener = await listen({ httpsPort: 0, certificate, handle, clock, log: silentLogger });
  });
  afterEach(() => listener.close(0));

  /** Begins to read the list, and stops to. */
  async function begun(): Promise<IncomingMessage> {
    const ca = certificate.cert;
    const where = { host: "127.0.0.1", port: listener.httpsPort, servername: "localhost", ca };
    const sent = request({ ...where, agent: false, path: `/v1/configmaps/${namespace}` }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    return response.on("error", () => undefined);
  }

  it("is finished within the grace, whole, and the server waits for it", async () => {
    const response = await begun();

    const closed = listener.close(grace);
    await clock.advance(grace - 1);
    const wasOver = isOver;
    const list = await json(response);
    await closed;

    expect(wasOver).to.equal(false);
    expect(listAt(list, "data").length).to.be.at.least(count);
    expect(asked?.signal.aborted).to.equal(false);
    expect(asked?.response.writableFinished).to.equal(true);
  });

  it("is cut after the grace where nobody reads it, and the server waits no longer", async () => {
    const response = await begun();

    const closed = listener.close(grace);
    await clock.advance(grace - 1);
    const wasCut = asked?.signal.aborted;
    await clock.advance(1);
    await closed;

    expect(wasCut).to.equal(false);
    await eventually(() => asked?.signal.aborted === true && isOver);
    const failed = await json(response).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(Error);
  });
});
