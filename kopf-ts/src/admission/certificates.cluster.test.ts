import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:tls";
import { expect } from "chai";
import { systemClock } from "../base/index.ts";
import { secretOf } from "../certificates/testing/certificates.ts";
import type { Secret } from "../kinds/index.ts";
import { isForbidden } from "../kube/index.ts";
import { eventually } from "../testing/index.ts";
import { allow, deny } from "./request.ts";
import { ConfigMap, type Data, Plant, type Replica } from "./testing/plant.ts";
import type { Validator } from "./webhook.ts";

const validator: Validator<Data> = {
  kind: ConfigMap,
  rules: [{ operations: ["CREATE"], timeoutSeconds: 5 }],
  validate: ({ object }) => (object?.data?.refuse === undefined ? allow() : deny(403, "no")),
};

/** The certificate that a replica presents to a new connection. */
async function presented({ server }: Replica): Promise<string> {
  const socket = connect({ port: server.port, host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

function certificateOf(secret: Secret | undefined): X509Certificate {
  return new X509Certificate(Buffer.from(secret?.data?.["tls.crt"] ?? "", "base64"));
}

describe("certificates", function () {
  this.timeout(90_000);

  let plant: Plant;
  beforeEach(async () => {
    plant = await Plant.open({ webhooks: [validator] });
  });
  afterEach(() => plant[Symbol.asyncDispose]());

  const asks = (): Promise<boolean> =>
    plant.client
      .create(plant.configMap({ refuse: "probe" }), { dryRun: true })
      .then(() => false, isForbidden);

  /** PEM of what the API server trusts. */
  async function trusted(): Promise<string> {
    const [entry] = (await plant.configuration())?.webhooks ?? [];
    return Buffer.from(entry?.clientConfig.caBundle ?? "", "base64").toString();
  }

  /**
   * Lets the API server ask all the time, and connects as an API server would that has no connection yet, with the trust that the
   * configuration gives at that moment. Notes what was not answered.
   */
  class Load {
    asked = 0;
    connected = 0;
    readonly failures: string[] = [];
    readonly #port: number;
    readonly #over = new AbortController();
    readonly #running: Promise<unknown>;

    constructor({ server }: Replica) {
      this.#port = server.port;
      const workers = [() => this.#ask(), () => this.#ask(), () => this.#connect()];
      this.#running = Promise.all(workers.map((work) => this.#repeat(work)));
    }

    /** Resolves when this many more requests and connections have begun. */
    async more(count: number): Promise<void> {
      const [asked, connected] = [this.asked + count, this.connected + count];
      await eventually(() => this.asked >= asked && this.connected >= connected, {
        within: 10_000,
      });
    }

    async stop(): Promise<void> {
      this.#over.abort();
      await this.#running;
    }

    async #repeat(work: () => Promise<void>): Promise<void> {
      while (!this.#over.signal.aborted) {
        await work().catch((error) => this.failures.push(String(error)));
        await systemClock.sleep(5);
      }
    }

    async #ask(): Promise<void> {
      this.asked++;
      const probe = plant.configMap({ refuse: "probe" });
      const error = await plant.client.create(probe, { dryRun: true }).catch((e) => e);
      if (!isForbidden(error)) this.failures.push(String(error.message ?? "stored"));
    }

    async #connect(): Promise<void> {
      this.connected++;
      const socket = connect({ port: this.#port, host: "127.0.0.1", ca: await trusted() });
      await once(socket, "secureConnect");
      socket.destroy();
    }
  }

  it("are made once when ten replicas start at the same time", async () => {
    const replicas = await Promise.all(Array.from({ length: 10 }, () => plant.replica()));

    const shown = new Set(await Promise.all(replicas.map(presented)));

    expect(shown.size).to.equal(1);
    const [ca, tls] = [
      certificateOf(await plant.secret("ca")),
      certificateOf(await plant.secret("tls")),
    ];
    expect(tls.verify(ca.publicKey)).to.equal(true);
    expect(replicas.flatMap(({ writes }) => writes).length).to.be.at.least(2);
  });

  it("make the namespace of their Secrets when it is missing", async () => {
    const namespace = `${plant.namespace}-late`;
    const replica = await plant.replica({ secrets: { namespace } });

    expect(await presented(replica)).to.be.a("string");
    await plant.client.delete({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace },
    });
  });

  it("are renewed without a request that fails, and every replica takes the new one", async () => {
    const lifetimes = { serving: 10_000, settle: 200 }; // the last third is for busy machines
    const leader = await plant.leader(asks, { lifetimes });
    const follower = await plant.replica({ lifetimes });
    const first = await presented(leader);
    expect(await presented(follower)).to.equal(first);

    const load = new Load(leader);
    const seen = new Set([first]);
    await eventually(async () => seen.add(await presented(leader)).size >= 4, { within: 45_000 });
    await eventually(async () => (await presented(follower)) === (await presented(leader)), {
      within: 5000,
    });
    expect(Math.min(load.asked, load.connected), "meanwhile").to.be.above(20);
    await eventually(() => Math.min(load.asked, load.connected) > 100, { within: 20_000 });
    await load.stop();

    expect(load.failures).to.deep.equal([]);
  });

  it("and their authority are renewed without a request that fails: first trusted, then used, then dropped", async () => {
    const lifetimes = { authority: 20_000, serving: 10_000, settle: 500, overlap: 2000 };
    const leader = await plant.leader(asks, { lifetimes });
    const follower = await plant.replica({ lifetimes });
    const first = certificateOf(await plant.secret("ca"));

    const load = new Load(leader);
    const sizes = new Set<number>();
    await eventually(
      async () => {
        const text = await trusted();
        sizes.add(text.split("BEGIN").length - 1);
        return !text.includes(first.toString()) && text !== "";
      },
      { within: 40_000, what: "the first authority is dropped" },
    );
    await load.stop();

    expect(load.failures).to.deep.equal([]);
    expect([...sizes].sort()).to.include.members([1, 2]);
    const [ca, tls] = [
      certificateOf(await plant.secret("ca")),
      certificateOf(await plant.secret("tls")),
    ];
    expect(ca.fingerprint256).to.not.equal(first.fingerprint256);
    await eventually(async () => (await presented(follower)) === (await presented(leader)), {
      within: 5000,
    });
    expect(tls.verify(first.publicKey)).to.equal(false);
  });

  it("are made anew when somebody deletes both Secrets, without a request that fails", async () => {
    const lifetimes = { settle: 500 };
    const leader = await plant.leader(asks, { lifetimes });
    const before = await presented(leader);
    const load = new Load(leader);

    for (const what of ["ca", "tls"] as const) {
      const secret = await plant.secret(what);
      if (secret !== undefined) await plant.client.delete(secret);
    }
    await eventually(async () => (await presented(leader)) !== before, { within: 10_000 });
    await load.more(10); // with the new one
    await load.stop();

    expect(load.failures).to.deep.equal([]);
    expect(await plant.secret("tls")).to.not.equal(undefined);
  });

  it("of a new authority wait until the configurations trust it, however long that takes", async () => {
    const leader = await plant.leader(asks, { lifetimes: { settle: 300 } });
    await leader.abdicate();
    await leader.lead("certificates");
    const before = await presented(leader);
    const load = new Load(leader);
    const former = await plant.secret("ca");
    if (former !== undefined) await plant.client.delete(former);
    await eventually(async () => (await plant.secret("ca")) !== undefined, { within: 5000 });

    await systemClock.sleep(1000); // more than it has to settle
    const meanwhile = await presented(leader);
    await leader.lead("configurations");
    await eventually(async () => (await presented(leader)) !== before, { within: 5000 });
    await load.stop();

    expect(meanwhile).to.equal(before);
    expect(load.failures).to.deep.equal([]);
  });

  for (const { name, what, damage } of [
    {
      name: "an authority that is none",
      what: "ca",
      damage: (s: Secret) => ({ ...s, data: { ...s.data, "tls.crt": "eA==", "tls.key": "eA==" } }),
    },
    {
      name: "a certificate that is none",
      what: "tls",
      damage: (s: Secret) => ({ ...s, data: { ...s.data, "tls.crt": "eA==", "tls.key": "eA==" } }),
    },
  ] as const) {
    it(`replace ${name} with a warning, and nobody notices`, async () => {
      const leader = await plant.leader(asks, { lifetimes: { settle: 200 } });
      const load = new Load(leader);
      const secret = await plant.secret(what);
      if (secret === undefined) throw new Error("no Secret");

      await plant.client.update(damage(secret));
      const warned = (): boolean =>
        leader.log.lines.some(({ level, msg }) => level === "warn" && msg.startsWith("replacing"));
      await eventually(warned, { within: 10_000 });
      await eventually(async () => certificateOf(await plant.secret(what)).subject !== "", {
        within: 10_000,
      });
      await load.more(10);
      await load.stop();

      expect(load.failures).to.deep.equal([]);
    });
  }

  it("that a start finds broken or foreign are replaced with a warning", async () => {
    const other = await Plant.open({ webhooks: [validator] });
    await other.replica();
    const foreign = await other.secret("tls");
    await other[Symbol.asyncDispose]();
    const metadata = (what: string) => ({
      name: `${plant.name}-${what}`,
      namespace: plant.namespace,
    });
    const broken = secretOf({ cert: "x", key: "y" });
    await plant.client.create({ ...broken, immutable: true, metadata: metadata("ca") });
    await plant.client.create({ ...broken, data: foreign?.data ?? {}, metadata: metadata("tls") });

    const leader = await plant.leader(asks);

    const warnings = leader.log.lines.filter(({ level }) => level === "warn");
    expect(warnings.map(({ msg, secretName, reason }) => [msg, secretName, reason])).to.deep.equal([
      [
        "replacing what a Secret of certificates holds",
        `${plant.namespace}/${plant.name}-ca`,
        "tls.crt is not made of certificates",
      ],
      [
        "replacing what a Secret of certificates holds",
        `${plant.namespace}/${plant.name}-tls`,
        "it is of an authority that is not ours",
      ],
    ]);
  });

  it("get the names by which API servers call, when those change", async () => {
    const leader = await plant.leader(asks);
    await leader[Symbol.asyncDispose]();

    const clientConfig = (port: number) => ({ url: `https://localhost:${port}` });
    await plant.leader(asks, { clientConfig, lifetimes: { settle: 100 } });

    expect(certificateOf(await plant.secret("tls")).checkHost("localhost")).to.equal("localhost");
  });

  it("never show their keys in a log", async () => {
    const leader = await plant.leader(asks, { lifetimes: { serving: 3000, settle: 100 } });
    const before = await presented(leader);
    await eventually(async () => (await presented(leader)) !== before, { within: 10_000 });

    const log = JSON.stringify(leader.log.lines);

    for (const what of ["ca", "tls"] as const) {
      const key = Buffer.from(
        (await plant.secret(what))?.data?.["tls.key"] ?? "",
        "base64",
      ).toString();
      const [, line = "-"] = key.split("\n");
      expect(line.length).to.be.above(20);
      expect(log).to.not.contain(line);
    }
    expect(log).to.not.contain("PRIVATE KEY");
  });
});
