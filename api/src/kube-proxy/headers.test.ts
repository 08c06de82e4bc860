import { expect } from "chai";
import { incoming, outgoing } from "./headers.ts";

describe("outgoing", () => {
  const origin = { address: "10.0.0.9", isSecure: true };
  const added = ["X-Forwarded-For", "10.0.0.9", "X-Forwarded-Proto", "https"];

  for (const { name, raw, expected } of [
    { name: "adds who asked, and how", raw: [], expected: added },
    {
      name: "keeps everything else, in order and as often as it came",
      raw: ["Accept", "a", "accept", "b", "X-Stream-Protocol-Version", "v4.channel.k8s.io"],
      expected: [
        ...["Accept", "a", "accept", "b", "X-Stream-Protocol-Version", "v4.channel.k8s.io"],
        ...added,
      ],
    },
    {
      name: "keeps our cookies here",
      raw: ["Cookie", "R_SESS=token-a:b; grafana=1; CSRF=x;R_OIDC_ID=y; z=R_SESS"],
      expected: ["Cookie", "grafana=1; z=R_SESS", ...added],
    },
    { name: "sends no cookie where all are ours", raw: ["cookie", "R_SESS=a"], expected: added },
    {
      name: "puts the client behind those who forwarded",
      raw: ["X-Forwarded-For", "1.2.3.4", "x-forwarded-for", "5.6.7.8", "X-Forwarded-Proto", "x"],
      expected: ["X-Forwarded-For", "1.2.3.4, 5.6.7.8, 10.0.0.9", "X-Forwarded-Proto", "https"],
    },
  ]) {
    it(name, () => expect(outgoing(raw, origin)).to.deep.equal(expected));
  }
});

describe("incoming", () => {
  const server = "https://10.43.0.1:443";

  for (const { name, headers, expected } of [
    {
      name: "drops what belongs to the connection",
      headers: {
        connection: "close",
        "transfer-encoding": "chunked",
        "keep-alive": "x",
        audit: "1",
      },
      expected: { audit: "1" },
    },
    {
      name: "plants none of our cookies",
      headers: { "set-cookie": ["R_SESS=a; Path=/", " csrf=b", "CSRF=c", "grafana=1; Path=/"] },
      expected: { "set-cookie": [" csrf=b", "grafana=1; Path=/"] },
    },
    {
      name: "makes redirects to the API server such to us",
      headers: { location: `${server}/api/v1/x?y#z` },
      expected: { location: "/api/v1/x?y#z" },
    },
    {
      name: "leaves other redirects",
      headers: { location: "https://10.43.0.1:4433/x" },
      expected: { location: "https://10.43.0.1:4433/x" },
    },
    {
      name: "keeps headers that come several times",
      headers: { warning: ["299 - a", "299 - b"] },
      expected: { warning: ["299 - a", "299 - b"] },
    },
  ]) {
    it(name, () => expect(incoming(headers, server)).to.deep.equal(expected));
  }
});
