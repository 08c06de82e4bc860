import { connect } from "node:tls";
import { type Listener, listen, selfSigned, tlsOf } from "@drover/api";
import { installCrds, kinds } from "@drover/crds";
import { type ControlPlane, startControlPlane } from "@drover/env";
import { newSetting } from "@drover/platform";
import { expect } from "chai";
import {
  type Client,
  connect as connectTo,
  createLogger,
  loadConfig,
  Operator,
  silentLogger,
  systemClock,
} from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { tlsOfEnvironment, tlsSettings } from "./tls-settings.ts";

const cbc = "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA";
type Version = "TLSv1.1" | "TLSv1.2" | "TLSv1.3";

/** The version and the suite that a new connection gets, or why it gets none. */
function handshake({ httpsPort: port }: Listener, version: Version): Promise<string> {
  return new Promise((resolve) => {
    const level = version === "TLSv1.1" ? { ciphers: "DEFAULT@SECLEVEL=0" } : {};
    const socket = connect(
      {
        ...{ host: "127.0.0.1", port, rejectUnauthorized: false, ...level },
        ...{ minVersion: version, maxVersion: version },
      },
      () => {
        resolve(`${socket.getProtocol()} ${socket.getCipher().standardName}`);
        socket.destroy();
      },
    );
    socket.once("error", () => resolve("refused"));
  });
}

const within = { within: 20_000 };

// The settings have fixed names: nobody else may be there.
describe("the TLS that settings say", function () {
  this.timeout(60_000);
  let plane: ControlPlane;
  let client: Client;
  let listener: Listener;
  let lines: string[];
  let stop: AbortController;
  let running: Promise<unknown>;

  before(async () => {
    plane = await startControlPlane({ name: "tls-settings", controllerManager: false });
    client = connectTo(await loadConfig({ kubeconfig: plane.kubeconfigPath }), { kinds });
    await installCrds(client, { log: silentLogger, signal: AbortSignal.timeout(60_000) });
    for (const name of ["tls-min-version", "tls-ciphers"] as const) {
      await client.create(newSetting(name, {}));
    }
  });
  after(async () => {
    await client?.[Symbol.asyncDispose]();
    await plane?.[Symbol.asyncDispose]();
  });
  afterEach(async () => {
    stop.abort();
    await running;
    await listener.close(0);
    await set("tls-min-version", "");
    await set("tls-ciphers", "");
  });

  const set = (name: "tls-min-version" | "tls-ciphers", value: string): Promise<unknown> =>
    client.patch(newSetting(name, {}), { merge: { value } });

  async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const certificate = await selfSigned(["localhost"], Date.now());
    const handle = async (): Promise<void> => undefined;
    const rest = { httpsPort: 0, clock: systemClock, log: silentLogger };
    const { tls } = tlsOf({ minVersion: "1.1", ciphers: [cbc] });
    listener = await listen({ ...rest, certificate, handle, tls });
    expect(await handshake(listener, "TLSv1.1")).to.equal(`TLSv1.1 ${cbc}`);
    lines = [];
    stop = new AbortController();
    const informers = () => operator.informers;
    const operator = new Operator({
      ...{ name: "drover", client, tasks: [tlsSettings({ listener, env, informers })] },
      logger: createLogger({ output: { write: (line: string) => void lines.push(line) } }),
    });
    running = operator.start(stop.signal);
    await eventually(() => lines.some((line) => line.includes("speaking TLS")), within);
  }
  const becomes = (version: Version, what: string): Promise<unknown> =>
    eventually(async () => (await handshake(listener, version)) === what, within);

  it("is that of the defaults when nobody says anything", async () => {
    await start();

    expect(await handshake(listener, "TLSv1.3")).to.equal("TLSv1.3 TLS_AES_128_GCM_SHA256");
    expect(await handshake(listener, "TLSv1.2")).to.equal(
      "TLSv1.2 TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    );
    expect(await handshake(listener, "TLSv1.1")).to.equal("refused");
  });

  it("changes with them at once, and keeps its certificate", async () => {
    await start();
    const own = await selfSigned(["own.test"], Date.now());
    listener.present(own);

    await set("tls-ciphers", cbc);
    await becomes("TLSv1.2", `TLSv1.2 ${cbc}`);
    await set("tls-min-version", "1.3");
    await becomes("TLSv1.2", "refused");
    expect(await handshake(listener, "TLSv1.3")).to.equal("TLSv1.3 TLS_AES_128_GCM_SHA256");
    await set("tls-min-version", "1.1");
    await becomes("TLSv1.1", `TLSv1.1 ${cbc}`);

    expect(await isPresented(listener, own.cert)).to.equal(true);
    await set("tls-min-version", "");
    await becomes("TLSv1.1", "refused");
  });

  it("stays what it is when another certificate is presented", async () => {
    await set("tls-min-version", "1.3");
    await start();

    listener.present(await selfSigned(["other.test"], Date.now()));

    expect(await handshake(listener, "TLSv1.2")).to.equal("refused");
  });

  it("is that of the environment where it says something, and warns of what it does not know", async () => {
    await set("tls-min-version", "1.2");
    await start({ CATTLE_TLS_MIN_VERSION: "1.3", CATTLE_TLS_CIPHERS: "TLS_NEW,TLS_OTHER" });

    expect(await handshake(listener, "TLSv1.2")).to.equal("refused");
    expect(lines.filter((line) => line.includes("TLS_NEW, TLS_OTHER"))).to.have.length(1);
  });
});

describe("the TLS until settings are known", () => {
  it("is that of the environment, else of the defaults", () => {
    const said = tlsOfEnvironment({ CATTLE_TLS_MIN_VERSION: "1.3", CATTLE_TLS_CIPHERS: cbc });

    expect(said.minVersion).to.equal("TLSv1.3");
    expect(said.ciphers).to.match(/:ECDHE-ECDSA-AES256-SHA$/);
    expect(tlsOfEnvironment({}).minVersion).to.equal("TLSv1.2");
  });
});

/** Whether the certificate that a new connection gets is this one. */
function isPresented({ httpsPort: port }: Listener, ca: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, servername: "own.test", ca }, () => {
      resolve(socket.authorized);
      socket.destroy();
    });
    socket.once("error", () => resolve(false));
  });
}
