import { expect } from "chai";
import { connect } from "./connect.ts";
import { intercept } from "./intercept.ts";
import { json, loopback } from "./loopback.test.support.ts";

const object = { apiVersion: "v1", kind: "Namespace", metadata: { name: "x" } };
const Namespace = {
  group: "",
  version: "v1",
  plural: "namespaces",
  kind: "Namespace",
  scope: "Cluster",
} as const;

class Fenced extends Error {}

describe("beforeSend", () => {
  it("stops a repetition: the check of the first attempt is old by then", async () => {
    let leads = true;
    await using server = await loopback((response) => {
      leads = false;
      response.writeHead(429, { "retry-after": "0" }).end();
    });
    await using client = connect({ server: server.url }, { kinds: [Namespace] });
    const fenced = intercept(client, {
      beforeSend: () => {
        if (!leads) throw new Fenced("not the leader");
      },
    });

    const error = await fenced.create(object).catch((thrown: unknown) => thrown);

    expect(error).to.be.instanceOf(Fenced);
    expect(server.seen).to.have.length(1);
  });

  it("stops a write that waited for a connection; reads pass", async () => {
    let leads = true;
    const arrived = Promise.withResolvers<void>();
    const answering = Promise.withResolvers<void>();
    await using server = await loopback(async (response) => {
      arrived.resolve();
      await answering.promise;
      json(response, object);
    });
    await using client = connect({ server: server.url }, { kinds: [Namespace], maxConnections: 1 });
    const fenced = intercept(client, {
      beforeSend: () => {
        if (!leads) throw new Fenced("not the leader");
      },
    });

    const first = fenced.create(object);
    await arrived.promise;
    const later = Promise.allSettled([fenced.delete(object), fenced.get(Namespace, "x")]);
    leads = false;
    answering.resolve();

    expect(await first).to.deep.equal(object);
    expect((await later).map(({ status }) => status)).to.deep.equal(["rejected", "fulfilled"]);
    expect(server.seen.map(({ method }) => method)).to.deep.equal(["POST", "GET"]);
  });
});
