import { expect } from "chai";
import { valueProblem } from "./refusal.ts";
import { isSettingName, publicSettings, settingNames, settings } from "./settings.ts";
import { complaintOf } from "./value.ts";

/** The names of spec §7.2 and those that clients ask for by name, apart from what user interfaces keep. */
const demanded =
  `server-url cacerts internal-cacerts install-uuid server-version server-version-type internal-server-url
  agent-image agent-tls-mode agent-rollout-timeout auth-token-max-ttl-minutes auth-token-default-ttl-minutes
  auth-user-session-ttl-minutes auth-user-session-idle-ttl-minutes auth-user-info-resync-cron auth-user-info-max-age-seconds
  kubeconfig-generate-token kubeconfig-default-token-ttl-minutes kubeconfig-max-token-ttl-minutes password-min-length
  first-login no-default-admin disable-inactive-user-after delete-inactive-user-after user-last-login-default
  user-retention-cron user-retention-dry-run expire-scim-tokens-after authorization-cache-ttl-seconds
  authorization-deny-cache-ttl-seconds cluster-controller-start-count cluster-agent-default-affinity
  cluster-agent-default-priority-class cluster-agent-default-pod-disruption-budget fleet-agent-default-affinity
  fleet-agent-default-priority-class fleet-agent-default-pod-disruption-budget crt-default-ttl-minutes
  crt-default-grace-period-minutes hide-local-cluster ignore-node-name ingress-ip-domain namespace peer-service
  system-namespaces fleet-default-workspace-name sql-cache-gc-interval sql-cache-gc-keep-count jailer-timeout
  unprivileged-jail-user public-api-body-limit tls-min-version tls-ciphers whitelist-domain whitelist-envvars
  system-default-registry global-registry-enabled system-default-registry-pull-secrets rotate-certs-if-expiring-in-days
  imported-cluster-version-management api-ui-version ui-default-landing ui-dashboard-index ui-offline-preferred
  ui-preferred ui-pl ui-brand ui-banners ui-issues k8s-version eula-agreed`.split(/\s+/);

describe("the table of settings", () => {
  it("has every setting that the server or a client asks for", () => {
    expect(demanded.filter((name) => !isSettingName(name))).to.deep.equal([]);
  });

  it("knows no other names, not even those every object has", () => {
    expect(["server-uri", "", "toString", "__proto__"].filter(isSettingName)).to.deep.equal([]);
  });

  it("lets callers without login read what cattle-unauthenticated lists", () => {
    expect([...publicSettings].sort()).to.deep.equal([
      "first-login",
      "ui-banner-footer",
      "ui-banner-header",
      "ui-banner-login-consent",
      "ui-banners",
      "ui-brand",
      "ui-favicon",
      "ui-link-color",
      "ui-login-background-dark",
      "ui-login-background-light",
      "ui-pl",
      "ui-primary-color",
    ]);
  });

  it("has defaults that admission would take", () => {
    const problems = settingNames.flatMap((name) => {
      const { default: usual, upgradeDefault = "" } = settings[name];
      return [valueProblem(name, usual) ?? [], valueProblem(name, upgradeDefault) ?? []].flat();
    });

    expect(problems).to.deep.equal([]);
  });

  it("has only fields that a row has", () => {
    const known =
      "default kind about upgradeDefault defaultFrom computed readOnly public followedBy".split(
        " ",
      );
    const fields = new Set(settingNames.flatMap((name) => Object.keys(settings[name])));

    expect([...fields].filter((field) => !known.includes(field))).to.deep.equal([]);
  });

  it("lists the 30 namespaces of the System project", () => {
    expect(new Set(settings["system-namespaces"].default.split(",")).size).to.equal(30);
  });

  it("makes only cacerts read-only", () => {
    expect(settingNames.filter((name) => settings[name].readOnly)).to.deep.equal(["cacerts"]);
  });
});

