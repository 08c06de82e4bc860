import { type ControlPlane, startControlPlane } from "@drover/env";
import { expect } from "chai";
import { at, listAt, textAt } from "../../tree.ts";
import { StateBed, type Tree } from "./bed.test.support.ts";

const image = "example.com/web:1";
const app = {
  group: "catalog.cattle.io",
  kind: "App",
  plural: "apps",
  crd: "apps.catalog.cattle.io",
};
const labels = (name: string) => ({ app: name });
const workload = (name: string) => ({
  selector: { matchLabels: labels(name) },
  template: {
    metadata: { labels: labels(name) },
    spec: {
      containers: [{ name: "c", image }],
      volumes: [{ name: "v", configMap: { name: "all" } }],
    },
  },
});
const batch = (name: string) => {
  const { selector, template } = workload(name);
  const spec = { ...template.spec, restartPolicy: "Never" };
  return { manualSelector: true, selector, template: { ...template, spec } };
};

/** Uses something in each of the ways there are. */
const pod = {
  serviceAccountName: "robot",
  automountServiceAccountToken: false,
  imagePullSecrets: [{ name: "registry" }],
  volumes: [
    { name: "a", configMap: { name: "mounted" } },
    { name: "b", secret: { secretName: "keys" } },
    {
      name: "c",
      projected: { sources: [{ secret: { name: "inner" } }, { configMap: { name: "ca" } }] },
    },
  ],
  containers: [
    {
      ...{ name: "c", image },
      envFrom: [{ configMapRef: { name: "all" } }, { secretRef: { name: "env" } }],
      env: [
        { name: "A", valueFrom: { configMapKeyRef: { name: "one", key: "a" } } },
        { name: "B", valueFrom: { secretKeyRef: { name: "password", key: "b" } } },
      ],
    },
  ],
};

const configMaps = ["mounted", "ca", "all", "one"];
const secrets = ["registry", "keys", "inner", "env", "password"];
const workloads = [
  ["apps.deployments", "/apis/apps/v1", "deployments", workload("deployment")],
  ["apps.daemonsets", "/apis/apps/v1", "daemonsets", workload("daemonset")],
  [
    ...(["apps.statefulsets", "/apis/apps/v1", "statefulsets"] as const),
    { ...workload("statefulset"), serviceName: "web" },
  ],
  ["apps.replicasets", "/apis/apps/v1", "replicasets", workload("replicaset")],
  ["batch.jobs", "/apis/batch/v1", "jobs", batch("job")],
] as const;

