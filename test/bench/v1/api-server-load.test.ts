import { expect } from "chai";
import { between, parseAsked } from "./api-server-load.ts";

const text = `# HELP apiserver_request_total [STABLE] Counter of apiserver requests
# TYPE apiserver_request_total counter
apiserver_request_total{code="200",resource="pods",verb="LIST"} 12
apiserver_request_total{code="0",resource="pods",verb="WATCH"} 3
apiserver_longrunning_requests{resource="pods",verb="WATCH"} 4
apiserver_response_sizes_bucket{resource="pods",verb="LIST",le="1000"} 9
apiserver_response_sizes_sum{resource="pods",verb="LIST"} 1.5e+06
apiserver_response_sizes_sum{resource="pods",verb="WATCH"} 400
apiserver_response_sizes_count{resource="pods",verb="LIST"} 12
apiserver_watch_events_sizes_sum{resource="pods",version="v1"} 500
process_cpu_seconds_total 7.25
`;

describe("parseAsked", () => {
  it("adds up requests that ended and that are open, and bytes of answers and events", () => {
    expect(parseAsked(text)).to.deep.equal({ requests: 19, bytes: 1_500_500 });
  });

  it("finds nothing where nothing is told", () => {
    expect(parseAsked("")).to.deep.equal({ requests: 0, bytes: 0 });
  });
});

describe("between", () => {
  it("is what was added", () => {
    const came = between({ requests: 10, bytes: 100 }, { requests: 15, bytes: 400 });

    expect(came).to.deep.equal({ requests: 5, bytes: 300 });
  });
});
