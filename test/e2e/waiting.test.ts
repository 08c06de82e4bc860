import { type ControlPlane, startControlPlane } from "@drover/env";
import { expect } from "chai";
import {
  type Answer,
  ask,
  drover,
  eventually,
  type Finished,
  type Program,
  startDrover,
  Workplace,
} from "./drover.ts";

const listeners = [
  ...["--https-listen-port", "0", "--http-listen-port", "0"],
  ...["--metrics-listen-addr", "0", "--log-format", "text", "--webhook-listen-port", "0"],
];

/** A server waits for what a person must mend, and says what for; a command ends. */
describe("drover against a cluster that is not ready for it", function () {
  this.timeout(120_000);

  let plane: ControlPlane;
  let place: Workplace;
  let server: Program | undefined;

  before(async () => {
    plane = await startControlPlane({ controllerManager: false });
    place = new Workplace();
  });
  afterEach(async () => {
    await server?.[Symbol.asyncDispose]();
    server = undefined;
    const configurations = "validatingwebhookconfigurations,mutatingwebhookconfigurations";
    await plane.kubectl(["delete", configurations, "--all"]); // nobody answers any more
  });
  after(async () => {
    place?.[Symbol.dispose]();
    await plane?.stop();
  });

  const serve = async (kubeconfig: string): Promise<string> => {
    server = startDrover(["server", "--kubeconfig", kubeconfig, ...listeners], { cwd: place.dir });
    const [, url = ""] = await server.prints(/serving.* url=(https:\S+)/);
    return url;
  };
  const crds = (kubeconfig: string): Promise<Finished> =>
    drover(["crds", "--kubeconfig", kubeconfig], place.dir);
  const readyz = (
    url: string,
    what: string,
    fits: (answer: Answer) => boolean,
    within = 60_000, // a right that was missing is noticed after 15 to 30 s
  ): Promise<Answer> => {
    let last: Answer | undefined;
    return eventually(
      `/readyz that ${what}`,
      async () => {
        last = await ask(`${url}/readyz`);
        return fits(last) ? last : undefined;
      },
      within,
      () => `${last?.status} ${last?.body}\n${server?.output}`,
    );
  };
  const waitsFor = (url: string, reason: RegExp): Promise<Answer> =>
    readyz(url, `waits for ${reason}`, ({ status, body }) => status >= 500 && reason.test(body));
  const isReady = (url: string, within?: number): Promise<Answer> =>
    readyz(url, "is well", ({ status }) => status === 200, within);
  const apply = async (object: object): Promise<void> => {
    const done = await plane.kubectl(["apply", "-f", "-"], { input: JSON.stringify(object) });
    expect(done.code, done.stderr).to.equal(0);
  };
  const stopsInOrder = async (): Promise<void> => {
    server?.kill("SIGTERM");
    expect(await server?.ended(), server?.output).to.equal(0);
  };

  const refused = {
    "a token that nobody knows": () => plane.kubeconfigFor({ token: "sesame-open" }),
    "an expired certificate": () =>
      plane.kubeconfigFor({
        name: "late",
        notBefore: new Date(Date.now() - 7_200_000),
        notAfter: new Date(Date.now() - 3_600_000),
      }),
  };
  for (const [name, kubeconfig] of Object.entries(refused)) {
    it(`lets a server wait, and ends a command within 10 s, with ${name}`, async () => {
      const { path } = await kubeconfig();

      const begin = performance.now();
      const { code, stderr } = await crds(path);
      expect(code).to.equal(1);
      expect(stderr).to.match(/Unauthorized|certificate/i);
      expect(stderr).to.contain(plane.url).and.not.contain("sesame-open");
      expect(performance.now() - begin).to.be.lessThan(10_000);

      const url = await serve(path);
      await waitsFor(url, /Unauthorized|certificate/i);
      expect((await ask(`${url}/healthz`)).status).to.equal(200);
      expect(server?.output).to.not.contain("sesame-open");
      await stopsInOrder();
    });
  }

  it("ends at once where header mode would be open to others", async () => {
    const args = ["--kubeconfig", plane.kubeconfigPath, "--bind-host", "0.0.0.0", ...listeners];

    const { code, stderr } = await drover(["server", ...args, "--enable-header-auth"], place.dir);

    expect(code).to.equal(1);
    expect(stderr).to.contain("it needs a --bind-host that only this machine reaches");
  });

  it("makes what it needs on an empty cluster by itself", async () => {
    const url = await serve(plane.kubeconfigPath);
    await isReady(url);

    const settings = ["get", "settings.management.cattle.io", "server-url", "-o", "name"];
    expect((await plane.kubectl(settings)).stdout).to.contain("server-url");
    expect((await plane.kubectl(["get", "namespace", "cattle-global-data"])).code).to.equal(0);
    await stopsInOrder();
  });

  it("waits for its rights, naming them, and goes on when somebody grants them", async () => {
    const { path } = await plane.kubeconfigFor({ name: "newcomer" });
    const denied = await crds(path);
    expect(denied.code).to.equal(1);
    expect(denied.stderr).to.contain("newcomer").and.contain("customresourcedefinitions");
    const url = await serve(path);
    await waitsFor(url, /newcomer.*cannot impersonate/s);

    await apply({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "newcomer" },
      roleRef: {
        apiGroup: "rbac.authorization.k8s.io",
        kind: "ClusterRole",
        name: "cluster-admin",
      },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "newcomer" }],
    });

    await isReady(url);
    await stopsInOrder();
  });

  it("tells of an object that got past validation, and still purges the others", async () => {
    const crd = "tokens.management.cattle.io";
    const lax = [
      {
        op: "replace",
        path: "/spec/versions/0/schema/openAPIV3Schema/properties/ttl",
        value: open,
      },
    ];
    const patch = ["patch", "crd", crd, "--type=json", "-p", JSON.stringify(lax)];
    await plane.kubectl(patch);
    const token = { apiVersion: "management.cattle.io/v3", kind: "Token", userId: "u-sample" };
    await eventually(
      "token with a ttl of text",
      async () => {
        const object = { ...token, metadata: { name: "malformed" }, ttl: "soon" };
        const call = { input: JSON.stringify(object) };
        return (await plane.kubectl(["apply", "-f", "-"], call)).code === 0 ? true : undefined;
      },
      10_000,
    );
    expect((await crds(plane.kubeconfigPath)).code).to.equal(0);
    const url = await serve(plane.kubeconfigPath);
    await isReady(url);

    await apply({ ...token, metadata: { name: "short" }, ttl: 1000 });

    const gone = await plane.kubectl(["wait", "--for=delete", "token/short", "--timeout=20s"]);
    expect(gone.code, gone.stderr).to.equal(0);
    const of = "involvedObject.name=malformed";
    const told = await eventually(
      "Event about the malformed token",
      async () => {
        const path = "jsonpath={.items[*].message}";
        const got = await plane.kubectl([
          "get",
          "events",
          "-A",
          "--field-selector",
          of,
          "-o",
          path,
        ]);
        return got.stdout === "" ? undefined : got.stdout;
      },
      10_000,
    );
    expect(told).to.contain("ttl must be whole milliseconds");
    expect((await plane.kubectl(["get", "token", "malformed"])).code).to.equal(0);
    await stopsInOrder();
  });
});

/** A schema that lets anything through. */
const open = { "x-kubernetes-preserve-unknown-fields": true };