describe("relationships, of a real API server", function () {
  this.timeout(120_000);

  let plane: ControlPlane;
  let bed: StateBed;

  before(async () => {
    // Of its own, without controllers: they would make objects of theirs.
    plane = await startControlPlane({ name: "relationships", controllerManager: false });
    bed = await StateBed.start(plane);
    await bed.install(app, {});
    for (const name of ["default", "robot"]) await make("/api/v1", "serviceaccounts", name);
    for (const name of configMaps) await make("/api/v1", "configmaps", name);
    for (const name of secrets) await make("/api/v1", "secrets", name);
    const owner = await make("/apis/apps/v1", "replicasets", "owner", { spec: workload("owned") });
    await make("/api/v1", "services", "web", {
      spec: { selector: labels("web"), ports: [{ port: 80 }] },
    });
    await make(
      "/api/v1",
      "pods",
      "web",
      { spec: pod },
      { labels: labels("web"), ownerReferences: [referenceTo(owner)] },
    );
    for (const [, api, plural, spec] of workloads) await make(api, plural, "web", { spec });
    await make("/apis/catalog.cattle.io/v1", "apps", "chart", {
      ...{ apiVersion: "catalog.cattle.io/v1", kind: "App" },
      spec: {
        resources: [{ apiVersion: "v1", kind: "Service", name: "web", namespace: bed.namespace }],
      },
      status: { summary: { state: "deployed" } },
    });
    await make("/api/v1", "configmaps", "applied", {}, { annotations: annotations() });
  });
  after(async () => {
    await bed?.[Symbol.asyncDispose]();
    await plane?.[Symbol.asyncDispose]();
  });

  function make(
    api: string,
    plural: string,
    name: string,
    object: Tree = {},
    more: Tree = {},
  ): Promise<Tree> {
    const path = `${api}/namespaces/${bed.namespace}/${plural}`;
    return bed.make(path, { ...object, metadata: { ...more, name } });
  }

  function annotations(): Tree {
    return {
      "objectset.rio.cattle.io/owner-gvk": "catalog.cattle.io/v1, Kind=App",
      "objectset.rio.cattle.io/owner-name": "chart",
      "objectset.rio.cattle.io/owner-namespace": bed.namespace,
    };
  }

  const id = (name: string): string => `${bed.namespace}/${name}`;
  const to = (rel: string, type: string, name: string) => ({ rel, toType: type, toId: id(name) });
  const from = (rel: string, type: string, name: string) => ({
    rel,
    fromType: type,
    fromId: id(name),
  });
  const choose = (rel: string, name: string) => ({
    ...{ rel, toType: "pod", toNamespace: bed.namespace, selector: `app=${name}` },
  });

  const rows: readonly (readonly [list: string, name: string, expected: () => readonly Tree[]])[] =
    [
      [
        "pods",
        "web",
        () => [
          ...configMaps.map((name) => to("uses", "configmap", name)),
          ...secrets.map((name) => to("uses", "secret", name)),
          to("uses", "serviceaccount", "robot"),
          from("owner", "apps.replicaset", "owner"), // Services tell alone whom they select, as in Steve
        ],
      ],
      ["configmaps", "mounted", () => [from("uses", "pod", "web")]],
      ["secrets", "registry", () => [from("uses", "pod", "web")]],
      ["serviceaccounts", "robot", () => [from("uses", "pod", "web")]],
      [
        ...(["services", "web"] as const),
        () => [choose("selects", "web"), from("helmresource", "catalog.cattle.io.app", "chart")],
      ],
      [
        "catalog.cattle.io.apps",
        "chart",
        () => [to("helmresource", "service", "web"), to("applies", "configmap", "applied")],
      ],
      ["configmaps", "applied", () => [from("applies", "catalog.cattle.io.app", "chart")]],
      ["apps.replicasets", "owner", () => [...ofTemplate("owned"), to("owner", "pod", "web")]],
      ...workloads.map(
        ([list, , , { selector }]) =>
          [list, "web", () => ofTemplate(selector.matchLabels.app)] as const,
      ),
    ];
  const ofTemplate = (name: string): readonly Tree[] => [
    choose("creates", name),
    to("uses", "configmap", "all"),
    // A template without an account has this one in Steve as well: named by nothing.
    { rel: "uses", toType: "serviceaccount" },
  ];

  for (const [list, name, expected] of rows) {
    it(`tells what ${list} have to do with others: ${name}`, async () => {
      const wanted = expected().map(sorted).toSorted();
      const item = await bed.itemWhere(
        `${list}/${bed.namespace}`,
        name,
        (found) => relationshipsOf(found).join() === wanted.join(),
      );

      expect(relationshipsOf(item)).to.deep.equal(wanted);
    });
  }

  it("tells how the others are", async () => {
    const state = (item: unknown) =>
      listAt(item, "metadata", "relationships").map((each) => [
        textAt(each, "toType"),
        textAt(each, "state"),
      ]);
    const item = await bed.itemWhere(`catalog.cattle.io.apps/${bed.namespace}`, "chart", (found) =>
      state(found).every(([, known]) => known !== ""),
    );

    expect(state(item)).to.have.deep.members([
      ["service", "active"],
      ["configmap", "active"],
    ]);
  });
});

/** The relationships of an item without states, as text in a fixed order. */
function relationshipsOf(item: unknown): readonly string[] {
  return listAt(item, "metadata", "relationships")
    .map((each) => {
      const { state, message, error, transitioning, ...rest } = each as Tree;
      return sorted(rest);
    })
    .toSorted();
}

function sorted(object: Tree): string {
  return JSON.stringify(Object.fromEntries(Object.entries(object).toSorted()));
}

function referenceTo(owner: Tree): Tree {
  const { name, uid } = at(owner, "metadata") as Tree;
  return { apiVersion: "apps/v1", kind: "ReplicaSet", name, uid, controller: true };
}
