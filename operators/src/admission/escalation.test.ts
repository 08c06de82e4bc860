import {
  CircularInheritanceError,
  MissingClusterRoleError,
  MissingRoleTemplateError,
  RulesTooLargeError,
} from "@drover/crds";
import { expect } from "chai";
import { allow } from "kopf-ts/admission";
import { escalationProblem, judgingRules, lackingIn } from "./escalation.ts";

const rule = (resource: string) => ({ verbs: ["get"], apiGroups: [""], resources: [resource] });

describe("escalationProblem", () => {
  it("is none when nothing is lacking", () => {
    expect(escalationProblem({ grant: "g", username: "u", lacking: [] })).to.equal(undefined);
  });

  it("names field, person, places and rules in one sentence", () => {
    const lacking = [{ where: "in cluster c", missing: [rule("pods")] }];

    expect(escalationProblem({ grant: "roleTemplateName x", username: "ada", lacking })).to.equal(
      'roleTemplateName x grants what user ada does not hold: in cluster c {APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
    );
  });

  it("stays short for many places and rules", () => {
    const missing = Array.from({ length: 500 }, (_, index) => rule(`r${index}`));
    const lacking = Array.from({ length: 500 }, (_, index) => ({
      where: `in ns${index}`,
      missing,
    }));

    const problem = escalationProblem({ grant: "g", username: "u", lacking });

    expect(problem).to.match(/; and in more places$/);
    expect(problem?.length).to.be.below(1_000);
  });
});

describe("lackingIn", () => {
  it("is what is wanted and not held", async () => {
    const { signal } = new AbortController();
    const wanted = [rule("pods"), rule("secrets")];

    expect(await lackingIn("here", [rule("pods")], wanted, signal)).to.deep.equal([
      { where: "here", missing: [rule("secrets")] },
    ]);
    expect(await lackingIn("here", [rule("pods")], [rule("pods")], signal)).to.deep.equal([]);
  });
});

describe("judgingRules", () => {
  for (const error of [
    new CircularInheritanceError(["a", "a"]),
    new MissingRoleTemplateError("a", "b"),
    new MissingClusterRoleError("a"),
    new RulesTooLargeError(1),
  ]) {
    it(`refuses what ends in a ${error.name}, as the field's fault`, async () => {
      const verdict = await judgingRules("rules", 400, () => Promise.reject(error));

      expect(verdict).to.deep.equal({
        allowed: false,
        code: 400,
        message: `rules cannot be resolved: ${error.message}`,
      });
    });
  }

  it("passes answers and other errors on", async () => {
    const broken = new Error("the API server is away");
    let thrown: unknown;

    const answer = await judgingRules("rules", 400, () => Promise.resolve(allow()));
    await judgingRules("rules", 400, () => Promise.reject(broken)).catch((error: unknown) => {
      thrown = error;
    });

    expect(answer.allowed).to.equal(true);
    expect(thrown).to.equal(broken);
  });
});
