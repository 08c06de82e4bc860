import { expect } from "chai";
import { Metrics, systemClock } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { websocketTo } from "../listener/testing/raw.ts";
import { Served } from "../listener/testing/served.ts";
import { localCluster } from "../local-cluster/index.ts";
import { type Stage, send } from "../stage.ts";
import { httpMetrics } from "./index.ts";

describe("httpMetrics", () => {
  let served: Served;
  let metrics: Metrics;
  const last: Stage = async ({ response, upgrade, path }) => {
    if (upgrade !== undefined) upgrade.accept().socket.end("HTTP/1.1 101 X\r\n\r\n");
    else if (path.includes("never")) return;
    else send(response, path.includes("missing") ? 404 : 200, "", "text/plain");
  };
  beforeEach(async () => {
    metrics = new Metrics({ process: false });
    const typeOf = (segment: string) => (/^pods?$/i.test(segment) ? "pod" : undefined);
    served = await Served.open([
      httpMetrics({ metrics, clock: systemClock, typeOf }),
      localCluster,
      last,
    ]);
  });
  afterEach(() => served[Symbol.asyncDispose]());

  /** Lines of the text form that begin so. */
  const lines = async (begin: string): Promise<readonly string[]> =>
    (await metrics.text()).split("\n").filter((each) => each.startsWith(begin));
  const counted = async (expected: readonly string[]): Promise<void> => {
    await eventually(async () =>
      (await lines("drover_http_requests_in_flight"))[0]?.endsWith(" 0"),
    );
    expect((await lines("steve_api_total_requests")).toSorted()).to.deep.equal(expected.toSorted());
  };
  const total = (resource: string, method: string, code: number, count: number): string =>
    `steve_api_total_requests{resource="${resource}",method="${method}",code="${code}"} ${count}`;

  it("count requests to a type, however it is written", async () => {
    for (const path of ["/v1/pods", "/v1/Pod/default/x", "/v1/pod/missing"]) {
      await served.call(path);
    }

    await counted([total("pod", "GET", 200, 2), total("pod", "GET", 404, 1)]);
    expect(
      await lines('steve_api_request_time_count{resource="pod",method="GET",code="404"}'),
    ).to.have.length(1);
  });

  it("count what stands beside types by its name, and everything that is unknown as one", async () => {
    for (const path of ["/v1", "/v1/", "/v1/counts", "/v1/a", "/v1/b", "/v1/toString", "/x/pods"]) {
      await served.call(path);
    }

    await counted([
      total("apiroot", "GET", 200, 2),
      total("counts", "GET", 200, 1),
      total("other", "GET", 200, 3),
    ]);
    expect(await lines('drover_http_requests_total{route="other"')).to.deep.equal([
      'drover_http_requests_total{route="other",method="GET",code="200"} 1',
    ]);
  });

  it("take methods that nobody knows for one", async () => {
    for (const method of ["PROPFIND", "MKCOL"]) await served.call("/v1/pods", { method });

    await counted([total("pod", "other", 200, 2)]);
  });

  it("count by the method that counts: of _method below /v1, of HTTP elsewhere", async () => {
    for (const path of ["/v1/pods/a/b?_method=delete", "/v1/pods?_method=", "/api?_method=PUT"]) {
      await served.call(path);
    }

    await counted([total("pod", "DELETE", 200, 1), total("pod", "GET", 200, 1)]);
    expect(await lines('drover_http_requests_total{route="api"')).to.deep.equal([
      'drover_http_requests_total{route="api",method="GET",code="200"} 1',
    ]);
  });

  it("count what is served by its own name, of the local cluster's API too", async () => {
    for (const path of ["/k8s/clusters/local/api/v1/pods", "/livez", "/v1/userPreferences"]) {
      await served.call(path);
    }

    await counted([total("userpreferences", "GET", 200, 1)]);
    for (const route of ["k8s", "livez", "v1"]) {
      const shown = await lines(`drover_http_requests_total{route="${route}"`);
      expect(shown, route).to.have.length(1);
    }
  });

  it("count what is asked of the local cluster's /v1 by its type", async () => {
    await served.call("/k8s/clusters/local/v1/pods");

    await counted([total("pod", "GET", 200, 1)]);
    expect(await lines('drover_http_requests_total{route="k8s"')).to.have.length(1);
  });

  it("count no success where a client went before it was answered", async () => {
    const raw = served.raw().send("GET /v1/pods/never HTTP/1.1", "Host: x");
    await eventually(async () =>
      (await lines("drover_http_requests_in_flight"))[0]?.endsWith(" 1"),
    );

    raw.socket.destroy();

    await counted([total("pod", "GET", 499, 1)]);
  });

  it("count an upgraded connection, not its time", async () => {
    await served.raw().send(...websocketTo("/v1/subscribe")).ended;

    await counted([total("subscribe", "GET", 101, 1)]);
    expect(await lines("steve_api_request_time_count")).to.deep.equal([]);
    expect(await lines("drover_http_request_duration_seconds_count")).to.deep.equal([]);
  });
});
