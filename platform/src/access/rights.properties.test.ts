import { covers, type PolicyRule } from "@drover/crds";
import {
  aClusterRoleTemplateBinding,
  aGlobalRole,
  aGlobalRoleBinding,
  aProjectRoleTemplateBinding,
  aRoleTemplate,
} from "@drover/crds/testing";
import { expect } from "chai";
import type { KubeObject } from "kopf-ts";
import { type Random, seededRandom } from "kopf-ts/testing";
import type { Caller } from "./caller.ts";
import {
  aClusterRole,
  aRole,
  bindEverywhere,
  bindIn,
  group,
  memory,
  user,
} from "./memory.test.support.ts";
import { randomRules } from "./random-rules.test.support.ts";
import { type Rights, rightsOf } from "./rights.ts";

const rounds = 150;
const first = Number(process.env.ACCESS_SEED ?? 1);
const alice: Caller = { username: "alice", groups: ["devs"] };
const project = "c-abcde:p-abcde";
const names = ["r1", "r2", "r3"] as const;
const bound = ["alice", "devs", "bob", "ops"] as const;

/** What somebody holds in every sort of place. */
function everyPlace(rights: Rights): readonly (readonly PolicyRule[])[] {
  return [
    rights.everywhere(),
    rights.inNamespace("c-abcde"),
    rights.inCluster("c-abcde"),
    rights.inCluster("local"),
    rights.inProject(project, "c-abcde-p-abcde"),
    rights.inManagedClusters(),
    rights.inManagedNamespace("ns"),
    rights.inWorkspaces(),
    rights.onWorkspaces(),
  ];
}

/** Three roles of each kind, some of which inherit others, perhaps in a circle. */
function roles(random: Random): readonly KubeObject[] {
  return names.flatMap((name) => [
    aClusterRole(name, ...randomRules(random)),
    aRole("c-abcde", name, ...randomRules(random)),
    aRoleTemplate({
      metadata: { name },
      rules: randomRules(random),
      roleTemplateNames: random.chance(0.4) ? [random.pick(names)] : [],
    }),
    aGlobalRole({
      metadata: { name },
      rules: randomRules(random),
      inheritedClusterRoles: [random.pick(names)],
      inheritedNamespacedRules: { ns: randomRules(random) },
      inheritedFleetWorkspacePermissions: {
        resourceRules: randomRules(random),
        workspaceVerbs: ["get"],
      },
    }),
  ]);
}

function binding(random: Random): KubeObject {
  const name = random.pick(names);
  const who = random.pick(bound);
  const isUser = who === "alice" || who === "bob";
  const subject = isUser ? user(who) : group(who);
  const named = isUser ? { userName: who } : { userName: "", groupPrincipalName: who };
  return random.pick<() => KubeObject>([
    () => bindEverywhere(name, subject),
    () => bindIn("c-abcde", random.pick(["Role", "ClusterRole"]), name, subject),
    () => aClusterRoleTemplateBinding({ ...named, roleTemplateName: name }),
    () => aProjectRoleTemplateBinding({ ...named, roleTemplateName: name }),
    () => aGlobalRoleBinding({ ...named, globalRoleName: name }),
  ])();
}

function forEachSeed(test: (random: Random) => void): void {
  for (let seed = first; seed < first + rounds; seed++) {
    try {
      test(seededRandom(seed));
    } catch (cause) {
      throw new Error(`ACCESS_SEED=${seed}`, { cause });
    }
  }
}

describe("rights, for random roles and bindings", () => {
  it("only grow with another binding", () => {
    forEachSeed((random) => {
      const objects = [...roles(random), ...Array.from({ length: 4 }, () => binding(random))];
      const before = everyPlace(rightsOf(alice, memory(objects)));

      const after = everyPlace(rightsOf(alice, memory([...objects, binding(random)])));

      for (const [index, held] of before.entries()) {
        expect(covers(after[index] ?? [], held)).to.deep.equal([]);
      }
    });
  });

  it("do not depend on the order of objects, nor of groups", () => {
    forEachSeed((random) => {
      const objects = [...roles(random), ...Array.from({ length: 5 }, () => binding(random))];
      const caller = { username: "alice", groups: ["devs", "ops"] };

      const one = everyPlace(rightsOf(caller, memory(objects)));
      const other = everyPlace(
        rightsOf({ ...caller, groups: ["ops", "devs"] }, memory([...objects].reverse())),
      );

      for (const [index, held] of one.entries()) {
        expect(covers(other[index] ?? [], held)).to.deep.equal([]);
        expect(covers(held, other[index] ?? [])).to.deep.equal([]);
      }
    });
  });

  it("are those of the name and of each group together, nothing more", () => {
    forEachSeed((random) => {
      const sources = memory([
        ...roles(random),
        ...Array.from({ length: 6 }, () => binding(random)),
      ]);
      const only = (caller: Caller) => everyPlace(rightsOf(caller, sources));
      const parts = [
        only({ username: "alice", groups: [] }),
        only({ username: "", groups: ["devs"] }),
        only({ username: "", groups: ["ops"] }),
      ];

      const whole = only({ username: "alice", groups: ["devs", "ops"] });

      for (const [index, held] of whole.entries()) {
        const sum = parts.flatMap((part) => part[index] ?? []);
        expect(covers(sum, held)).to.deep.equal([]);
        expect(covers(held, sum)).to.deep.equal([]);
      }
    });
  });

  it("cover any part of themselves", () => {
    forEachSeed((random) => {
      const objects = [...roles(random), ...Array.from({ length: 4 }, () => binding(random))];

      for (const held of everyPlace(rightsOf(alice, memory(objects)))) {
        expect(
          covers(
            held,
            held.filter(() => random.chance(0.5)),
          ),
        ).to.deep.equal([]);
      }
    });
  });
});
