import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ControlPlane, freshNamespace, type Outcome, testEnv, uniqueName } from "@drover/env";
import { mayDo } from "@drover/platform";
import { expect } from "chai";
import {
  connect,
  type ForwardingClient,
  loadConfig,
  type ObjectRef,
  silentLogger,
  systemClock,
} from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { Place } from "../authn/cluster.test.support.ts";
import { Authn } from "../authn/index.ts";
import type { LoginStanding } from "../caller.ts";
import { type Raw, websocketTo } from "../listener/testing/raw.ts";
import { Served } from "../listener/testing/served.ts";
import { localCluster } from "../local-cluster/index.ts";
import { Tenures } from "../tenures.ts";
import { kubeProxy } from "./index.ts";
import { Kubelet } from "./kubelet.test.support.ts";

const within = { within: 20_000 };
/** Where no login ends. */
const always = new Tenures({ clock: systemClock, log: silentLogger, standingOf: () => "counts" });

describe("kube-proxy, on an API server", function () {
  this.timeout(90_000);

  let env: ControlPlane;
  let place: Place;
  let client: ForwardingClient;
  let dir: string;
  let served: Served;
  let tenures: Tenures;
  let stopped: () => Promise<void>;
  let username: string;
  let token: string;
  let kubeconfig: string;
  const peers: ForwardingClient[] = [];

  before(async () => {
    env = await testEnv();
    place = await Place.open();
    client = connect(await loadConfig({ kubeconfig: env.kubeconfigPath }));
    dir = mkdtempSync(join(tmpdir(), "kube-proxy-"));
    const authn = new Authn(place.parts());
    const stop = new AbortController();
    const running = authn.start(stop.signal);
    tenures = new Tenures({
      ...{ clock: systemClock, log: silentLogger },
      standingOf: (login) => authn.standingOf(login),
    });
    const proxy = kubeProxy({ client, tenures });
    served = await Served.open([authn.stage, localCluster, proxy]);
    stopped = async () => {
      stop.abort();
      await running;
    };
    await authn.whenSynced();
    ({ username, token, kubeconfig } = await aUserWhoMay("cluster-admin"));
  });
  afterEach(() => eventually(() => tenures.size === 0, within));
  after(async () => {
    await served[Symbol.asyncDispose]();
    await stopped();
    for (const each of [client, ...peers]) await each[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
    rmSync(dir, { recursive: true });
  });

  /** Somebody with a token, bound to a ClusterRole; resolves when the API server knows it. */
  async function aUserWhoMay(role: string) {
    const user = await place.user();
    const { name } = user.metadata;
    const { value } = await place.token(user, { isDerived: true });
    await place.client.create({
      ...{
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name },
      },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name }],
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
    });
    const caller = { username: name, groups: [] };
    const pods = { verb: "list", group: "", resource: "pods" };
    await eventually(() => mayDo(place.client, caller, pods), within); // both roles let people do that
    return { username: name, token: value, kubeconfig: kubeconfigOf(value) };
  }

  function kubeconfigOf(value: string): string {
    const path = join(dir, `${uniqueName("kubeconfig")}.json`);
    const cluster = {
      server: `https://127.0.0.1:${served.listener.httpsPort}`,
      "certificate-authority-data": Buffer.from(served.certificate.cert).toString("base64"),
    };
    const config = {
      ...{ apiVersion: "v1", kind: "Config", "current-context": "drover" },
      clusters: [{ name: "drover", cluster }],
      users: [{ name: "drover", user: { token: value } }],
      contexts: [{ name: "drover", context: { cluster: "drover", user: "drover" } }],
    };
    writeFileSync(path, JSON.stringify(config));
    return path;
  }

  const kubectl = (...args: readonly string[]): Promise<Outcome> =>
    env.kubectl(args, { kubeconfig });

  /** What it prints, if it ends well. */
  const printed = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await kubectl(...args);
    expect(code, stderr).to.equal(0);
    return stdout;
  };

  const tokenNamed = (value: string): ObjectRef => ({
    ...{ apiVersion: "management.cattle.io/v3", kind: "Token" },
    metadata: { name: value.split(":")[0] ?? "" },
  });
  const bearer = (value: string) => ({ authorization: `Bearer ${value}` });

  describe("kubectl through it", () => {
    it("is the user of its token", async () => {
      const told = JSON.parse(await printed("auth", "whoami", "-o", "json")).status.userInfo;

      expect(told.username).to.equal(username);
      expect(told.uid).to.equal(username);
      expect(told.groups).to.deep.equal(["system:authenticated", "system:cattle:authenticated"]);
      expect(told.extra).to.have.keys("requesttokenid", "requesthost", "principalid", "username");
    });

    it("reads version, kinds, schemas and what one may do", async () => {
      expect(await printed("version")).to.contain(`Server Version: ${env.version}`);
      expect(await printed("api-resources")).to.match(/^deployments +deploy +apps\/v1/m);
      expect(await printed("explain", "pod.spec.nodeName")).to.contain("FIELD: nodeName <string>");
      expect(await printed("auth", "can-i", "--list")).to.contain("*.*");
      expect(JSON.parse(await printed("get", "--raw", "/openapi/v2"))).to.include({
        swagger: "2.0",
      });
    });

    it("applies, patches, compares and deletes", async () => {
      const namespace = await freshNamespace(env);
      const yaml = (colour: string): string =>
        JSON.stringify({
          ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace } },
          data: { colour },
        });
      const file = join(dir, "a.json");
      writeFileSync(file, yaml("blue"));
      const at = ["configmap", "a", "-n", namespace];

      expect(await printed("apply", "--server-side", "-f", file)).to.contain("serverside-applied");
      await printed(
        "patch",
        ...at,
        "--type=json",
        "-p",
        '[{"op":"add","path":"/data/x","value":"y"}]',
      );
      await printed("patch", ...at, "--type=merge", "-p", '{"data":{"z":"1"}}');
      const data = JSON.parse(await printed("get", ...at, "-o", "json")).data;
      expect(data).to.deep.equal({ colour: "blue", x: "y", z: "1" });
      writeFileSync(file, yaml("red"));
      expect((await kubectl("diff", "--server-side", "-f", file)).stdout).to.contain(
        "+  colour: red",
      );
      await printed("delete", ...at, "--cascade=foreground");
      const { code, stderr } = await kubectl("get", ...at);
      expect([code, stderr]).to.deep.equal([
        1,
        'Error from server (NotFound): configmaps "a" not found\n',
      ]);
    });

    it("watches, and is told of each change when it happens", async () => {
      const namespace = await freshNamespace(env);
      const args = ["get", "configmaps", "-n", namespace, "-w", "-o", "name"];
      const child = spawn(env.binaries.kubectl ?? "", args, {
        env: { KUBECONFIG: kubeconfig, HOME: dir, KUBECACHEDIR: join(dir, "cache") },
      });
      let seen = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        seen += text;
      });

      await eventually(() => seen.includes("kube-root-ca.crt"), within);
      for (const name of ["one", "two"]) {
        await printed("create", "configmap", name, "-n", namespace);
        await eventually(() => seen.includes(`configmap/${name}\n`), within);
      }
      const ended = new Promise((resolve) => child.once("close", resolve));
      child.kill();
      await ended;
    });

    it("may do no more than its user", async () => {
      const viewer = await aUserWhoMay("view");

      const { code, stderr } = await env.kubectl(["get", "secrets", "-A"], viewer);

      expect(code).to.equal(1);
      expect(stderr)
        .to.contain("Error from server (Forbidden)")
        .and.contain(`User "${viewer.username}"`);
    });

    it("is refused with a token that is none", async () => {
      const { code, stderr } = await env.kubectl(["get", "pods"], {
        kubeconfig: kubeconfigOf("token-none:abc"),
      });

      expect(code).to.equal(1);
      expect(stderr).to.match(/You must be logged in|not authorized|Unauthorized/);
    });
  });

  it("knows the local cluster by its own path, and tokens that are for it alone", async () => {
    const user = { metadata: { name: username } };
    const { value: scoped } = await place.token(user, { isDerived: true, clusterName: "local" });
    const headers = bearer(scoped);

    const own = await served.call("/k8s/clusters/local/api/v1/namespaces/default", { headers });
    const root = await served.call("/api/v1/namespaces/default", { headers });

    expect(JSON.parse(own.body)).to.include({ kind: "Namespace" });
    expect(root.status).to.equal(401);
    expect(JSON.parse(root.body)).to.include({ kind: "Status", message: "not authorized" });
  });

  it("tells the health of the API server below the path of its cluster, and the rest of it to who may see that, and nothing to nobody", async () => {
    const [own, viewer] = [bearer(token), bearer((await aUserWhoMay("view")).token)];
    const below = (path: string, headers = {}) =>
      served.call(`/k8s/clusters/local${path}`, { headers });

    expect((await below("/readyz?verbose", own)).body).to.contain("[+]etcd ok");
    expect(await below("/livez", viewer)).to.include({ status: 200, body: "ok" });
    expect((await below("/metrics", own)).body).to.contain("apiserver_request_total");
    expect(await below("/metrics", viewer)).to.include({ status: 403 });
    expect(await below("/livez")).to.include({ status: 401 });
    const { value: elsewhere } = await place.token(
      { metadata: { name: username } },
      { isDerived: true, clusterName: "c-other" },
    );
    expect(await below("/livez", bearer(elsewhere))).to.include({ status: 401 });
  });

  it("streams a list of megabytes, whole", async () => {
    const namespace = await freshNamespace(env);
    const data = { text: "x".repeat(500_000) };
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    for (const name of Array.from({ length: 8 }, (_, index) => `m${index}`)) {
      await env.request("POST", path, { body: { metadata: { name }, data } });
    }

    await eventually(async () => {
      const { status } = await env.request("GET", `${path}/kube-root-ca.crt`);
      return status === 200;
    }, within); // the controller manager makes one in each namespace

    const { status, body } = await served.call(path, { headers: bearer(token) });

    expect(status).to.equal(200);
    expect(JSON.parse(body).items).to.have.length(9);
    expect(body.length).to.be.greaterThan(4_000_000);
  });

  it("passes bodies on whole, and what the API server says to them", async () => {
    const namespace = await freshNamespace(env);
    const path = `/api/v1/namespaces/${namespace}/configmaps?fieldManager=me`;
    const body = JSON.stringify({ metadata: { name: "a" }, data: { text: "x".repeat(900_000) } });
    const headers = { ...bearer(token), "content-type": "application/json" };

    const created = await served.call(path, { method: "POST", headers, body });
    const again = await served.call(path, { method: "POST", headers, body });
    const chunked = { ...headers, "transfer-encoding": "chunked" };
    const other = await served.call(path, { method: "POST", headers: chunked, body: "{}" });

    expect(created.status).to.equal(201);
    expect(JSON.parse(created.body).metadata.managedFields[0].manager).to.equal("me");
    expect(JSON.parse(again.body)).to.include({
      kind: "Status",
      reason: "AlreadyExists",
      code: 409,
    });
    expect(JSON.parse(other.body)).to.include({ kind: "Status", code: 422 });
  });

  it("takes nobody's word for who they are", async () => {
    const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    const body = JSON.stringify({
      apiVersion: "authentication.k8s.io/v1",
      kind: "SelfSubjectReview",
    });
    const headers = {
      ...bearer(token),
      "content-type": "application/json",
      "impersonate-user": "system:admin",
      "Impersonate-Group": "system:masters",
      "impersonate-extra-x": "y",
      "x-remote-user": "system:admin",
      "x-remote-group": "system:masters",
    };

    const answer = await served.call(path, { method: "POST", headers, body });

    const { userInfo } = JSON.parse(answer.body).status;
    expect(userInfo.username).to.equal(username);
    expect(userInfo.groups).to.not.include("system:masters");
    expect(userInfo.extra).to.not.have.property("x");
  });

  it("lets the API server judge tokens that are its own, with nothing of ours beside them", async () => {
    const namespace = await freshNamespace(env);
    const account = await env.serviceAccountToken(namespace, "robot");
    const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    const body = JSON.stringify({
      apiVersion: "authentication.k8s.io/v1",
      kind: "SelfSubjectReview",
    });
    const ask = (value: string) =>
      served.call(path, {
        ...{ method: "POST", body },
        headers: { ...bearer(value), "content-type": "application/json" },
      });

    const known = await ask(account);
    const unknown = await ask("eyJhbGciOiJSUzI1NiJ9.e30.c2ln");

    const { username: robot } = JSON.parse(known.body).status.userInfo;
    expect(robot).to.equal(`system:serviceaccount:${namespace}:robot`);
    expect(unknown.status).to.equal(401);
    expect(JSON.parse(unknown.body)).to.include({ kind: "Status", reason: "Unauthorized" });
  });

  it("tells nobody anything of objects, and versions if the API server does", async () => {
    const objects = await served.call("/api/v1/namespaces");
    const groups = await served.call("/apis", { headers: bearer("token-none:abc") });
    const version = await served.call("/version");
    const schemas = await served.call("/openapi/v2");

    for (const { status, body } of [objects, groups]) {
      expect(status).to.equal(401);
      expect(JSON.parse(body)).to.include({ kind: "Status", code: 401, message: "not authorized" });
    }
    expect(JSON.parse(version.body)).to.include({ gitVersion: env.version });
    expect(JSON.parse(schemas.body)).to.include({ kind: "Status", code: 403 });
  });

  it("ends the API server's watch when the client has gone, and the client's when the server stops", async () => {
    const namespace = await freshNamespace(env);
    const path = `/api/v1/namespaces/${namespace}/configmaps?watch=1`;
    const request = [`GET ${path} HTTP/1.1`, "Host: x", `Authorization: Bearer ${token}`];
    const other = await Served.open([
      async (exchange, next) => {
        exchange.login = {
          caller: { username, groups: ["system:authenticated"] },
          token: undefined,
        };
        await next();
      },
      kubeProxy({ client, tenures: always }),
    ]);
    const open = async (): Promise<number> => {
      const { body } = await env.request("GET", "/metrics");
      const line =
        /^apiserver_longrunning_requests\{.*resource="configmaps".*verb="WATCH".*\} (\d+)$/gm;
      const counts = [...body.matchAll(line)].filter(([text]) =>
        text.includes('scope="namespace"'),
      );
      return counts.reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const before = await open();

    const raw = served.raw().send(...request);
    await eventually(() => raw.text.includes('"ADDED"'), within);
    expect(await open()).to.be.greaterThan(before);
    raw.socket.destroy();
    await eventually(async () => (await open()) <= before, within);
    const watching = other.raw().send(...request);
    await eventually(() => watching.text.includes('"ADDED"'), within);
    await other.listener.close(20_000);

    expect(await watching.ended).to.match(/\r\n0\r\n\r\n$/);
  });

  it("ends watches when the token that they began with is deleted, however they are asked for, and no other", async () => {
    const namespace = await freshNamespace(env);
    const of = `namespaces/${namespace}/configmaps`;
    const paths = [`${of}?watch=1`, `watch/${of}`, `%77atch/${of}`, `watch%2F${of}`];
    const gone = await aUserWhoMay("cluster-admin");
    const watch = (path: string, value: string): Raw =>
      served
        .raw()
        .send(`GET /api/v1/${path} HTTP/1.1`, "Host: x", `Authorization: Bearer ${value}`);
    const ending = paths.map((path) => watch(path, gone.token));
    const staying = watch(`${of}?watch=1`, token);
    for (const raw of [...ending, staying])
      await eventually(() => raw.text.includes('"ADDED"'), within);

    await place.client.delete(tokenNamed(gone.token));
    for (const raw of ending) {
      await eventually(() => raw.text.endsWith("\r\n0\r\n\r\n"), within);
      raw.socket.destroy();
    }
    await place.client.create({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "later", namespace },
    });
    await eventually(() => staying.text.includes('"later"'), within);
    staying.socket.destroy();
  });

  it("breaks off what else goes on when its login has ended", async () => {
    await using server = await aServer((_, response) => void response.write("data: 1\n\n"));
    const standings: LoginStanding[] = ["counts"];
    const parts = { clock: systemClock, log: silentLogger };
    const own = new Tenures({ ...parts, standingOf: () => standings.at(-1) ?? "counts" });
    await using other = await proxyTo(server.url, own);
    const path = "/api/v1/namespaces/default/services/events/proxy/stream";
    const raw = other.raw().send(`GET ${path} HTTP/1.1`, "Host: x");
    await eventually(() => raw.text.includes("data: 1"), within);
    expect(own.size).to.equal(1);

    standings.push("ended");

    expect(await raw.ended).to.not.match(/\r\n0\r\n\r\n$/);
    expect(own.size).to.equal(0);
  });

  describe("connections that change their protocol", () => {
    let kubelet: Kubelet;
    before(async () => {
      kubelet = await Kubelet.start(env);
    });
    after(() => kubelet[Symbol.asyncDispose]());

    const exec = (): string =>
      `/api/v1/namespaces/${kubelet.namespace}/pods/${kubelet.pod}/exec?command=sh&stdin=true&stdout=true`;
    const spdy = (path: string, ...headers: readonly string[]): readonly string[] => [
      `POST ${path} HTTP/1.1`,
      ...["Host: localhost", "Connection: Upgrade", "Upgrade: SPDY/3.1"],
      ...["X-Stream-Protocol-Version: v4.channel.k8s.io", "Content-Length: 0"],
      ...headers,
    ];
    const upgraded = async (raw: Raw): Promise<void> => {
      await eventually(() => raw.text.includes("hello "), within).catch(() => undefined);
      expect(raw.text).to.match(/^HTTP\/1.1 101 Switching Protocols\r\n/);
    };

    it("carry SPDY to the kubelet and back (exec)", async () => {
      const raw = served.raw().send(...spdy(exec(), `Authorization: Bearer ${token}`));
      await upgraded(raw);

      raw.socket.write("bytes \0\x01 of any kind");
      await eventually(() => raw.text.endsWith("hello bytes \0\x01 of any kind"), within);

      expect(raw.text)
        .to.match(/\r\nupgrade: SPDY\/3.1\r\n/i)
        .and.match(/\r\nx-request-id: /i)
        .and.match(/\r\nset-cookie: grafana=1\r\n/i)
        .and.not.match(/R_SESS|CSRF/);
      const { request } = kubelet.asked.at(-1) ?? {};
      expect(request?.url).to.contain(`/exec/${kubelet.namespace}/${kubelet.pod}/web?command=sh`);
      expect(request?.headers).to.not.have.any.keys("authorization", "impersonate-user");
      raw.socket.destroy();
    });

    it("carry websockets of exec, whose token in a protocol stays here", async () => {
      const raw = served
        .raw()
        .send(
          ...websocketTo(
            exec(),
            `Authorization: Bearer ${token}`,
            "Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.c3RyYW5nZQ, v4.channel.k8s.io",
          ),
        );
      await upgraded(raw);

      raw.socket.write("frame");
      await eventually(() => raw.text.endsWith("hello frame"), within);

      expect(kubelet.asked.at(-1)?.request.headers["sec-websocket-protocol"]).to.equal(
        "v4.channel.k8s.io",
      );
      raw.socket.destroy();
    });

    it("carry port-forward and attach", async () => {
      const pod = `/api/v1/namespaces/${kubelet.namespace}/pods/${kubelet.pod}`;
      for (const path of [`${pod}/portforward?ports=80`, `${pod}/attach?stdout=true`]) {
        const raw = served.raw().send(...spdy(path, `Authorization: Bearer ${token}`));
        await upgraded(raw);
        raw.socket.destroy();
      }
    });

    it("carry what is sent along with the request, and megabytes both ways", async () => {
      const raw = served.raw();
      const text = "0123456789abcdef".repeat(256 * 1024);
      raw.socket.write(
        `${spdy(exec(), `Authorization: Bearer ${token}`).join("\r\n")}\r\n\r\nearly `,
      );
      await upgraded(raw);

      raw.socket.write(text);
      await eventually(() => raw.text.length > text.length, within);
      await eventually(() => raw.text.endsWith(text), within);

      expect(raw.text).to.contain("hello early 0123456789");
      raw.socket.destroy();
    });

    it("end when the token that they began with is deleted", async () => {
      const gone = await aUserWhoMay("cluster-admin");
      const raw = served.raw().send(...spdy(exec(), `Authorization: Bearer ${gone.token}`));
      await upgraded(raw);
      const { socket } = kubelet.asked.at(-1) ?? {};

      await place.client.delete(tokenNamed(gone.token));
      await raw.ended;
      await eventually(() => socket?.destroyed ?? true, within);
    });

    it("end on both sides when either ends", async () => {
      const one = served.raw().send(...spdy(exec(), `Authorization: Bearer ${token}`));
      await upgraded(one);
      const server = kubelet.asked.at(-1)?.socket;
      one.socket.destroy();
      await eventually(() => server?.destroyed === true, within);

      const other = served.raw().send(...spdy(exec(), `Authorization: Bearer ${token}`));
      await upgraded(other);
      kubelet.asked.at(-1)?.socket?.end("last words");

      expect(await other.ended).to.match(/last words$/);
    });

    it("stay as they are where the API server refuses, and the client is told why", async () => {
      const viewer = await aUserWhoMay("view");

      const refused = served.raw().send(...spdy(exec(), `Authorization: Bearer ${viewer.token}`));
      const nobody = served.raw().send(...spdy(exec()));

      expect(await refused.ended)
        .to.match(/^HTTP\/1.1 403 /)
        .and.contain('"reason":"Forbidden"');
      expect(await nobody.ended)
        .to.match(/^HTTP\/1.1 401 /)
        .and.contain("not authorized");
    });
  });

  it("gives programs behind the API server none of our cookies, and takes none", async () => {
    const cookies: unknown[] = [];
    await using server = await aServer((request, response) => {
      cookies.push(request.headers.cookie);
      response.setHeader("Set-Cookie", ["R_SESS=planted; Path=/", "theirs=1"]);
      response.end("page");
    });
    await using other = await proxyTo(server.url);
    const headers = { cookie: `R_SESS=${token}; theirs=0` };

    const answer = await other.call("/api/v1/namespaces/a/services/b/proxy/", { headers });

    expect(answer.body).to.equal("page");
    expect(answer.headers["set-cookie"]).to.deep.equal(["theirs=1"]);
    expect(cookies).to.deep.equal(["theirs=0"]);
  });

  it("keeps headers byte by byte, and answers to HEAD without a body", async () => {
    await using server = await aServer((request, response) => {
      const warning = Buffer.from('299 - "naïve …"', "utf8").toString("latin1");
      response.writeHead(200, { Warning: warning, "Content-Length": 7 });
      response.end(request.method === "HEAD" ? undefined : "1234567");
    });
    await using other = await proxyTo(server.url);

    const answer = await other.call("/version", { method: "HEAD" });

    const { warning = "", "content-length": length } = answer.headers;
    expect(Buffer.from(String(warning), "latin1").toString("utf8")).to.equal('299 - "naïve …"');
    expect([answer.status, length, answer.body]).to.deep.equal([200, "7", ""]);
  });

  it("answers 503 while the API server is away", async () => {
    await using other = await proxyTo("https://127.0.0.1:9");

    const answers = [
      await other.call("/api/v1/pods"),
      await other.call("/api/v1/pods", { method: "POST", body: "{}" }),
    ];
    const upgrade = await other.raw().send(...websocketTo("/api/v1/pods")).ended;

    for (const { status, headers, body } of answers) {
      expect([status, headers["retry-after"]]).to.deep.equal([503, "1"]);
      expect(JSON.parse(body)).to.include({
        kind: "Status",
        reason: "ServiceUnavailable",
        code: 503,
      });
    }
    expect(upgrade).to.match(/^HTTP\/1.1 503 /);
  });

  it("answers 502 where it cannot know what became of a request, and breaks off what breaks off", async () => {
    await using server = await aServer((request, response) => {
      request.resume();
      if (request.method === "POST") response.destroy();
      else response.write("half", () => response.destroy());
    });
    await using other = await proxyTo(server.url);

    const posted = await other.call("/api/v1/pods", { method: "POST", body: "{}" });
    const broken = other.raw().send("GET /api/v1/pods HTTP/1.1", "Host: x");

    expect([posted.status, posted.headers["retry-after"]]).to.deep.equal([502, undefined]);
    expect(JSON.parse(posted.body)).to.include({ kind: "Status", code: 502 });
    expect(await broken.ended).to.match(/\r\n\r\n4\r\nhalf\r\n$/);
  });

  it("reads no faster than the client does, and sends no faster than the server takes it", async () => {
    let sent = 0;
    let taken = 0;
    await using server = await aServer((request, response) => {
      if (request.method === "POST") {
        request.once("data", (chunk: Buffer) => {
          taken += chunk.length;
          request.pause();
        });
        return;
      }
      const more = (): void => {
        if (response.destroyed) return;
        sent += 65_536;
        if (response.write(Buffer.alloc(65_536))) setImmediate(more);
      };
      response.on("drain", more);
      more();
    });
    await using other = await proxyTo(server.url);

    const reader = other.raw().send("GET /api/v1/pods HTTP/1.1", "Host: x");
    await eventually(() => reader.text.length > 1_000_000, within);
    reader.socket.pause();
    await eventually(
      isSteady(() => sent),
      within,
    );
    const writer = other
      .raw()
      .send("POST /api/v1/pods HTTP/1.1", "Host: x", "Content-Length: 200000000");
    let written = 0;
    const push = (): void => {
      written += 65_536;
      if (writer.socket.write(Buffer.alloc(65_536))) setImmediate(push);
    };
    push();
    writer.socket.on("drain", push);
    await eventually(
      isSteady(() => written),
      within,
    );

    expect(sent).to.be.lessThan(100_000_000);
    expect(written).to.be.lessThan(100_000_000);
    expect(taken).to.be.greaterThan(0);
    reader.socket.destroy();
    writer.socket.destroy();
  });

  it("answers before a body has come, if the API server does", async () => {
    await using server = await aServer((_, response) => {
      response.writeHead(413, { "content-type": "application/json" });
      response.end("{}");
    });
    await using other = await proxyTo(server.url);
    const raw = other.raw();

    raw.socket.write(
      "POST /api/v1/pods HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nhalf",
    );
    await eventually(() => raw.text.startsWith("HTTP/1.1 413 "), within);

    raw.socket.destroy();
  });

  /** The proxy of somebody known to another server. */
  async function proxyTo(url: string, tenures: Tenures = always): Promise<Served> {
    const peer = connect({ server: url, credentials: {} });
    peers.push(peer);
    return Served.open([
      async (exchange, next) => {
        const caller = { username, groups: ["system:authenticated"] };
        exchange.login = { caller, token: undefined };
        await next();
      },
      kubeProxy({ client: peer, tenures }),
    ]);
  }
});

/** A server of the test's own. */
async function aServer(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Whether a number has not grown for a while. */
function isSteady(value: () => number): () => boolean {
  let last = -1;
  let times = 0;
  return () => {
    times = value() === last ? times + 1 : 0;
    last = value();
    return times > 20;
  };
}
