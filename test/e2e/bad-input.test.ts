import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { AddressInfo, Socket } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect } from "chai";
import { drover, Workplace } from "./drover.ts";

const hanging = {
  apiVersion: "client.authentication.k8s.io/v1",
  command: "sleep",
  args: ["60"],
  interactiveMode: "Never",
};

/** Takes connections and says nothing. */
class SilentServer implements Disposable {
  readonly #server = createServer((socket) => this.#sockets.add(socket));
  readonly #sockets = new Set<Socket>();

  async url(): Promise<string> {
    if (!this.#server.listening) {
      this.#server.listen(0, "127.0.0.1");
      await once(this.#server, "listening");
    }
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  [Symbol.dispose](): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

describe("drover with bad input", function () {
  this.timeout(30_000);

  let place: Workplace;
  beforeEach(() => {
    place = new Workplace();
  });
  afterEach(() => place[Symbol.dispose]());

  const kubeconfig = (server: string, user: object = { token: "sesame-open" }): string => {
    const file = join(place.dir, "config");
    writeFileSync(
      file,
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "c", cluster: { server } }],
        users: [{ name: "u", user }],
        contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
        "current-context": "x",
      }),
    );
    return file;
  };

  it("prints help with every subcommand", async () => {
    const { stdout, code } = await drover(["--help"], place.dir);

    expect(code).to.equal(0);
    expect(stdout).to.contain("dev").and.contain("server").and.contain("crds");
  });

  it("refuses an unknown option with what is known", async () => {
    const { stderr, code } = await drover(["server", "--https-listen-prot", "1"], place.dir);

    expect(code).to.equal(2);
    expect(stderr).to.contain("--https-listen-port");
  });

  for (const { from, args, env } of [
    { from: "its option", args: ["--features", "scum=true"], env: {} },
    { from: "the environment", args: [], env: { CATTLE_FEATURES: "scum=true" } },
  ] satisfies readonly { from: string; args: string[]; env: Record<string, string> }[]) {
    it(`names the feature that nobody knows, and --features, when it comes from ${from}`, async () => {
      const { stderr, code } = await drover(["server", ...args], place.dir, env);

      expect(code).to.equal(2);
      expect(stderr).to.contain("--features").and.contain('"scum" is not a feature');
    });
  }

  it("ends a command within 10 s when the kubeconfig leads nowhere, naming the server", async () => {
    const begin = performance.now();

    const { stderr, code } = await drover(
      ["crds", "--kubeconfig", kubeconfig("https://127.0.0.1:1")],
      place.dir,
    );

    expect(code).to.equal(1);
    expect(stderr).to.contain("https://127.0.0.1:1").and.not.contain("sesame-open");
    expect(performance.now() - begin).to.be.lessThan(10_000);
  });

  it("ends a command within 10 s when the server never answers", async () => {
    using silent = new SilentServer();
    const begin = performance.now();

    const { stderr, code } = await drover(
      ["crds", "--kubeconfig", kubeconfig(await silent.url())],
      place.dir,
    );

    expect(code).to.equal(1);
    expect(stderr)
      .to.contain(await silent.url())
      .and.contain("8 s");
    expect(performance.now() - begin).to.be.lessThan(10_000);
  });

  it("ends a command in the time it was given when a credential plug-in hangs, saying so", async () => {
    const begin = performance.now();

    const { stderr, code } = await drover(
      [
        ...["crds", "--timeout", "2s"],
        ...["--kubeconfig", kubeconfig("https://127.0.0.1:1", { exec: hanging })],
      ],
      place.dir,
    );

    expect(code).to.equal(1);
    expect(stderr).to.contain("reading credentials");
    expect(performance.now() - begin).to.be.lessThan(5000);
  });

  it("names the kubeconfig file that is missing", async () => {
    const { stderr, code } = await drover(["crds", "--kubeconfig", "nowhere.yaml"], place.dir);

    expect(code).to.equal(1);
    expect(stderr).to.contain("nowhere.yaml");
  });

  it("says which port is in use and which option chooses another", async () => {
    const holder = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => holder.once("listening", resolve));
    const { port } = holder.address() as AddressInfo;

    const { stderr, code } = await drover(
      [
        "server",
        "--kubeconfig",
        kubeconfig("https://127.0.0.1:1"),
        "--https-listen-port",
        String(port),
      ],
      place.dir,
    );
    holder.close();

    expect(code).to.equal(1);
    expect(stderr).to.contain(`port ${port}`).and.contain("--https-listen-port");
  });

  it("prints its version", async () => {
    const { stdout, code } = await drover(["--version"], place.dir);

    expect({ stdout, code }).to.deep.equal({ stdout: "0.1.0\n", code: 0 });
  });

  for (const { what, files, expected } of [
    { what: "that is missing", files: {}, expected: "--tls-cert-file: ENOENT" },
    {
      what: "that is none",
      files: { "tls.crt": "rubbish", "tls.key": "rubbish" },
      expected: "must be a certificate and its key in PEM",
    },
  ]) {
    it(`names the option of a serving certificate ${what}`, async () => {
      for (const [name, content] of Object.entries(files)) {
        writeFileSync(join(place.dir, name), content);
      }

      const { stderr, code } = await drover(
        [
          ...[
            "server",
            "--kubeconfig",
            kubeconfig("https://127.0.0.1:1"),
            "--https-listen-port",
            "0",
          ],
          ...["--tls-cert-file", "tls.crt", "--tls-key-file", "tls.key"],
        ],
        place.dir,
      );

      expect(code).to.equal(1);
      expect(stderr).to.contain("--tls-cert-file").and.contain(expected);
    });
  }

  it("names the ways to get a control plane when there is no Go and no binary", async () => {
    const { stderr, code } = await drover(["dev"], place.dir, {
      PATH: place.dir,
      XDG_CACHE_HOME: place.dir,
      KUBEBUILDER_ASSETS: "",
    });

    expect(code).to.equal(1);
    expect(stderr).to.contain("KUBEBUILDER_ASSETS").and.contain("PATH").and.contain("Go");
  });
});
