import { expect } from "chai";
import { type Member, type Quota, quotaOf, usedOf, verdictsOf } from "./desired.ts";
import { effective, type Hard, hardOf, limitOf } from "./limits.ts";

const hard = (amounts: Readonly<Record<string, string>>): Hard => new Map(Object.entries(amounts));
const plain = (amounts: Hard): unknown => Object.fromEntries(amounts);

describe("hardOf", () => {
  it("goes by Kubernetes' names, and back", () => {
    const limit = {
      pods: "1",
      services: "2",
      replicationControllers: "3",
      secrets: "4",
      configMaps: "5",
      persistentVolumeClaims: "6",
      servicesNodePorts: "7",
      servicesLoadBalancers: "8",
      requestsCpu: "9",
      requestsMemory: "10Mi",
      requestsStorage: "11Gi",
      limitsCpu: "12",
      limitsMemory: "13Mi",
      extended: { "count/jobs.batch": "14" },
    };

    const found = hardOf(limit);

    expect(plain(found)).to.deep.equal({
      "count/jobs.batch": "14",
      pods: "1",
      services: "2",
      replicationcontrollers: "3",
      secrets: "4",
      configmaps: "5",
      persistentvolumeclaims: "6",
      "services.nodeports": "7",
      "services.loadbalancers": "8",
      "requests.cpu": "9",
      "requests.memory": "10Mi",
      "requests.storage": "11Gi",
      "limits.cpu": "12",
      "limits.memory": "13Mi",
    });
    expect(limitOf(found)).to.deep.equal(limit);
  });

  it("lets a field win over the same resource in extended, and leaves out what is not set", () => {
    const limit = { pods: "1", secrets: "", extended: { pods: "2", services: "" } };

    expect(plain(hardOf(limit))).to.deep.equal({ pods: "1" });
    expect(plain(hardOf(undefined))).to.deep.equal({});
  });
});

describe("effective", () => {
  it("lays the request over the share, for resources that the project gives out", () => {
    const share = hard({ pods: "4", "limits.cpu": "200m" });

    const found = effective(share, hard({ pods: "10", configmaps: "50" }));

    expect(plain(found)).to.deep.equal({ pods: "10", "limits.cpu": "200m" });
  });
});

describe("quotaOf", () => {
  for (const { name, spec } of [
    { name: "nothing is set", spec: {} },
    { name: "the shares are missing", spec: { resourceQuota: { limit: { pods: "1" } } } },
    {
      name: "the limit is missing",
      spec: { namespaceDefaultResourceQuota: { limit: { pods: "1" } } },
    },
    { name: "there is no share", spec: { resourceQuota: {}, namespaceDefaultResourceQuota: {} } },
  ]) {
    it(`is none when ${name}`, () => {
      const whole = { displayName: "x", clusterName: "c", ...spec };

      expect(quotaOf({ spec: whole })).to.equal(undefined);
    });
  }
});

type Given = {
  readonly asks?: Readonly<Record<string, string>>;
  readonly holds?: Readonly<Record<string, string>>;
  readonly created?: string;
  readonly unreadable?: boolean;
};

const aMember = (name: string, { asks, holds, created = name, unreadable }: Given): Member => ({
  name,
  created,
  request: { limit: hard(asks ?? {}), isMade: asks !== undefined, isReadable: !unreadable },
  held: holds && hard(holds),
});

const judged = (
  quota: {
    readonly limit: Readonly<Record<string, string>>;
    readonly share: Readonly<Record<string, string>>;
  },
  given: Readonly<Record<string, Given>>,
) => {
  const whole: Quota = { limit: hard(quota.limit), share: hard(quota.share) };
  const verdicts = verdictsOf(
    whole,
    Object.entries(given).map(([name, each]) => aMember(name, each)),
  );
  const granted = Object.fromEntries(verdicts.map((each) => [each.name, plain(each.granted)]));
  const messages = Object.fromEntries(
    verdicts.flatMap(({ name, message }) => (message === "" ? [] : [[name, message]])),
  );
  return { granted, messages, used: plain(usedOf(verdicts)) };
};

