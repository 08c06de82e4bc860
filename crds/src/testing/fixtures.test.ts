import { testEnv } from "@drover/env";
import { expect } from "chai";
import { connect, type KubeObject, loadConfig } from "kopf-ts";
import { kinds } from "../kinds.ts";
import * as testing from "./index.ts";
import { fieldsOf, type Scratch, scratch } from "./scratch.ts";

const fixtures = Object.entries(testing as Readonly<Record<string, () => KubeObject>>);

describe("fixtures", function () {
  this.timeout(90_000);

  let server: Scratch;
  before(async () => {
    const { kubeconfigPath: kubeconfig } = await testEnv();
    server = await scratch(connect(await loadConfig({ kubeconfig })));
  });
  after(async () => {
    await server.dispose();
    await server.client[Symbol.asyncDispose]();
  });

  for (const [name, make] of fixtures) {
    it(`${name}() is taken as it is`, async () => {
      const object = make();
      const kind = kinds.find((one) => one.kind === object.kind);
      if (kind === undefined) throw new Error(`no kind ${object.kind}`);

      const stored = await server.stored(kind, fieldsOf(object), fieldsOf);

      expect(stored).to.deep.equal(fieldsOf(object));
    });
  }

  it("exist for every kind", () => {
    const made = fixtures.map(([, make]) => make().kind);

    expect(made).to.have.members(kinds.map(({ kind }) => kind));
  });

  it("have a new name each time", () => {
    expect(testing.aToken().metadata.name).not.to.equal(testing.aToken().metadata.name);
  });

  it("let a test replace fields and add metadata", () => {
    const token = testing.aToken({ ttl: 5, metadata: { name: "token-x", generation: 2 } });

    expect(token).to.deep.include({ ttl: 5, userId: "user-abcde", kind: "Token" });
    expect(token.metadata).to.deep.include({ name: "token-x", generation: 2 });
    expect(token.metadata.labels).to.have.property("authn.management.cattle.io/kind", "session");
  });
});
