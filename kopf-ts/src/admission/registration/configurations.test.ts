import { expect } from "chai";
import { Namespace } from "../../kinds/index.ts";
import { allow } from "../request.ts";
import { Widget } from "../testing/reviews.ts";
import type { AnyWebhook, WebhookRule } from "../webhook.ts";
import { configurationOf, type Registered, serverNames } from "./configurations.ts";

const validator = (
  rules: readonly WebhookRule[],
  kind: AnyWebhook["kind"] = Widget,
): AnyWebhook => ({
  kind,
  rules,
  validate: () => allow(),
});
const bundle = "PEM";
const caBundle = Buffer.from(bundle).toString("base64");

function registered(more: Partial<Registered> = {}): Registered {
  return {
    name: "hooks.example.com",
    pathPrefix: "/v1/webhook",
    clientConfig: { service: { namespace: "ns", name: "svc" } },
    webhooks: [],
    matchConditions: [],
    ...more,
  };
}

describe("configurationOf", () => {
  it("writes every default, so that what the server returns compares equal", () => {
    const webhooks = [validator([{ operations: ["CREATE", "UPDATE"] }])];

    expect(configurationOf("validation", registered({ webhooks }), bundle)).to.deep.equal({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "hooks.example.com" },
      webhooks: [
        {
          name: "hooks.example.com.widgets.example.com",
          clientConfig: {
            service: {
              namespace: "ns",
              name: "svc",
              port: 443,
              path: "/v1/webhook/validation/widgets.example.com",
            },
            caBundle,
          },
          rules: [
            {
              apiGroups: ["example.com"],
              apiVersions: ["v1"],
              operations: ["CREATE", "UPDATE"],
              resources: ["widgets"],
              scope: "Namespaced",
            },
          ],
          failurePolicy: "Fail",
          matchPolicy: "Equivalent",
          namespaceSelector: {},
          objectSelector: {},
          sideEffects: "None",
          timeoutSeconds: 10,
          admissionReviewVersions: ["v1", "v1beta1"],
        },
      ],
    });
  });

  it("writes what a rule says, and the conditions of all before its own", () => {
    const own = { name: "own", expression: "true" };
    const common = { name: "common", expression: "true" };
    const rule: WebhookRule = {
      operations: ["DELETE"],
      suffix: "guard",
      failurePolicy: "Ignore",
      matchConditions: [own],
      namespaceSelector: { matchLabels: { a: "b" } },
      objectSelector: { matchLabels: { c: "d" } },
      subresources: ["status"],
      timeoutSeconds: 15,
      sideEffects: "NoneOnDryRun",
    };
    const all = registered({ webhooks: [validator([rule])], matchConditions: [common] });

    const [entry] = configurationOf("validation", all, bundle)?.webhooks ?? [];

    expect(entry).to.deep.include({
      name: "hooks.example.com.widgets.example.com.guard",
      failurePolicy: "Ignore",
      matchConditions: [common, own],
      namespaceSelector: { matchLabels: { a: "b" } },
      objectSelector: { matchLabels: { c: "d" } },
      timeoutSeconds: 15,
      sideEffects: "NoneOnDryRun",
    });
    expect(entry?.rules?.[0]?.resources).to.deep.equal(["widgets", "widgets/status"]);
  });

  it("names kinds of the core group without a group, and those outside of namespaces by their scope", () => {
    const webhooks = [validator([{ operations: ["CREATE"] }], Namespace)];
    const url = "https://example.com:9443/";

    const all = registered({ webhooks, clientConfig: { url } });
    const [entry] = configurationOf("validation", all, bundle)?.webhooks ?? [];

    expect(entry?.name).to.equal("hooks.example.com.namespaces");
    expect(entry?.rules?.[0]).to.deep.include({ apiGroups: [""], scope: "Cluster" });
    expect(entry?.clientConfig).to.deep.equal({
      url: "https://example.com:9443/v1/webhook/validation/namespaces",
      caBundle,
    });
  });

  it("keeps the order of webhooks and rules, an entry for each rule", () => {
    const webhooks = [
      validator([{ operations: ["CREATE"] }, { operations: ["DELETE"], suffix: "b" }], Widget),
      validator([{ operations: ["CREATE"] }], Namespace),
    ];

    const entries = configurationOf("validation", registered({ webhooks }), bundle)?.webhooks ?? [];

    expect(entries.map(({ name }) => name)).to.deep.equal([
      "hooks.example.com.widgets.example.com",
      "hooks.example.com.widgets.example.com.b",
      "hooks.example.com.namespaces",
    ]);
  });

  it("is undefined for a phase in which nobody takes part", () => {
    const webhooks = [validator([{ operations: ["CREATE"] }])];

    expect(configurationOf("mutation", registered({ webhooks }), bundle)).to.equal(undefined);
  });

  it("registers one that has both handlers for both", () => {
    const both: AnyWebhook = {
      ...{ kind: Widget, rules: [{ operations: ["CREATE"] }] },
      ...{ validate: () => allow(), mutate: () => undefined },
    };

    const all = registered({ webhooks: [both] });
    const [mutation] = configurationOf("mutation", all, bundle)?.webhooks ?? [];

    expect(mutation).to.include({ reinvocationPolicy: "Never" });
    expect(mutation?.clientConfig.service?.path).to.contain("/mutation/");
    expect(configurationOf("validation", all, bundle)).to.not.equal(undefined);
  });
});

describe("serverNames", () => {
  for (const { config, names } of [
    { config: { service: { namespace: "ns", name: "svc" } }, names: ["svc.ns.svc"] },
    { config: { url: "https://hooks.example.com:9443/x" }, names: ["hooks.example.com"] },
    { config: { url: "https://127.0.0.1:1" }, names: ["127.0.0.1"] },
    { config: { url: "https://[::1]:1" }, names: ["::1"] },
  ]) {
    it(`are ${names} for ${JSON.stringify(config)}`, () =>
      expect(serverNames(config)).to.deep.equal(names));
  }
});
