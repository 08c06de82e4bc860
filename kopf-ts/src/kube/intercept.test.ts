import { expect } from "chai";
import type { Client } from "./client.ts";
import { intercept, type WriteHooks } from "./intercept.ts";
import {
  aConfigMap,
  ConfigMap,
  type ConfigMapObject,
  clientOf,
  json,
  type Loopback,
  loopback,
  missing,
  rejection,
} from "./loopback.test.support.ts";
import type { Scale } from "./object.ts";

const stored = { ...aConfigMap(), metadata: { ...aConfigMap().metadata, resourceVersion: "7" } };

/** Every write there is, by its verb. */
const writes: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  create: (client) => client.create(aConfigMap()),
  update: (client) => client.update(aConfigMap()),
  patch: (client) => client.patch(aConfigMap(), { merge: {} }),
  apply: (client) => client.apply(aConfigMap(), { fieldManager: "me" }),
  delete: (client) => client.delete(aConfigMap()),
  deletecollection: (client) => client.deleteCollection(ConfigMap, { namespace: "default" }),
  request: (client) => client.request({ method: "POST", path: "/x" }),
};

describe("intercept", () => {
  let server: Loopback;
  let client: Client;
  beforeEach(async () => {
    server = await loopback((response, { path }) =>
      path.includes("gone") ? missing(response, "gone") : json(response, { ...stored, items: [] }),
    );
    client = clientOf(server);
  });
  afterEach(async () => {
    await client[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  for (const [verb, write] of Object.entries(writes)) {
    it(`stands before every ${verb}`, async () => {
      const seen: unknown[] = [];
      const hooks: WriteHooks = {
        beforeWrite: (each, ref) => void seen.push([each, ref?.metadata.name]),
      };

      await write(intercept(client, hooks));
      await write(intercept(client, hooks).as({ user: "bob" }));

      const name = { deletecollection: "", request: undefined }[verb];
      const expected = [verb, verb in { deletecollection: 1, request: 1 } ? name : "a"];
      expect(seen).to.deep.equal([expected, expected]);
    });

    it(`keeps a ${verb} from being sent when the hook throws`, async () => {
      const fault = new Error("no");
      const hooks: WriteHooks = {
        beforeWrite: async () => {
          throw fault;
        },
      };

      expect(await rejection(write(intercept(client, hooks)))).to.equal(fault);
      expect(server.seen).to.have.length(0);
    });
  }

  it("tells what was stored", async () => {
    const seen: unknown[] = [];
    const hooked = intercept(client, {
      afterWrite: (verb, { metadata }) => void seen.push([verb, metadata.resourceVersion]),
    });

    for (const write of Object.values(writes)) await write(hooked);

    expect(seen).to.deep.equal([
      ["create", "7"],
      ["update", "7"],
      ["patch", "7"],
      ["apply", "7"],
      ["delete", undefined],
      ["deletecollection", undefined],
    ]);
  });

  it("tells a Scale that was written as what it scales", async () => {
    const metadata = { ...aConfigMap().metadata, resourceVersion: "8" };
    const scale: Scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata };
    await using own = await loopback((response) => json(response, scale));
    await using plain = clientOf(own);
    const seen: unknown[] = [];
    const hooked = intercept(plain, {
      beforeWrite: (verb, ref) => void seen.push([verb, ref?.kind]),
      afterWrite: (verb, { apiVersion, kind, metadata: { resourceVersion } }) =>
        void seen.push([verb, apiVersion, kind, resourceVersion]),
    });
    const options = { subresource: "scale", of: ConfigMap, fieldManager: "me" } as const;

    const answers = [
      await hooked.update(scale, options),
      await hooked.apply(scale, options),
      await hooked.patch(scale, { merge: {} }, options),
      await hooked.patch(aConfigMap(), { merge: {} }, { subresource: "scale" }),
    ];

    expect(answers).to.deep.equal([scale, scale, scale, scale]);
    expect(seen).to.deep.equal(
      ["update", "apply", "patch", "patch"].flatMap((verb) => [
        [verb, "ConfigMap"],
        [verb, "v1", "ConfigMap", "8"],
      ]),
    );
    expect(new Set(own.seen.map(({ path }) => path.replace(/\?.*/, "")))).to.deep.equal(
      new Set(["/api/v1/namespaces/default/configmaps/a/scale"]),
    );
  });

  it("tells nothing of what was not stored", async () => {
    const seen: unknown[] = [];
    const hooked = intercept(client, { afterWrite: (verb) => void seen.push(verb) });

    await hooked.create(aConfigMap(), { dryRun: true });
    await hooked.delete(aConfigMap("gone"));
    await rejection(hooked.update(aConfigMap("gone")));

    expect(seen).to.deep.equal([]);
  });

  it("goes by what the client does", () => {
    const sets = { scope: "c-1", ownersElsewhere: true };
    const hooked = intercept({ ...intercept(client, {}), fieldManager: "me", sets }, {});

    expect([hooked.fieldManager, hooked.sets]).to.deep.equal(["me", sets]);
  });

  it("leaves reads alone", async () => {
    const hooked = intercept(client, {
      beforeWrite: () => {
        throw new Error("a read");
      },
    });
    const here = { namespace: "default" };

    await hooked.get(ConfigMap, "a", here);
    await hooked.find<ConfigMapObject>(ConfigMap, "a", here);
    await hooked.list(ConfigMap);
    for await (const page of hooked.pages(ConfigMap)) expect(page.items).to.deep.equal([]);
    await hooked.request({ method: "GET", path: "/version" });
    (await hooked.stream({ method: "GET", path: "/version" })).close();

    expect(hooked.server).to.equal(client.server);
    expect(server.seen).to.have.length(6);
  });
});
