import { X509Certificate } from "node:crypto";
import { connect } from "node:tls";
import { type Listener, listen, selfSigned } from "@drover/api";
import { installCrds, kinds, Setting } from "@drover/crds";
import { type ControlPlane, startControlPlane } from "@drover/env";
import { newSetting } from "@drover/platform";
import { expect } from "chai";
import {
  type Client,
  connect as connectTo,
  HealthChecks,
  loadConfig,
  Operator,
  silentLogger,
  systemClock,
} from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { eventually, startFaultProxy } from "kopf-ts/testing";
import { fingerprintsIn, isOurs } from "./bundle.ts";
import {
  ownFiles,
  presentStored,
  type ServingCertificateWork,
  sharedCertificate,
} from "./index.ts";
import { secrets, servedNames } from "./names.ts";

/** A server as far as its certificate goes: a listener, and an operator that leads unless it is a follower. */
class Replica implements AsyncDisposable {
  readonly listener: Listener;
  readonly health: HealthChecks = new HealthChecks();
  readonly #stop = new AbortController();
  readonly #operator: Operator;
  readonly #running: Promise<unknown>;

  private constructor(listener: Listener, client: Client, { env = {}, follower, files }: Options) {
    this.listener = listener;
    const { health } = this;
    const informers = () => this.#operator.informers;
    const shared = (): ServingCertificateWork =>
      sharedCertificate({
        ...{ env, health, informers, bindHost: "127.0.0.1", lifetimes: { settle: 300 } },
        present: (certificate) => listener.present(certificate),
      });
    const { tasks, controllers } = files === true ? ownFiles(env) : shared();
    const led = { tasks, controllers };
    const followed = { tasks: tasks.filter(({ on }) => on === "everywhere") };
    this.#operator = new Operator({
      ...{ name: "drover", client, logger: silentLogger, health },
      ...(follower === true ? followed : led),
    });
    this.#running = this.#operator.start(this.#stop.signal);
  }

  static async start(client: Client, options: Options = {}): Promise<Replica> {
    const certificate = await selfSigned(["localhost"], Date.now());
    const handle = async (): Promise<void> => undefined;
    const rest = { httpsPort: 0, clock: systemClock, log: silentLogger };
    return new Replica(await listen({ ...rest, certificate, handle }), client, options);
  }

  /** Fingerprints of the certificate that a new connection gets. */
  presented(): Promise<X509Certificate> {
    const { httpsPort: port } = this.listener;
    return new Promise((resolve, reject) => {
      const options = { host: "127.0.0.1", port, rejectUnauthorized: false };
      const socket = connect(options, () => {
        const certificate = socket.getPeerX509Certificate();
        socket.destroy();
        if (certificate === undefined) reject(new Error("no certificate"));
        else resolve(certificate);
      });
      socket.once("error", reject);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.listener.close(0);
  }
}

interface Options {
  readonly env?: Readonly<Record<string, string>>;
  readonly follower?: boolean;
  readonly files?: boolean;
}

// The Secrets and the settings have fixed names: nobody else may be there.
describe("the serving certificate", function () {
  this.timeout(90_000);
  let plane: ControlPlane;
  let client: Client;
  before(async () => {
    plane = await startControlPlane({ name: "serving-certificate", controllerManager: false });
    client = connectTo(await loadConfig({ kubeconfig: plane.kubeconfigPath }), { kinds });
    await installCrds(client, { log: silentLogger, signal: AbortSignal.timeout(60_000) });
    for (const name of ["cacerts", "server-url"] as const) {
      await client.create(newSetting(name, {}));
    }
  });
  after(async () => {
    await client?.[Symbol.asyncDispose]();
    await plane?.[Symbol.asyncDispose]();
  });
  afterEach(async () => {
    for (const { name, namespace } of Object.values(secrets)) {
      const secret = await client.find(Secret, name, { namespace });
      if (secret !== undefined) await client.delete(secret);
    }
    await set("cacerts", "");
    await set("server-url", "");
  });

  const set = (name: "cacerts" | "server-url", value: string): Promise<unknown> =>
    client.patch(newSetting(name, {}), { merge: { value } });
  const shown = async (): Promise<string> => (await client.get(Setting, "cacerts")).value ?? "";
  const within = { within: 20_000 };
  /** Resolves when the setting verifies what the replica presents. */
  const verified = (replica: Replica): Promise<unknown> =>
    eventually(async () => isSignedBy(await replica.presented(), await shown()), within);

  it("is of one authority for all replicas, which setting cacerts shows", async () => {
    await using leader = await Replica.start(client);
    await using follower = await Replica.start(client, { follower: true });

    await verified(leader);
    await verified(follower);

    const bundle = await shown();
    expect(bundle).to.equal(bundle.trim());
    expect((await leader.presented()).fingerprint256).to.equal(
      (await follower.presented()).fingerprint256,
    );
    expect(bundle).not.to.contain("PRIVATE");
    await eventually(async () => (await leader.health.unready()).length === 0, within);
  });

  it("stays the same when the server starts again", async () => {
    const first = await Replica.start(client);
    await verified(first);
    const [certificate, bundle] = [(await first.presented()).fingerprint256, await shown()];
    await first[Symbol.asyncDispose]();

    await using second = await Replica.start(client);

    await eventually(async () => (await second.presented()).fingerprint256 === certificate, within);
    expect(await shown()).to.equal(bundle);
  });

  it("is presented from its Secret, where it is stored and can be served", async () => {
    const given: string[] = [];
    let refuses = false;
    const present = ({ cert }: { readonly cert: string }): void => {
      if (refuses) throw new Error("ee key too small");
      given.push(cert);
    };
    const { signal } = new AbortController();
    const ask = (from: Pick<Client, "find"> = client): Promise<void> =>
      presentStored({ client: from, present, clock: systemClock, log: silentLogger }, signal);
    await ask();
    expect(given).to.deep.equal([]);
    await using leader = await Replica.start(client);
    await verified(leader);

    await ask();
    expect(given.map((cert) => new X509Certificate(cert).fingerprint256)).to.deep.equal([
      (await leader.presented()).fingerprint256,
    ]);
    refuses = true;
    await ask();
    refuses = false;
    await using proxy = await startFaultProxy(
      await loadConfig({ kubeconfig: plane.kubeconfigPath }),
    );
    await using distant = connectTo(proxy.config, { kinds });
    const outage = proxy.always({ kind: "status", code: 503 });
    const waiting = ask(distant);
    await eventually(() => proxy.requests.length > 1, within);
    expect(given).to.have.length(1);
    outage[Symbol.dispose]();
    await waiting;
    expect(given).to.have.length(2);
    await leader[Symbol.asyncDispose]();
    const { name, namespace } = secrets.serving;
    const secret = await client.get(Secret, name, { namespace });
    await client.patch(secret, { merge: { data: { "tls.key": btoa("none") } } });
    await ask();
    expect(given).to.have.length(2);
  });

  it("takes the name of server-url at once, under the same authority", async () => {
    await using leader = await Replica.start(client);
    await verified(leader);
    const bundle = await shown();
    expect((await leader.presented()).checkHost("drover.example.com")).to.equal(undefined);

    await set("server-url", "https://drover.example.com:8443/x");

    await eventually(
      async () => (await leader.presented()).checkHost("drover.example.com") !== undefined,
      within,
    );
    expect((await leader.presented()).checkIP("127.0.0.1")).to.equal("127.0.0.1");
    expect(await shown()).to.equal(bundle);
  });

  it("is of a new authority when somebody deletes the former, once the setting shows both", async () => {
    await using leader = await Replica.start(client);
    await verified(leader);
    const former = await shown();
    const { name, namespace } = secrets.authority;
    const secret = await client.get(Secret, name, { namespace });

    await client.delete(secret);

    await eventually(async () => {
      const [presented, bundle] = [await leader.presented(), await shown()];
      expect(isSignedBy(presented, bundle), "what is served is trusted").to.equal(true);
      return !isSignedBy(presented, former);
    }, within);
    expect(fingerprintsIn(await shown())).to.include.members([...fingerprintsIn(former)]);
  });

  it("leaves the setting to the environment that sets it", async () => {
    await set("cacerts", "of the environment");

    await using leader = await Replica.start(client, { env: { CATTLE_CACERTS: "x" } });
    await eventually(async () => (await leader.health.unready()).length === 0, within);

    expect(await shown()).to.equal("of the environment");
  });

  it("is cleared from the setting when the user brings files, and nothing else is", async () => {
    const first = await Replica.start(client);
    await verified(first);
    await first[Symbol.asyncDispose]();

    await using second = await Replica.start(client, { files: true });
    await eventually(async () => (await shown()) === "", within);

    const { cert } = await selfSigned(["ca.test"], Date.now());
    await set("cacerts", cert);
    await set("server-url", "https://a.test");
    await eventually(async () => (await second.health.unready()).length === 0, within);
    expect(await shown()).to.equal(cert);
  });
});

describe("what a serving certificate is for", () => {
  const always = [
    "localhost",
    "127.0.0.1",
    "::1",
    "rancher.cattle-system",
    "rancher.cattle-system.svc",
  ];
  for (const { bindHost, serverUrl, more } of [
    { bindHost: "127.0.0.1", serverUrl: "", more: [] },
    { bindHost: "0.0.0.0", serverUrl: "", more: [] },
    { bindHost: "::", serverUrl: "no URL", more: [] },
    { bindHost: "10.0.0.1", serverUrl: "https://10.0.0.1:8443", more: ["10.0.0.1"] },
    { bindHost: "0.0.0.0", serverUrl: "https://D.example.com/x", more: ["d.example.com"] },
    { bindHost: "::", serverUrl: "https://[fd00::1]:8443", more: ["fd00::1"] },
  ]) {
    it(`is ${more.join() || "this machine and the Service"}, bound to ${bindHost} as "${serverUrl}"`, () => {
      expect(servedNames(bindHost, serverUrl)).to.deep.equal([...always, ...more]);
    });
  }
});

describe("a bundle", () => {
  const encoded = (text: string): string => Buffer.from(text).toString("base64");
  it("is ours when it names nothing but authorities of the Secret", async () => {
    const [a, b, c] = await Promise.all(
      ["a", "b", "c"].map((name) => selfSigned([name], Date.now())),
    );
    const [one, two, other] = [a?.cert ?? "", b?.cert ?? "", c?.cert ?? ""];
    const data = { "tls.crt": encoded(one), "ca.crt": encoded(`${one}\n${two}`) };
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "x" }, data };

    const told = [one, `${two}\n${one}`, other, `${one}\n${other}`, "", "x"].map((bundle) =>
      isOurs(bundle, secret),
    );
    expect(told).to.deep.equal([true, true, false, false, false, false]);
    expect(isOurs(one, undefined)).to.equal(false);
  });

  it("may have anything in it", () => {
    const broken = "-----BEGIN CERTIFICATE-----\nxxxx\n-----END CERTIFICATE-----";

    expect(fingerprintsIn(`${broken} and text`)).to.deep.equal([]);
  });
});

function isSignedBy(certificate: X509Certificate, bundle: string): boolean {
  const blocks = bundle.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];
  return blocks.some((block) => {
    const authority = new X509Certificate(block);
    return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
  });
}
