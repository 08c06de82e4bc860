import { testEnv } from "@drover/env";
import { expect } from "chai";
import { connect, isInvalid, isNotFound, type Kind, loadConfig } from "kopf-ts";
import { AuthConfig } from "./auth/auth-config.ts";
import { SamlToken } from "./auth/saml-token.ts";
import { Token } from "./auth/token.ts";
import { UserAttribute } from "./auth/user-attribute.ts";
import { Cluster } from "./cluster/cluster.ts";
import { Node } from "./cluster/node.ts";
import { readManifest, schemaOf } from "./install/manifest.ts";
import { kinds } from "./kinds.ts";
import { Project } from "./project/project.ts";
import { ProjectNetworkPolicy } from "./project/project-network-policy.ts";
import { ClusterRoleTemplateBinding } from "./rbac/cluster-role-template-binding.ts";
import { GlobalRole } from "./rbac/global-role.ts";
import { GlobalRoleBinding } from "./rbac/global-role-binding.ts";
import { Feature } from "./server/feature.ts";
import { Preference } from "./server/preference.ts";
import { Setting } from "./server/setting.ts";
import { sample, unknownField } from "./testing/sample.ts";
import { type Fields, failure, fieldsOf, type Scratch, scratch } from "./testing/scratch.ts";

/** Upstream stores these without a schema; of all others it drops unknown fields. */
const keepsUnknown: readonly Kind[] = [
  AuthConfig,
  Cluster,
  Node,
  ProjectNetworkPolicy,
  SamlToken,
  Token,
  UserAttribute,
];

const statusApart: readonly Kind[] = [
  Cluster,
  ClusterRoleTemplateBinding,
  GlobalRole,
  GlobalRoleBinding,
];

describe("a real API server", function () {
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

  async function sampleOf(kind: Kind, options: { readonly unknown: boolean }): Promise<Fields> {
    return sample(schemaOf(await readManifest(kind)), options) as Fields;
  }

  for (const kind of kinds) {
    const keeps = keepsUnknown.includes(kind);

    it(`stores every described field of a ${kind.kind} and ${keeps ? "keeps" : "drops"} unknown ones`, async () => {
      const sent = await sampleOf(kind, { unknown: true });
      const { status, ...expected } = await sampleOf(kind, { unknown: keeps });

      const { status: created, ...rest } = await server.stored(kind, sent, fieldsOf);

      expect(rest).to.deep.equal(expected);
      expect(created).to.deep.equal(statusApart.includes(kind) ? undefined : status);
    });
  }

  for (const kind of statusApart) {
    it(`takes the status of a ${kind.kind} through its subresource`, async () => {
      const { status: sent } = await sampleOf(kind, { unknown: true });
      const expected = await sampleOf(kind, { unknown: keepsUnknown.includes(kind) });

      const after = await server.stored(kind, expected, (object) =>
        server.client.update({ ...object, status: sent }, { subresource: "status" }),
      );

      expect(fieldsOf(after)).to.deep.equal(expected);
    });
  }

  for (const kind of kinds.filter((one) => !statusApart.includes(one))) {
    it(`has no status subresource of a ${kind.kind}`, async () => {
      const fields = await sampleOf(kind, { unknown: false });

      const thrown = await server.stored(kind, fields, (object) =>
        failure(server.client.update(object, { subresource: "status" })),
      );

      expect(isNotFound(thrown), String(thrown)).to.equal(true);
    });
  }

  const github = { type: "githubConfig", hostname: "github.com", tls: true, clientId: "x" };
  const below = { k3sConfig: { unknownField }, localClusterAuthEndpoint: { unknownField } };
  const noGroups = { GroupPrincipals: null, ExtraByProvider: null };
  for (const { name, kind, sent, expected = sent } of [
    { name: "null where Go writes it", kind: UserAttribute, sent: noGroups },
    { name: "null elsewhere as absent", kind: Setting, sent: { value: null }, expected: {} },
    {
      name: "null elsewhere as absent, also where unknown fields are kept",
      kind: Token,
      sent: { ttl: null, userPrincipal: null, unknownField: null },
      expected: { unknownField: null },
    },
    { name: "the fields of one authentication provider", kind: AuthConfig, sent: github },
    { name: "unknown fields inside known ones", kind: Cluster, sent: { spec: below } },
    { name: "a setting of nothing", kind: Setting, sent: {} },
    { name: "a role for nothing", kind: GlobalRole, sent: {} },
  ] satisfies readonly { name: string; kind: Kind; sent: Fields; expected?: Fields }[]) {
    it(`accepts ${name}`, async () => {
      expect(await server.stored(kind, sent, fieldsOf)).to.deep.equal(expected);
    });
  }

  it("accepts amounts as numbers and as quantities", async () => {
    const status = { capacity: { cpu: 4, memory: "16Gi" } };

    const updated = await server.stored(Cluster, {}, (object) =>
      server.client.update({ ...object, status }, { subresource: "status" }),
    );

    expect(fieldsOf(updated)).to.deep.equal({ status });
  });

  const project = { displayName: "x", clusterName: "c" };
  for (const { name, kind, sent } of [
    { name: "a token whose ttl is text", kind: Token, sent: { ttl: "1h" } },
    { name: "a token last used at no time", kind: Token, sent: { lastUsedAt: "yesterday" } },
    { name: "a project without a cluster", kind: Project, sent: { spec: { displayName: "x" } } },
    {
      name: "a project quota in numbers",
      kind: Project,
      sent: { spec: { ...project, resourceQuota: { limit: { pods: 5 } } } },
    },
    { name: "a feature between on and off", kind: Feature, sent: { spec: { value: "maybe" } } },
    { name: "a rule without verbs", kind: GlobalRole, sent: { rules: [{ resources: ["pods"] }] } },
    { name: "a binding without a role", kind: GlobalRoleBinding, sent: { userName: "u" } },
    { name: "a preference that is no text", kind: Preference, sent: { value: 1 } },
  ] satisfies readonly { name: string; kind: Kind; sent: Fields }[]) {
    it(`refuses ${name}`, async () => {
      const thrown = await failure(server.stored(kind, sent, fieldsOf));

      expect(isInvalid(thrown), String(thrown)).to.equal(true);
    });
  }
});
