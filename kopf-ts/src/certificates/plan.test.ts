import { expect } from "chai";
import type { Authority, Serving } from "./contents.ts";
import { type Lifetimes, plan, type Situation, type Step, usualLifetimes } from "./plan.ts";
import { anAuthority, aServing } from "./testing/certificates.ts";

const day = 24 * 3_600_000;
const start = Date.parse("2030-01-01T00:00:00Z");
const lifetimes: Lifetimes = usualLifetimes;

describe("plan", () => {
  let authority: Authority;
  let serving: Serving;
  before(async () => {
    authority = await anAuthority(start, lifetimes.authority);
    serving = await aServing(authority, start, lifetimes.serving);
  });

  /** All is well, but for what is given. */
  const decide = (
    days: number,
    {
      authority: a = authority,
      serving: s = serving,
      ...more
    }: Partial<Omit<Situation, "authority" | "serving">> & {
      authority?: Authority;
      serving?: Serving;
    } = {},
  ): Step =>
    plan({
      authority: { found: a },
      serving: { found: s },
      presented: s,
      names: ["a.test"],
      trustedSince: start,
      now: start + days * day,
      lifetimes,
      ...more,
    });
  const what = (step: Step): string => ("reason" in step ? `${step.do}: ${step.reason}` : step.do);

  it("does nothing while all is well, until the certificate is due", () => {
    expect(decide(1)).to.deep.equal({ do: "nothing", until: start + 335 * day });
  });

  for (const { name, days, expected } of [
    { name: "keeps a certificate 31 days before its end", days: 334, expected: "nothing" },
    { name: "renews it 30 days before", days: 335, expected: "serving: it expires soon" },
    { name: "renews it when it has expired", days: 366, expected: "serving: it has expired" },
    {
      name: "renews the authority 30 days before",
      days: 3620,
      expected: "authority: it expires soon",
    },
    { name: "replaces one that has expired", days: 3651, expected: "authority: it has expired" },
  ]) {
    it(name, () => expect(what(decide(days))).to.equal(expected));
  }

  it("renews what lives shortly when a third of its life is left", async () => {
    const short = await aServing(authority, start, 60_000);
    const at = (seconds: number) => what(decide(seconds / 86_400, { serving: short }));

    expect([at(30), at(45)]).to.deep.equal(["nothing", "serving: it expires soon"]);
  });

  it("makes what is missing or broken, and says that it was", () => {
    const missing = { fault: "it does not exist" };
    const common = { presented: undefined, names: [], trustedSince: start, now: start, lifetimes };

    expect(plan({ ...common, authority: missing, serving: missing })).to.deep.equal({
      do: "authority",
      reason: "it does not exist",
      broken: true,
    });
    expect(plan({ ...common, authority: { found: authority }, serving: missing })).to.deep.equal({
      do: "serving",
      reason: "it does not exist",
      broken: true,
    });
  });

  it("replaces a certificate for other names", () => {
    const step = decide(1, { names: ["a.test", "b.test"] });

    expect(step).to.deep.equal({ do: "serving", reason: "it is for other names", broken: false });
  });

  it("replaces it at once, whoever trusts the authority: they trust the former certificate as well", () => {
    const step = decide(1, { names: ["b.test"], trustedSince: undefined });

    expect(what(step)).to.equal("serving: it is for other names");
  });

  it("knows addresses among the names", async () => {
    const served = await aServing(authority, start, lifetimes.serving, ["127.0.0.1", "::1"]);

    expect(decide(1, { serving: served, names: ["127.0.0.1", "::1"] }).do).to.equal("nothing");
    expect(decide(1, { serving: served, names: ["127.0.0.2"] }).do).to.equal("serving");
  });

  describe("with a new authority", () => {
    let next: Authority;
    const at = 3620;
    before(async () => {
      next = await anAuthority(start + at * day, lifetimes.authority, [authority]);
      serving = await aServing(authority, start + (at - 1) * day, lifetimes.serving);
    });

    it("keeps the old certificate while the configurations do not trust the new authority", () => {
      const step = decide(at, { authority: next, trustedSince: undefined });

      expect(step).to.deep.equal({ do: "nothing", until: start + at * day + lifetimes.settle });
    });

    it("keeps it until API servers have had time to notice", () => {
      const trustedSince = start + at * day - 1;
      const until = trustedSince + lifetimes.settle;

      expect(decide(at, { authority: next, trustedSince })).to.deep.equal({ do: "nothing", until });
    });

    it("then makes a certificate of the new one", () => {
      const trustedSince = start + at * day - lifetimes.settle;

      const step = decide(at, { authority: next, trustedSince });

      expect(what(step)).to.equal("serving: there is a new authority");
    });

    it("waits for nobody when what is served has expired anyway", () => {
      const step = decide(at + 300, { authority: next, trustedSince: undefined });

      expect(what(step)).to.equal("serving: it has expired");
    });

    it("waits with the replacement of a foreign certificate as long as a good one is served", async () => {
      const foreign = await aServing(await anAuthority(start, 9000 * day), start, 9000 * day);
      const unsettled = { authority: next, serving: foreign, trustedSince: undefined };

      expect(decide(at, { ...unsettled, presented: serving }).do).to.equal("nothing");
      expect(what(decide(at, { ...unsettled, presented: undefined }))).to.equal(
        "serving: it is of an authority that is not ours",
      );
    });

    it("drops the former authority once nobody can serve its certificates", async () => {
      const served = await aServing(next, start + at * day, lifetimes.serving);
      const options = { authority: next, serving: served };

      const before = decide(at + 0.5, options);
      const after = decide(at + 1, options);

      expect(before.do).to.equal("nothing");
      expect(after.do === "trim" && after.bundle).to.deep.equal([next.certificate]);
    });
  });
});
