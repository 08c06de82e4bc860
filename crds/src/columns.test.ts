import { testEnv } from "@drover/env";
import { expect } from "chai";
import { apiVersionOf, connect, type Kind, loadConfig } from "kopf-ts";
import { Cluster } from "./cluster/cluster.ts";
import { Node } from "./cluster/node.ts";
import { kinds } from "./kinds.ts";
import { Project } from "./project/project.ts";
import { ClusterRoleTemplateBinding } from "./rbac/cluster-role-template-binding.ts";
import { GlobalRole } from "./rbac/global-role.ts";
import { GlobalRoleBinding } from "./rbac/global-role-binding.ts";
import { Feature } from "./server/feature.ts";
import { Preference } from "./server/preference.ts";
import { Setting } from "./server/setting.ts";
import { type AnyObject, type Fields, type Scratch, scratch } from "./testing/scratch.ts";

/** The part of meta.k8s.io/v1 Table that is looked at. */
interface Table {
  readonly columnDefinitions: readonly { readonly name: string }[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

/** Kinds with columns of their own: what kubectl shows of an object. All others show name and age. */
const columns: readonly {
  readonly kind: Kind;
  readonly fields: Fields;
  readonly shows: Fields;
}[] = [
  {
    kind: Cluster,
    fields: {
      spec: { displayName: "production" },
      status: {
        conditions: [
          { type: "Connected", status: "True" },
          { type: "Provisioned", status: "Unknown", message: "no kubeconfig yet" },
          { type: "Ready", status: "False", message: "3 checks failed" },
        ],
        version: { gitVersion: "v1.35.0" },
        nodeCount: 3,
        driver: "imported",
      },
    },
    shows: {
      "Display Name": "production",
      Ready: "False",
      Connected: "True",
      Version: "v1.35.0",
      Nodes: 3,
      Age: /^\d+s$/,
      Driver: "imported",
      Provisioned: "Unknown",
      "Not Ready Because": "3 checks failed",
      "Not Provisioned Because": "no kubeconfig yet",
    },
  },
  {
    kind: Node,
    fields: {
      status: {
        nodeName: "worker-1",
        internalNodeStatus: { nodeInfo: { kubeletVersion: "v1.35.0" } },
      },
    },
    shows: { Node: "worker-1", Kubelet: "v1.35.0", Age: /^\d+s$/ },
  },
  {
    kind: Project,
    fields: {
      spec: { displayName: "x", clusterName: "c" },
      status: {
        backingNamespace: "c-p",
        conditions: [
          { type: "BackingNamespaceCreated", status: "True" },
          { type: "InitialRolesPopulated", status: "False", message: "namespace c-p is taken" },
        ],
      },
    },
    shows: {
      BACKINGNAMESPACE: "c-p",
      AGE: /^\d+s$/,
      "Display Name": "x",
      Populated: "False",
      "Waits For": "namespace c-p is taken",
    },
  },
  {
    kind: ClusterRoleTemplateBinding,
    fields: { clusterName: "c", roleTemplateName: "r", status: { summary: "Completed" } },
    shows: { STATUS: "Completed", AGE: /^\d+s$/ },
  },
  {
    kind: GlobalRole,
    fields: { status: { summary: "Completed" } },
    shows: { STATUS: "Completed", AGE: /^\d+s$/ },
  },
  {
    kind: GlobalRoleBinding,
    fields: { globalRoleName: "r", status: { summary: "Error" } },
    shows: { STATUS: "Error", AGE: /^\d+s$/ },
  },
  { kind: Setting, fields: { value: "on" }, shows: { Value: "on" } },
  { kind: Preference, fields: { value: "dark" }, shows: { Value: "dark" } },
  {
    kind: Feature,
    fields: { spec: { value: true }, status: { default: false, description: "A flag." } },
    shows: { "Custom Value": "true", Default: "false", Description: "A flag." },
  },
];

describe("kubectl get", function () {
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

  async function table(kind: Kind, object?: AnyObject): Promise<Table> {
    const place = kind.scope === "Namespaced" ? `/namespaces/${server.namespace}` : "";
    const name = object === undefined ? "" : `/${object.metadata.name}`;
    const { body } = await server.client.request({
      method: "GET",
      path: `/apis/${apiVersionOf(kind)}${place}/${kind.plural}${name}`,
      headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" },
    });
    return JSON.parse(body.toString()) as Table;
  }

  for (const { kind, fields, shows } of columns) {
    it(`shows ${Object.keys(shows).join(", ")} of a ${kind.kind}`, async () => {
      const { columnDefinitions, rows } = await server.stored(kind, fields, async (object) => {
        if (!("status" in object) && "status" in fields) {
          await server.client.update(
            { ...object, status: fields.status },
            { subresource: "status" },
          );
        }
        return await table(kind, object);
      });

      expect(columnDefinitions.map(({ name }) => name)).to.deep.equal([
        "Name",
        ...Object.keys(shows),
      ]);
      for (const [index, cell] of Object.values(shows).entries()) {
        const shown = rows[0]?.cells[index + 1];
        if (cell instanceof RegExp) expect(shown).to.match(cell);
        else expect(shown).to.equal(cell);
      }
    });
  }

  for (const kind of kinds.filter((one) => !columns.some((each) => each.kind === one))) {
    it(`shows the age of a ${kind.kind}`, async () => {
      const { columnDefinitions } = await table(kind);

      expect(columnDefinitions.map(({ name }) => name)).to.deep.equal(["Name", "Age"]);
    });
  }
});