describe("verdictsOf", () => {
  const pods = { limit: { pods: "100" }, share: { pods: "4" } };

  for (const { name, quota = pods, given, granted, messages = {}, used } of [
    {
      name: "case 39: grants what a namespace asks for",
      given: { a: { asks: { pods: "10" } } },
      granted: { a: { pods: "10" } },
      used: { pods: "10" },
    },
    {
      name: "case 40: grants the share to one that asks for nothing",
      given: { a: {} },
      granted: { a: { pods: "4" } },
      used: { pods: "4" },
    },
    {
      name: "case 41: gives a new one nothing of what does not fit, and counts nothing for it",
      given: { a: { asks: { pods: "200" } } },
      granted: { a: { pods: "0" } },
      messages: { a: "Oversubscribed resource quota [pods=200]" },
      used: {},
    },
    {
      name: "case 42: leaves out what the project does not give out, and looks at the siblings",
      quota: { limit: { "limits.cpu": "500m" }, share: { "limits.cpu": "200m" } },
      given: {
        a: { asks: { "limits.cpu": "190m" }, holds: { "limits.cpu": "190m" } },
        b: { asks: { "limits.cpu": "400m", configmaps: "50" } },
      },
      granted: { a: { "limits.cpu": "190m" }, b: { "limits.cpu": "0" } },
      messages: { b: "Oversubscribed resource quota [limits.cpu=590m]" },
      used: { "limits.cpu": "190m" },
    },
    {
      name: "keeps the rest of what a new one asks for",
      quota: { limit: { pods: "10", secrets: "10" }, share: { pods: "1", secrets: "1" } },
      given: { a: { asks: { pods: "11", secrets: "5" } } },
      granted: { a: { pods: "0", secrets: "5" } },
      messages: { a: "Oversubscribed resource quota [pods=11]" },
      used: { secrets: "5" },
    },
    {
      name: "keeps the previous quota of one that asks for more than there is",
      quota: { limit: { pods: "10", secrets: "10" }, share: { pods: "1", secrets: "1" } },
      given: { a: { asks: { pods: "11", secrets: "5" }, holds: { pods: "3", secrets: "1" } } },
      granted: { a: { pods: "3", secrets: "1" } },
      messages: { a: "Oversubscribed resource quota [pods=11]" },
      used: { pods: "3", secrets: "1" },
    },
    {
      name: "does not take from who has it already for one that is older",
      given: {
        a: { asks: { pods: "60" }, created: "1" },
        b: { asks: { pods: "60" }, holds: { pods: "60" }, created: "2" },
      },
      granted: { a: { pods: "0" }, b: { pods: "60" } },
      messages: { a: "Oversubscribed resource quota [pods=120]" },
      used: { pods: "60" },
    },
    {
      name: "serves the older of two new ones first",
      given: {
        a: { asks: { pods: "60" }, created: "2" },
        b: { asks: { pods: "60" }, created: "1" },
      },
      granted: { a: { pods: "0" }, b: { pods: "60" } },
      messages: { a: "Oversubscribed resource quota [pods=120]" },
      used: { pods: "60" },
    },
    {
      name: "gives at once what somebody else gives back",
      given: {
        a: { asks: { pods: "80" }, holds: { pods: "0" }, created: "1" },
        b: { asks: { pods: "10" }, holds: { pods: "90" }, created: "2" },
      },
      granted: { a: { pods: "80" }, b: { pods: "10" } },
      used: { pods: "90" },
    },
    {
      name: "does not give out twice what one holds who asks for too much",
      given: {
        a: { asks: { pods: "500" }, holds: { pods: "90" }, created: "1" },
        b: { asks: { pods: "20" }, created: "2" },
      },
      granted: { a: { pods: "90" }, b: { pods: "0" } },
      messages: {
        a: "Oversubscribed resource quota [pods=500]",
        b: "Oversubscribed resource quota [pods=110]",
      },
      used: { pods: "90" },
    },
    {
      name: "leaves what is in force, also beyond a limit that was lowered",
      quota: { limit: { pods: "5" }, share: { pods: "4" } },
      given: { a: { holds: { pods: "4" } }, b: { holds: { pods: "4" } } },
      granted: { a: { pods: "4" }, b: { pods: "4" } },
      used: { pods: "8" },
    },
    {
      name: "puts back what somebody raised or lowered by hand",
      given: { a: { holds: { pods: "50" } }, b: { holds: { pods: "1" } } },
      granted: { a: { pods: "4" }, b: { pods: "4" } },
      used: { pods: "8" },
    },
    {
      name: "case 46: gives all of them their share of a resource that is new",
      quota: { limit: { pods: "100", secrets: "10" }, share: { pods: "4", secrets: "2" } },
      given: { a: { holds: { pods: "4" } }, b: { holds: { pods: "4" } } },
      granted: { a: { pods: "4", secrets: "2" }, b: { pods: "4", secrets: "2" } },
      used: { pods: "8", secrets: "4" },
    },
    {
      name: "case 47: drops a resource that the project gives out no more",
      given: { a: { asks: { pods: "4", secrets: "2" }, holds: { pods: "4", secrets: "2" } } },
      granted: { a: { pods: "4" } },
      used: { pods: "4" },
    },
    {
      name: "refuses less than nothing",
      given: { a: { asks: { pods: "-3" } } },
      granted: { a: { pods: "0" } },
      messages: { a: "Negative resource quota [pods=-3]" },
      used: {},
    },
    {
      name: "refuses what is no amount",
      given: { a: { asks: { pods: "many" }, holds: { pods: "7" } } },
      granted: { a: { pods: "7" } },
      messages: { a: "Invalid resource quota [pods=many]" },
      used: { pods: "7" },
    },
    {
      name: "gives nothing for a request that cannot be read",
      given: { a: { unreadable: true } },
      granted: { a: { pods: "0" } },
      messages: {
        a: 'Invalid resource quota: the annotation must be JSON such as {"limit":{"pods":"4"}}',
      },
      used: {},
    },
    {
      name: "writes amounts as the server does",
      quota: {
        limit: { "limits.cpu": "4", "limits.memory": "4Gi" },
        share: { "limits.cpu": "1000m", "limits.memory": "1024Mi" },
      },
      given: { a: {}, b: { asks: { "limits.cpu": "0.5" } } },
      granted: {
        a: { "limits.cpu": "1", "limits.memory": "1Gi" },
        b: { "limits.cpu": "500m", "limits.memory": "1Gi" },
      },
      used: { "limits.cpu": "1500m", "limits.memory": "2Gi" },
    },
    {
      name: "tells several faults in one message",
      quota: { limit: { pods: "1", secrets: "1" }, share: { pods: "1", secrets: "1" } },
      given: { a: { asks: { pods: "-1", secrets: "2" } } },
      granted: { a: { pods: "0", secrets: "0" } },
      messages: {
        a: "Negative resource quota [pods=-1]; Oversubscribed resource quota [secrets=2]",
      },
      used: {},
    },
  ] satisfies readonly {
    readonly name: string;
    readonly quota?: Parameters<typeof judged>[0];
    readonly given: Readonly<Record<string, Given>>;
    readonly granted: unknown;
    readonly messages?: unknown;
    readonly used: unknown;
  }[]) {
    it(name, () => {
      expect(judged(quota, given)).to.deep.equal({ granted, messages, used });
    });
  }

  it("comes to the same end from its own end, whatever the order of the namespaces", () => {
    const quota = { limit: { pods: "100" }, share: { pods: "30" } };
    const first = judged(quota, { a: {}, b: {}, c: { asks: { pods: "50" } }, d: {} });
    const holding = (name: string): Given => ({
      holds: first.granted[name] as Readonly<Record<string, string>>,
      ...(name === "c" && { asks: { pods: "50" } }),
    });

    const again = judged(quota, {
      d: holding("d"),
      c: holding("c"),
      b: holding("b"),
      a: holding("a"),
    });

    expect(again).to.deep.equal(first);
    expect(first.used).to.deep.equal({ pods: "90" });
  });
});
