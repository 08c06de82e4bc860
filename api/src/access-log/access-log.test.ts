import { expect } from "chai";
import { createLogger, systemClock } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { websocketTo } from "../listener/testing/raw.ts";
import { fakeAuthn, Served } from "../listener/testing/served.ts";
import { localCluster } from "../local-cluster/index.ts";
import { type Stage, send } from "../stage.ts";
import { problem } from "../v1/problem.ts";
import { accessLog } from "./index.ts";
import { shownPath, shownQuery } from "./shown.ts";

type Line = Readonly<Record<string, unknown>>;

describe("accessLog", () => {
  let served: Served;
  let lines: Line[];
  const last: Stage = async (exchange) => {
    const { request, response, path, upgrade } = exchange;
    if (upgrade !== undefined) {
      upgrade.accept().socket.end("HTTP/1.1 101 X\r\n\r\n");
      return;
    }
    if (path === "/cut") return void response.writeHead(200).write("half");
    if (path === "/never") return;
    if (path === "/problem") throw problem("InvalidFormat", "no");
    for await (const _ of request);
    send(response, Number(path.slice(1)) || 200, "hello", "text/plain");
  };
  beforeEach(async () => {
    lines = [];
    const log = createLogger({
      level: "debug",
      output: { write: (line: string) => void lines.push(JSON.parse(line)) },
    });
    served = await Served.open([accessLog(systemClock), fakeAuthn, localCluster, last], log);
  });
  afterEach(() => served[Symbol.asyncDispose]());

  const line = async (): Promise<Line> => {
    await eventually(() => lines.some(({ msg }) => msg === "answered"));
    return lines.find(({ msg }) => msg === "answered") ?? {};
  };

  it("tells what was asked, by whom, and what it cost", async () => {
    const { headers } = await served.call("/v1/pods?page=2&CSRF=abc", {
      headers: { authorization: "Bearer token-abcde:hunter2" },
    });

    const { milliseconds, bytes, ...told } = await line();
    expect(told).to.include({
      level: "debug",
      requestId: headers["x-request-id"],
      method: "GET",
      path: "/v1/pods",
      query: "page=2&CSRF=...",
      status: 200,
      user: "u-abc12",
      address: "127.0.0.1",
    });
    expect(milliseconds).to.be.a("number").and.at.least(0);
    expect(bytes).to.be.within("hello".length, 1000);
    expect(JSON.stringify(lines)).not.to.contain("hunter2");
  });

  for (const { method, path, level } of [
    { method: "GET", path: "/200", level: "debug" },
    { method: "HEAD", path: "/404", level: "debug" },
    { method: "GET", path: "/401", level: "info" },
    { method: "GET", path: "/403", level: "info" },
    { method: "GET", path: "/503", level: "info" },
    { method: "POST", path: "/201", level: "info" },
    { method: "DELETE", path: "/404", level: "info" },
    { method: "GET", path: "/v1/pods/a/b?_method=delete", level: "info" },
    { method: "POST", path: "/v1/logout?_method=GET", level: "info" },
    { method: "GET", path: "/v1/pods?_method=", level: "debug" },
    { method: "GET", path: "/api/v1/pods?_method=DELETE", level: "debug" },
  ]) {
    it(`tells of ${method} ${path} at level ${level}`, async () => {
      await served.call(path, { method });

      expect((await line()).level).to.equal(level);
    });
  }

  it("tells the path as it came, and the method that counts where it leads", async () => {
    await served.call("/k8s/clusters/local/v1/configmaps/a/b?_method=delete");

    const path = "/k8s/clusters/local/v1/configmaps/a/b";
    expect(await line()).to.include({ method: "DELETE", path, level: "info" });
  });

  it("tells the method that counts", async () => {
    await served.call("/v1/configmaps/a/b?_method=delete");

    expect(await line()).to.include({ method: "DELETE", query: "_method=delete" });
  });

  it("tells the status of a problem, and no error", async () => {
    await served.call("/problem");

    expect((await line()).status).to.equal(422);
    expect(lines.filter(({ level }) => level === "error")).to.deep.equal([]);
  });

  it("never tells a body", async () => {
    await served.call("/200", { method: "POST", body: '{"password":"hunter2"}' });

    await line();
    expect(JSON.stringify(lines)).not.to.contain("hunter2");
  });

  it("tells of an answer that was cut off, at its end", async () => {
    const raw = served.raw().send("GET /cut HTTP/1.1", "Host: localhost");
    await eventually(() => raw.text.includes("half"));
    expect(lines).to.deep.equal([]);

    raw.socket.destroy();

    expect(await line()).to.include({ status: 200, cut: true });
  });

  it("tells 499 where nothing was answered", async () => {
    const raw = served.raw().send("GET /never HTTP/1.1", "Host: localhost");
    await raw.written();
    raw.socket.end();

    expect(await line()).to.include({ status: 499, cut: true });
  });

  it("tells of an upgraded connection at its end", async () => {
    await served.raw().send(...websocketTo("/v1/subscribe")).ended;

    const told = await line();
    expect(told).to.include({ status: 101, path: "/v1/subscribe" });
    expect(told).not.to.have.property("cut");
  });
});

describe("what the access log shows", () => {
  for (const [path, expected] of [
    ["/v3/import/abcdef_c-xyz12.yaml", "/v3/import/..._c-xyz12.yaml"],
    ["/v3/import/abc_def_c-xyz12.yaml", "/v3/import/..._c-xyz12.yaml"],
    ["/v3/import/abcdef", "/v3/import/..."],
    ["/v1/pods/a/b", "/v1/pods/a/b"],
  ] as const) {
    it(`writes ${path} as ${expected}`, () => expect(shownPath(path)).to.equal(expected));
  }

  it("shortens what is long, and leaves out what is much", () => {
    const query = new URLSearchParams({ filter: "x".repeat(5000) });
    for (let each = 0; each < 100; each++) query.append("page", "1");

    expect(shownQuery(query)).to.match(/^filter=x{256}(&page=1){31}&\.\.\.$/);
  });
});
