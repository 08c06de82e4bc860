import { expect } from "chai";
import { each, errors, untilTrue, whileFalse, whileTrue } from "./conditions.test.support.ts";
import { summarize } from "./summary.ts";

const flags = (type: string, status: string) => {
  const conditions = [{ type, status, message: "m", reason: "Why" }];
  const { state, error, transitioning } = summarize(
    { apiVersion: "example.com/v1", kind: "Thing", status: { conditions } },
    { now: 0 },
  );
  return { state, error, transitioning };
};

describe("conditions", () => {
  for (const [state, type] of each(untilTrue)) {
    it(`are ${state} until ${type} is True`, () => {
      expect(flags(type, "False")).to.deep.equal({ state, error: true, transitioning: false });
      expect(flags(type, "Unknown")).to.deep.equal({ state, error: false, transitioning: true });
      expect(flags(type, "True").state).to.equal("active");
    });
  }

  for (const [state, type] of each(whileTrue)) {
    it(`are ${state} while ${type} is True`, () => {
      expect(flags(type, "True")).to.deep.equal({ state, error: false, transitioning: true });
      expect(flags(type, "False").state).to.equal("active");
    });
  }

  for (const [state, type] of each(whileFalse)) {
    it(`are ${state} while ${type} is False`, () => {
      expect(flags(type, "False")).to.deep.equal({ state, error: false, transitioning: true });
      expect(flags(type, "Unknown")).to.deep.equal({ state, error: true, transitioning: false });
      expect(flags(type, "True").state).to.equal("active");
    });
  }

  for (const [apiVersion, kind, ...conditions] of errors) {
    for (const condition of conditions) {
      it(`are an error of a ${kind} when ${condition}`, () => {
        const [type, status] = condition.split("=");
        const object = { apiVersion, kind, status: { conditions: [{ type, status }] } };

        expect(summarize(object, { now: 0 })).to.include({ state: "error", error: true });
      });
    }
  }
});

describe("kinds at rest", () => {
  for (const [apiVersion, kind, rest, message] of [
    ["v1", "Secret", {}, "Resource is always ready"],
    ["v1", "ConfigMap", {}, "Resource is always ready"],
    ["batch/v1", "CronJob", {}, "Resource is always ready"],
    ["v1", "Service", { spec: { type: "ClusterIP" } }, "Service is ready"],
    ["policy/v1", "PodDisruptionBudget", {}, "AllowedDisruptions has been computed."],
    ["example.com/v1", "Thing", {}, "Resource is current"],
  ] as const) {
    it(`are active: ${kind}`, () => {
      const { state, error, transitioning, messages } = summarize(
        { apiVersion, kind, ...rest },
        { now: 0 },
      );

      expect({ state, error, transitioning }).to.deep.equal({
        ...{ state: "active", error: false, transitioning: false },
      });
      expect(messages).to.deep.equal([message]);
    });
  }
});
