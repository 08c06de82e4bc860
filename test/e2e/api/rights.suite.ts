/** What somebody with few rights sees of /v1, and how soon more or less of it. */

import { expect } from "chai";
import { eventually } from "../drover.ts";
import { patience, type Site } from "./site.ts";
import type { Json, Visitor } from "./visitor.ts";

/** Of "correct horse", by bcryptjs at cost 4: as old versions kept passwords. */
const hash = "$2b$04$/H4qz7f.saq2TzjLYNiaBu0pSaH9VaRcn1..hO/O2j/zjFbs6nU6a";

const team = `apiVersion: v1
kind: Namespace
metadata: { name: team }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: shared, namespace: team }
data: { note: one }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: other, namespace: team }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: reader, namespace: team }
rules: [{ apiGroups: [""], resources: [configmaps], verbs: [get, list, watch] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: maker, namespace: team }
rules: [{ apiGroups: [""], resources: [configmaps], verbs: [create] }]
`;

export function rights(site: () => Site): void {
  describe("somebody with few rights", () => {
    let jane: Visitor;
    let name = "";
    before(async () => {
      await using admin = site().bearer(await site().login("admin"));
      const user = { metadata: { generateName: "u-" }, username: "jane", password: hash };
      const made = await admin.post("/v1/management.cattle.io.users", user);
      expect(made.status, made.text).to.equal(201);
      name = JSON.parse(made.text).id;
      jane = site().bearer(await site().login("jane", "correct horse"));
      const applied = await site().direct.apply(team);
      expect(applied.code, applied.stderr).to.equal(0);
    });
    after(() => jane?.[Symbol.asyncDispose]());

    const bind = async (binding: string, role: string): Promise<void> => {
      const names = [binding, "-n", "team", `--role=${role}`, `--user=${name}`];
      const { code, stderr } = await site().direct.kubectl("create", "rolebinding", ...names);
      expect(code, stderr).to.equal(0);
    };

    it("finds no type of which they may do nothing", async () => {
      const { status, text } = await jane.get("/v1/configmaps");
      const { data: schemas } = await jane.read("/v1/schemas");
      const [counts] = Object(await jane.read("/v1/counts")).data;
      const through = await jane.get("/api/v1/namespaces/team/configmaps/shared");

      expect({ status, text }).to.deep.equal({ status: 404, text: "" });
      expect(Object(schemas).map(({ id }: Json) => id)).to.not.include("configmap");
      expect(counts.counts).to.not.have.property("configmap");
      expect(through.status).to.equal(403);
      expect(JSON.parse(through.text)).to.include({ kind: "Status", reason: "Forbidden" });
    });

    it("may ask what they may do", async () => {
      const path = "/v1/authorization.k8s.io.selfsubjectaccessreviews";
      const resourceAttributes = { verb: "list", resource: "configmaps", namespace: "team" };

      const { status, text } = await jane.post(path, { spec: { resourceAttributes } });

      expect(status, text).to.equal(201);
      expect(JSON.parse(text).status).to.include({ allowed: false });
    });

    it("lists nothing where they may only create, and is refused to read and to change", async () => {
      await bind("jane-makes", "maker");
      const list = await eventually(
        "type",
        async () => {
          const { status, text } = await jane.get("/v1/configmaps");
          return status === 200 ? JSON.parse(text) : undefined;
        },
        patience,
      );

      const made = await eventually(
        "right at the API server",
        async () => {
          const answer = await jane.post("/v1/configmaps/team", { metadata: { name: "mine" } });
          return answer.status === 403 ? undefined : answer;
        },
        patience,
      );
      const answers = await Promise.all([
        jane.get("/v1/configmaps/team/mine"),
        jane.send("DELETE", "/v1/configmaps/team/mine"),
        jane.post("/v1/configmaps/default", { metadata: { name: "mine" } }),
      ]);

      expect(list).to.include({ type: "collection" }).and.not.have.property("count");
      expect(list.createTypes).to.have.property("configmap");
      expect(list.data).to.deep.equal([]);
      expect(made.status, made.text).to.equal(201);
      expect(answers.map(({ status }) => status)).to.deep.equal([403, 403, 403]);
    });

    it("sees what was given to them soon after, by list, get, counts and websocket", async () => {
      await bind("jane-reads", "reader");

      await eventually(
        "rights",
        async () => ((await jane.ids("/v1/configmaps")).length > 0 ? true : undefined),
        patience,
      );
      expect(
        await jane.ids("/v1/configmaps?filter=metadata.namespace=team&sort=-metadata.name"),
      ).to.include.ordered.members(["team/shared", "team/other"]);
      const shared = await jane.read("/v1/configmaps/team/shared");
      expect(Object(shared.links)).to.have.keys("self", "view");
      const countedIn = async (): Promise<string> => {
        const [counts] = Object(await jane.read("/v1/counts")).data;
        return Object.keys(counts.counts.configmap?.namespaces ?? {}).join();
      };
      await eventually(
        "counts",
        async () => ((await countedIn()) === "team" ? true : undefined),
        patience,
      );
      expect(await jane.ids("/v1/namespaces"))
        .to.include("team")
        .and.not.include("kube-system");
    });

    it("is told of changes there alone, and of the end when the rights go", async () => {
      const { direct } = site();
      using socket = await jane.subscribe();
      const { revision } = await jane.read("/v1/configmaps");
      await socket.watch({ resourceType: "configmaps", resourceVersion: revision });

      await direct.kubectl("create", "configmap", "secret-plan", "-n", "default");
      await direct.kubectl(
        "patch",
        "configmap",
        "shared",
        "-n",
        "team",
        "--type=merge",
        "-p",
        '{"data":{"note":"two"}}',
      );
      await direct.kubectl("create", "configmap", "third", "-n", "team");
      await direct.kubectl("delete", "configmap", "third", "-n", "team");
      await socket.hears("resource.remove", ({ data }) => data?.id === "team/third");

      const seen = socket.told.filter(
        ({ data }) => data?.id !== undefined && !String(data.id).startsWith("team/kube-root"),
      );
      expect(seen.map(({ name: what, data }) => `${what} ${data?.id}`)).to.deep.equal([
        "resource.change team/shared",
        "resource.create team/third",
        "resource.remove team/third",
      ]);
      expect(Object(seen[0]?.data).data).to.deep.equal({ note: "two" });

      await direct.kubectl("delete", "rolebinding", "jane-reads", "-n", "team");

      await socket.hears("resource.stop");
      await eventually(
        "no rights",
        async () => ((await jane.ids("/v1/configmaps")).length === 0 ? true : undefined),
        patience,
      );
      await eventually(
        "refusal",
        async () =>
          (await jane.get("/api/v1/namespaces/team/configmaps")).status === 403 ? true : undefined,
        patience,
      );
    });
  });
}
