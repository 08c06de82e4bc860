import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, realpathSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import { basename } from "node:path";
import type { TLSSocket } from "node:tls";
import { expect } from "chai";
import { freshNamespace, testEnv, uniqueName } from "../test-env.ts";
import { until } from "../wait.ts";
import type { Call } from "./api.ts";
import type { ControlPlane } from "./control-plane.ts";

const HOUR = 3_600_000;

describe("control plane", function () {
  this.timeout(20_000);
  let controlPlane: ControlPlane;
  let namespace: string;
  before(async function () {
    this.timeout(120_000);
    controlPlane = await testEnv();
    namespace = await freshNamespace(controlPlane);
  });

  /** Sends a request and returns the parsed answer, which must have `expected` as its status. */
  async function api(method: string, path: string, body?: unknown, expected = body ? 201 : 200) {
    const call: Call = body === undefined ? {} : { body };
    const reply = await controlPlane.request(method, path, call);
    expect(reply.status, reply.body).to.equal(expected);
    return JSON.parse(reply.body);
  }
  const configMaps = (): string => `/api/v1/namespaces/${namespace}/configmaps`;
  const statusOf = async (path: string): Promise<number> =>
    (await controlPlane.request("GET", path)).status;

  it("is Kubernetes 1.35 and says so, kubectl too", async () => {
    const { stdout } = await controlPlane.kubectl(["version", "-o", "json"]);

    const { clientVersion, serverVersion } = JSON.parse(stdout);
    expect(controlPlane.version).to.match(/^v1\.35\.\d+$/);
    for (const version of [clientVersion, serverVersion]) {
      expect(version).to.include({ major: "1", minor: "35", gitVersion: controlPlane.version });
    }
  });

  it("comes as one executable that is told what to be by its name or its first argument", async function () {
    const { kubectl = "", origin } = controlPlane.binaries;
    if (!origin.startsWith("hack/controlplane")) return this.skip(); // the user's own programs
    const one = realpathSync(kubectl);
    const run = (...args: string[]) => spawnSync(one, args, { encoding: "utf8" });

    const [named, unknown, none] = [run("kubectl", "version", "--client"), run("kubelet"), run()];

    expect(basename(one)).to.equal("controlplane");
    expect(named.stdout).to.contain(`Client Version: ${controlPlane.version}`);
    for (const { status, stderr } of [unknown, none]) {
      expect(stderr).to.match(/^usage: controlplane etcd\|/);
      expect(status).to.equal(2);
    }
  });

  it("has the kubernetes Service and the default namespaces", async () => {
    const { spec } = await api("GET", "/api/v1/namespaces/default/services/kubernetes");
    const { items } = await api("GET", "/api/v1/namespaces");

    expect(spec.clusterIP).to.equal("10.0.0.1");
    const names = items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
    expect(names).to.include.members(["default", "kube-system", "kube-public", "kube-node-lease"]);
  });

  it("serves a watch-list: initial events, then the bookmark that ends them", async () => {
    await api("POST", configMaps(), { metadata: { name: "one" } });
    const root = `${configMaps()}/kube-root-ca.crt`; // the controller manager makes one in each namespace
    await until("its ConfigMap", async () => (await statusOf(root)) === 200 || undefined, {
      timeout: 15_000,
    });

    const query = new URLSearchParams({
      watch: "1",
      sendInitialEvents: "true",
      resourceVersionMatch: "NotOlderThan",
      allowWatchBookmarks: "true",
      timeoutSeconds: "3",
    });
    const { status, body } = await controlPlane.request("GET", `${configMaps()}?${query}`);

    expect(status).to.equal(200);
    const events = body
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.map(({ type }) => type)).to.include("ADDED");
    const last = events.at(-1);
    expect(last.type).to.equal("BOOKMARK");
    expect(last.object.metadata.annotations).to.deep.equal({ "k8s.io/initial-events-end": "true" });
  });

  describe("kubectl", () => {
    it("returns output and exit code, and takes its input", async () => {
      const manifest = {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "piped", namespace },
      };

      const applied = await controlPlane.kubectl(["apply", "-f", "-"], {
        input: JSON.stringify(manifest),
      });
      const missing = await controlPlane.kubectl(["get", "configmap", "none", "-n", namespace]);

      expect(applied).to.deep.equal({ code: 0, stdout: "configmap/piped created\n", stderr: "" });
      expect(missing.code).to.equal(1);
      expect(missing.stderr).to.contain('configmaps "none" not found');
    });

    it("is killed when its time is up or the caller aborts", async () => {
      const watch = ["get", "configmaps", "-n", namespace, "--watch"];

      const late = await controlPlane.kubectl(watch, { timeout: 500 }).catch((e: Error) => e);
      const abort = AbortSignal.timeout(200);
      const aborted = await controlPlane.kubectl(watch, { signal: abort }).catch((e: Error) => e);

      expect(String(late))
        .to.contain("kubectl get configmaps")
        .and.contain("took longer than 0.5 s");
      expect(aborted).to.be.instanceOf(Error);
    });

    it("never looks at the shell's KUBECONFIG", async () => {
      const before = process.env.KUBECONFIG;
      process.env.KUBECONFIG = "/nonexistent/elsewhere";
      try {
        const { stdout } = await controlPlane.kubectl([
          "config",
          "view",
          "-o",
          "jsonpath={.clusters[0].cluster.server}",
        ]);

        expect(stdout).to.equal(controlPlane.url);
      } finally {
        if (before === undefined) delete process.env.KUBECONFIG;
        else process.env.KUBECONFIG = before;
      }
    });
  });

  describe("users", () => {
    const whoami = async (kubeconfig: string) => {
      const { code, stdout, stderr } = await controlPlane.kubectl(
        ["auth", "whoami", "-o", "json"],
        { kubeconfig },
      );
      return { code, stderr, user: code === 0 ? JSON.parse(stdout).status.userInfo : undefined };
    };

    it("have the name and groups of their client certificate, and no more rights than RBAC gives", async () => {
      const name = uniqueName("jane");
      const { path } = await controlPlane.kubeconfigFor({ name, groups: ["readers", "writers"] });
      const get = ["get", "configmaps", "-n", namespace];
      const refused = await controlPlane.kubectl(get, { kubeconfig: path });

      await api("POST", `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, {
        metadata: { name },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "readers" }],
      });
      const { user } = await whoami(path);

      expect(user.username).to.equal(name);
      expect(user.groups).to.have.members(["readers", "writers", "system:authenticated"]);
      expect(refused.stderr).to.contain(`User "${name}" cannot list resource "configmaps"`);
      await until(
        "the right arriving",
        async () => (await controlPlane.kubectl(get, { kubeconfig: path })).code === 0 || undefined,
        { timeout: 5_000 },
      );
    });

    it("are refused with a certificate that has expired", async () => {
      const { path } = await controlPlane.kubeconfigFor({
        name: "late",
        notAfter: new Date(Date.now() - HOUR),
      });

      const { code, stderr } = await whoami(path);

      expect(code).to.equal(1);
      expect(stderr).to.match(/provide credentials|Unauthorized/);
    });

    it("are refused with a token nobody issued", async () => {
      const { path } = await controlPlane.kubeconfigFor({ token: "guessed" });

      const { code, stderr } = await whoami(path);

      expect(code).to.equal(1);
      expect(stderr).to.match(/logged in|Unauthorized/);
    });

    it("can be service accounts with a token", async () => {
      const token = await controlPlane.serviceAccountToken(namespace, "robot");
      const again = await controlPlane.serviceAccountToken(namespace, "robot", 600);
      const { path } = await controlPlane.kubeconfigFor({ token });

      const { user } = await whoami(path);

      expect(user.username).to.equal(`system:serviceaccount:${namespace}:robot`);
      expect(again).to.not.equal(token);
    });
  });

  describe("controller manager", () => {
    it("ends a namespace", async () => {
      const name = await freshNamespace(controlPlane);
      await api("POST", `/api/v1/namespaces/${name}/configmaps`, { metadata: { name: "inside" } });

      await api("DELETE", `/api/v1/namespaces/${name}`);

      const ended = async () => (await statusOf(`/api/v1/namespaces/${name}`)) === 404 || undefined;
      await until("the namespace ending", ended, { timeout: 15_000 });
    });

    it("collects what lost its owner", async () => {
      const owner = await api("POST", configMaps(), { metadata: { name: "owner" } });
      const { uid, name } = owner.metadata;
      const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name, uid }];
      await api("POST", configMaps(), { metadata: { name: "owned", ownerReferences } });

      await api("DELETE", `${configMaps()}/owner`);

      const collected = async () => (await statusOf(`${configMaps()}/owned`)) === 404 || undefined;
      await until("the garbage collection", collected, { timeout: 15_000 });
    });

    it("aggregates ClusterRoles", async () => {
      const label = uniqueName("aggregate");
      const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
      const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
      await api("POST", roles, {
        metadata: { name: `${label}-part`, labels: { [label]: "true" } },
        rules,
      });
      await api("POST", roles, {
        metadata: { name: label },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [label]: "true" } }] },
        rules: [],
      });

      const filled = async () =>
        (await api("GET", `${roles}/${label}`)).rules?.length === 1 ? true : undefined;
      await until("the aggregation", filled, { timeout: 15_000 });
    });

    it("runs its default controllers but those that would destroy what has no kubelet", () => {
      const log = readFileSync(controlPlane.logOf("kube-controller-manager"), "utf8");

      const disabled = [...log.matchAll(/controller is disabled" controller="([\w-]+)"/g)].map(
        (match) => match[1],
      );
      expect(new Set(disabled)).to.deep.equal(
        new Set([
          "node-lifecycle-controller",
          "taint-eviction-controller",
          "pod-garbage-collector-controller",
          // these three are off by default
          "bootstrap-signer-controller",
          "token-cleaner-controller",
          "selinux-warning-controller",
        ]),
      );
    });
  });

  describe("aggregation layer", () => {
    let server: Server;
    afterEach(() => {
      server.closeAllConnections();
      server.close();
    });

    /** An API server of our own on loopback; resolves with its port. */
    async function listen(
      answer: (request: IncomingMessage) => unknown,
      host: string,
    ): Promise<number> {
      const pair = await controlPlane.serverCertificate([host]);
      server = createServer(
        { ...pair, ca: controlPlane.frontProxyCa, requestCert: true },
        (request, response) => {
          response.setHeader("content-type", "application/json");
          response.end(JSON.stringify(answer(request)));
        },
      );
      server.listen(0, "localhost");
      await once(server, "listening");
      const address = server.address();
      return typeof address === "object" ? (address?.port ?? 0) : 0;
    }

    it("reaches a server beside it through an ExternalName Service and vouches for the user", async () => {
      const group = `${uniqueName("g")}.drover.test`;
      const seen: { user: unknown; proxy: string; trusted: boolean }[] = [];
      const port = await listen((request) => {
        const socket = request.socket as TLSSocket;
        if (request.url?.endsWith("/things") === true) {
          const proxy = String(socket.getPeerCertificate().subject.CN);
          seen.push({ user: request.headers["x-remote-user"], proxy, trusted: socket.authorized });
        }
        return {
          kind: "APIResourceList",
          apiVersion: "v1",
          groupVersion: `${group}/v1`,
          resources: [],
        };
      }, `things.${namespace}.svc`);
      await api("POST", `/api/v1/namespaces/${namespace}/services`, {
        metadata: { name: "things" },
        spec: { type: "ExternalName", externalName: "localhost", ports: [{ port }] },
      });

      await api("POST", "/apis/apiregistration.k8s.io/v1/apiservices", {
        metadata: { name: `v1.${group}` },
        spec: {
          group,
          version: "v1",
          groupPriorityMinimum: 1_000,
          versionPriority: 10,
          service: { namespace, name: "things", port },
          caBundle: Buffer.from(controlPlane.ca).toString("base64"),
        },
      });

      const path = `/apis/${group}/v1/things`;
      await until("the API", async () => ((await statusOf(path)) === 200 ? true : undefined), {
        timeout: 15_000,
      });
      expect(seen.at(-1)).to.deep.equal({
        user: "kubernetes-admin",
        proxy: "front-proxy-client",
        trusted: true,
      });
      await api("DELETE", `/apis/apiregistration.k8s.io/v1/apiservices/v1.${group}`);
    });
  });
});
