import { randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { freshNamespace, testEnv } from "@drover/env";
import { expect } from "chai";
import { eventually } from "kopf-ts/testing";
import { at, listAt, textAt } from "../tree.ts";
import { send } from "../types/testing.test.support.ts";
import { ListServer } from "./harness.test.support.ts";

const within = { within: 30_000 };

describe("large items in lists of a real API server", function () {
  this.timeout(90_000);

  let lists: ListServer;

  before(async () => {
    lists = await ListServer.start();
  });
  after(async () => {
    await lists?.[Symbol.asyncDispose]();
  });

  /** As a caller without gzip and one with it are told, without what goes on by itself. */
  async function told(path: string): Promise<readonly unknown[]> {
    const plain = await lists.raw(path, {});
    const packed = await lists.raw(path, { "Accept-Encoding": "gzip" });
    expect(packed.encoding).to.equal("gzip");
    return [plain.body, gunzipSync(packed.body)].map((body) => JSON.parse(String(body)));
  }

  it("are the same in gzip, however often they are asked for, amid small ones and in lists that are sent in parts", async () => {
    const namespace = await freshNamespace(await testEnv());
    const labels = { made: "here" };
    const words = [1, 2000, 1, 1, 2000, 2000, 220_000, 220_000, 1, 220_000, 2000, 1];
    for (const [index, count] of words.entries()) {
      const metadata = { name: `n${String(index).padStart(2, "0")}`, labels };
      const object = { metadata, data: { text: `${index} `.repeat(count) } };
      await send(lists.client, "POST", `/api/v1/namespaces/${namespace}/configmaps`, object);
    }
    const path = `configmaps/${namespace}?labelSelector=made%3Dhere&exclude=metadata.managedFields&sort=metadata.name`;
    await eventually(async () => {
      const { text } = await lists.get(path);
      return listAt(JSON.parse(text), "data").length === words.length;
    }, within);

    const rounds = [];
    for (let round = 0; round < 5; round++) rounds.push(await told(path));

    const shown = (list: unknown): unknown =>
      listAt(list, "data").map((item) => [textAt(item, "id"), at(item, "links"), at(item, "data")]);
    expect(shown(rounds[0]?.[0])).to.have.length(words.length);
    for (const each of rounds.flat()) expect(shown(each)).to.deep.equal(shown(rounds[0]?.[0]));
  });

  it("have a fraction of the bytes once they were asked for again and again", async () => {
    const namespace = await freshNamespace(await testEnv());
    const text = randomBytes(3000).toString("hex");
    for (let index = 0; index < 60; index++) {
      const object = { metadata: { name: `n${index}`, labels: { made: "alike" } }, data: { text } };
      await send(lists.client, "POST", `/api/v1/namespaces/${namespace}/configmaps`, object);
    }
    const path = `configmaps/${namespace}?labelSelector=made%3Dalike&sort=metadata.name`;
    const shown = (body: Buffer): readonly unknown[] =>
      listAt(JSON.parse(String(body)), "data").map((item) => [
        textAt(item, "id"),
        at(item, "data"),
      ]);
    const wanted = await eventually(async () => {
      const items = shown((await lists.raw(path, {})).body);
      return items.length === 60 && items;
    }, within);

    let most = 0;
    const least = await eventually(async () => {
      const { body } = await lists.raw(path, { "Accept-Encoding": "gzip" });
      most = Math.max(most, body.length);
      return body.length < most / 4 && body;
    }, within);

    expect(most).to.be.greaterThan(128 * 1024);
    expect(shown(gunzipSync(least))).to.deep.equal(wanted);
  });

  it("tell the Pods of a workload where they are asked for", async () => {
    const namespace = await freshNamespace(await testEnv());
    const core = `/api/v1/namespaces/${namespace}`;
    await eventually(async () => {
      const account = await send(lists.client, "GET", `${core}/serviceaccounts/default`);
      return textAt(account, "kind") === "ServiceAccount";
    }, within);
    const containers = [{ name: "c", image: "example.com/web:1" }];
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers } };
    const selector = { matchLabels: labels };
    const spec = { replicas: 0, serviceName: "web", selector, template };
    const metadata = { name: "pod-1", labels }; // a StatefulSet adopts none with names like this
    const sets = `/apis/apps/v1/namespaces/${namespace}/statefulsets`;
    await send(lists.client, "POST", `${core}/pods`, { metadata, spec: { containers } });
    await send(lists.client, "POST", sets, { metadata: { name: "web" }, spec });
    const childrenOf = async (query: string): Promise<readonly unknown[]> => {
      const { text } = await lists.get(`apps.statefulsets/${namespace}?${query}`);
      const [item] = listAt(JSON.parse(text), "data");
      const [associated] = listAt(item, "metadata", "associatedData");
      return listAt(associated, "data").map((child) => at(child, "childName"));
    };

    const children = await eventually(async () => {
      const found = await childrenOf("includeAssociatedData=true");
      return found.length > 0 && found;
    }, within);
    expect(children).to.deep.equal(["pod-1"]);
    expect(await childrenOf("")).to.deep.equal([]);
  });
});