describe("complaintOf", () => {
  const whole = { type: "number", min: 1 } as const;
  const fraction = { type: "number", min: 0, fractions: true } as const;
  const choice = { type: "choice", choices: ["strict", "system-store"] } as const;
  for (const { kind, good, bad } of [
    { kind: { type: "boolean" }, good: ["true", "false"], bad: ["yes", "True", "1", " true"] },
    {
      kind: whole,
      good: ["1", "960", "007"],
      bad: ["0", "-1", "1.5", "1e3", "x", "", "9".repeat(20)],
    },
    { kind: fraction, good: ["0.01", "0", "43200"], bad: ["-0.1", ".", "1.", "NaN"] },
    { kind: choice, good: ["strict"], bad: ["Strict", "loose"] },
    {
      kind: { type: "duration" },
      good: ["0", "336h", "1h30m", "1.5h", ".5s", "20ms", "3us", "3µs"],
      bad: ["", "336", "-1h", "1d", "h", "1h 30m", "1,5h", "Infinityh"],
    },
    {
      kind: { type: "cron" },
      good: [
        "0 0 * * *",
        "*/5 1-3,7 ? jan-MAR sun",
        "0-30/10 * 31 12 6",
        "@daily",
        "@every 1h30m",
        " 0 0 * * 0 ",
      ],
      bad: [
        ...["", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *"],
        ...["* * * 13 *", "* * * 0 *", "* * * * 7", "3-1 * * * *", "*/0 * * * *", "1-2-3 * * * *"],
        ...[
          "a * * * *",
          "*/x * * * *",
          "1/2/3 * * * *",
          ", * * * *",
          "@often",
          "@every 0s",
          "@every x",
        ],
      ],
    },
    {
      kind: { type: "time" },
      good: ["2023-11-29T00:00:00Z", "2024-02-29T23:59:59.5+02:00"],
      bad: [
        "",
        "2023-11-29",
        "2023-02-29T00:00:00Z",
        "2023-13-01T00:00:00Z",
        "2023-11-29T24:00:00Z",
        "now",
      ],
    },
    { kind: { type: "json" }, good: ["{}", "[]", "1"], bad: ["", "{", "a"] },
    {
      kind: { type: "url" },
      good: ["https://rancher.test:8443"],
      bad: ["rancher.test", "ftp://a", "javascript:1"],
    },
    {
      kind: { type: "size", min: "1Ki", max: "1G" },
      good: ["1Mi", "1048576", "0.5G", "1024", "1.024k", "1G"],
      bad: ["1 Mi", "Mi", "-1", "1MB", "0", "1023", "1k", "1.1G", "9".repeat(400), "1ki"],
    },
    {
      kind: { type: "priority-class" },
      good: ['{"value":-1000000000}', "{}", '{"value":1,"preemptionPolicy":"Never"}'],
      bad: [
        "",
        "[]",
        "null",
        '{"value":1000000001}',
        '{"value":"1"}',
        '{"value":1.5}',
        '{"preemptionPolicy":"x"}',
      ],
    },
    {
      kind: { type: "pod-disruption-budget" },
      good: [
        '{"minAvailable":"1"}',
        '{"minAvailable":"0","maxUnavailable":"50%"}',
        '{"maxUnavailable":"100%"}',
      ],
      bad: [
        ...["", "1", "{}", '{"minAvailable":""}', '{"minAvailable":1}', '{"minAvailable":"-1"}'],
        ...[
          '{"minAvailable":"101%"}',
          '{"minAvailable":"1","maxUnavailable":"1"}',
          '{"maxUnavailable":"a"}',
        ],
      ],
    },
  ] as const) {
    const title = kind.type === "number" && kind === fraction ? "fractions" : kind.type;

    it(`takes ${title} as it is written`, () => {
      expect(good.filter((value) => complaintOf(value, kind) !== undefined)).to.deep.equal([]);
    });

    it(`refuses what is no ${title}`, () => {
      expect(bad.filter((value) => complaintOf(value, kind) === undefined)).to.deep.equal([]);
    });
  }

  it("takes a hostile text in no time", () => {
    const texts = [
      "1".repeat(100_000),
      "1h".repeat(50_000),
      `${"1h".repeat(50_000)}x`,
      "1.".repeat(50_000),
    ];
    const started = performance.now();

    for (const text of texts) {
      for (const type of ["duration", "cron", "time"] as const) complaintOf(text, { type });
      complaintOf(text, { type: "size", min: "1", max: "1G" });
    }

    expect(performance.now() - started).to.be.below(1_000);
  });
});
