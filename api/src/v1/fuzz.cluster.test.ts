import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { freshNamespace, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { loadConfig } from "kopf-ts";
import { eventually, seededRandom } from "kopf-ts/testing";
import { type AnyRequest, anyRequest, type Target } from "./fuzz.test.support.ts";
import { ServedV1 } from "./served-v1.test.support.ts";
import { listAt } from "./tree.ts";
import { aKind, crdOf, install, send } from "./types/testing.test.support.ts";

const seed = Number(process.env.V1_SEED ?? 1);
const cases = Number(process.env.V1_CASES ?? 20_000);
const within = { within: 30_000 };

const kind = aKind("trinket");
const plural = `${kind.group}.trinkets`;
const size = 12;

describe("/v1 of a real API server, asked for anything", function () {
  this.timeout(120_000);

  let served: ServedV1;
  let target: Target;

  before(async () => {
    const plane = await testEnv();
    served = await ServedV1.start(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
    target = { plural, namespace: await freshNamespace(plane), user: uniqueName("few") };
    await install(served.client, crdOf(kind, {}));
    await fill(served, target);
    const own = { "X-User": target.user };
    await eventually(async () => (await countOf({})) === size, within);
    await eventually(async () => (await countOf(own)) === size, within);
  });
  after(async () => {
    await served?.[Symbol.asyncDispose]();
  });

  async function ask({
    method,
    path,
    headers,
    body,
  }: AnyRequest): Promise<readonly [number, string]> {
    const where = { host: "127.0.0.1", port: served.port, agent: served.agent };
    const signal = AbortSignal.timeout(10_000);
    const sent = request({
      ...where,
      method,
      path,
      signal,
      headers: { ...headers, "Content-Length": body.length },
    }).end(body);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    return [response.statusCode ?? 0, await text(response)];
  }

  async function countOf(headers: AnyRequest["headers"]): Promise<number> {
    const asked = { method: "GET", path: `/v1/${plural}/${target.namespace}`, headers, body: "" };
    const [status, answer] = await ask(asked);
    return status === 200 ? listAt(JSON.parse(answer), "data").length : 0;
  }

  it(`answers, and never with an error of its own, in ${cases} requests of seed ${seed}`, async () => {
    const unhandled: unknown[] = [];
    const onUnhandled = (error: unknown): void => void unhandled.push(error);
    process.on("unhandledRejection", onUnhandled);
    const random = seededRandom(seed);
    const statuses = new Map<number, number>();
    let left = cases;
    const work = async (): Promise<void> => {
      while (left-- > 0) {
        const asked = anyRequest(random, target);
        const [status, answer] = await ask(asked);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const what = `${JSON.stringify(asked)}: ${status} ${answer.slice(0, 300)}`;
        expect(status, what).to.be.within(200, 499);
        if (status === 422 && asked.method !== "HEAD")
          expect(answer, what).to.match(
            /^(\{"type":"error",.*"message":"[^"]|type: error\n(.*\n)*message: .)/,
          );
      }
    };

    await Promise.all(Array.from({ length: 16 }, work));

    process.off("unhandledRejection", onUnhandled);
    expect(unhandled).to.deep.equal([]);
    expect(served.loud).to.deep.equal([]);
    expect(statuses.get(200)).to.be.above(cases / 5);
    expect(statuses.get(422)).to.be.above(cases / 5);
    expect(await countOf({})).to.be.at.least(size);
  });
});

/** Makes some objects, and lets somebody list them. */
async function fill({ client }: ServedV1, { namespace, user }: Target): Promise<void> {
  const path = `/apis/${kind.group}/v1/namespaces/${namespace}/trinkets`;
  for (let index = 0; index < size; index++) {
    const metadata = { name: `g-${index}`, labels: { tier: String(index % 3) } };
    const spec = {
      size: index,
      color: ["red", "blue"][index % 2],
      tags: ["x", "y"],
      any: { x: 1 },
    };
    const object = { apiVersion: `${kind.group}/v1`, kind: kind.kind, metadata, spec };
    await send(client, "POST", path, object);
  }
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  const [metadata, apiGroup] = [{ name: "few" }, "rbac.authorization.k8s.io"];
  const rules = [{ verbs: ["list", "create"], apiGroups: [kind.group], resources: ["*"] }];
  await send(client, "POST", `${rbac}/roles`, { metadata, rules });
  await send(client, "POST", `${rbac}/rolebindings`, {
    ...{ metadata, roleRef: { apiGroup, kind: "Role", name: "few" } },
    subjects: [{ apiGroup, kind: "User", name: user }],
  });
}
