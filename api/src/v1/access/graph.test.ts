import type { PolicyRule } from "@drover/crds";
import { expect } from "chai";
import { grantsOf } from "./grants.ts";
import { type Binding, RbacGraph } from "./graph.ts";

const read: PolicyRule = { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] };
const write: PolicyRule = { ...read, verbs: ["*"] };
const binding = (key: string, role: string, ...subjects: string[]): Binding => {
  const [namespace, name] = key.split("/");
  return { key, namespace: name === undefined ? undefined : namespace, role, subjects };
};

/** A graph, and whom it tells to have changed. */
function observed() {
  const told: string[] = [];
  const graph = new RbacGraph((subject) => told.push(subject));
  return { graph, told: () => told.splice(0).sort() };
}

describe("RbacGraph", () => {
  it("tells the subjects of a binding that comes, changes and goes", () => {
    const { graph, told } = observed();
    graph.setRole("reader", [read]);

    graph.setBinding("ns/b", binding("ns/b", "reader", "user:a", "group:g"));
    expect(told()).to.deep.equal(["group:g", "user:a"]);

    graph.setBinding("ns/b", binding("ns/b", "reader", "user:a", "user:b"));
    expect(told()).to.deep.equal(["group:g", "user:a", "user:b"]);

    graph.setBinding("ns/b", undefined);
    expect(told()).to.deep.equal(["user:a", "user:b"]);
    expect(graph.subject("user:a")).to.equal(undefined);
  });

  it("tells the subjects of a role that comes, changes and goes, and nobody else", () => {
    const { graph, told } = observed();
    graph.setBinding("b", binding("b", "reader", "user:a"));
    graph.setBinding("c", binding("c", "other", "user:c"));
    told();

    graph.setRole("reader", [read]);
    expect(told()).to.deep.equal(["user:a"]);
    graph.setRole("reader", [write]);
    expect(told()).to.deep.equal(["user:a"]);
    graph.setRole("reader", undefined);
    expect(told()).to.deep.equal(["user:a"]);
    expect(graph.rulesOf("reader")).to.equal(undefined);
  });

  it("takes what changes no right for no change", () => {
    const { graph, told } = observed();
    graph.setRole("reader", [read, write]);
    graph.setBinding("b", binding("b", "reader", "user:a"));
    const { revision } = graph;
    told();

    graph.setRole("reader", [write, { ...read, verbs: ["list", "get"] }]);
    graph.setBinding("b", binding("b", "reader", "user:a"));
    graph.setRole("missing", undefined);
    graph.setBinding("missing", undefined);

    expect(told()).to.deep.equal([]);
    expect(graph.revision).to.equal(revision);
  });

  it("keeps equal rules once, for as long as a role has them", () => {
    const { graph } = observed();
    for (const namespace of ["a", "b"]) graph.setRole(`${namespace}/r`, [read]);
    const shared = graph.rulesOf("a/r");
    expect(graph.rulesOf("b/r")).to.equal(shared);

    for (const namespace of ["a", "b"]) graph.setRole(`${namespace}/r`, undefined);
    graph.setRole("a/r", [read]);

    expect(graph.rulesOf("a/r")).to.not.equal(shared);
  });

  it("hands out nothing for a role that is missing, and the rest", () => {
    const { graph } = observed();
    graph.setRole("reader", [read]);
    graph.setBinding("b", binding("b", "reader", "user:a"));
    graph.setBinding("ns/b", binding("ns/b", "ns/missing", "user:a"));

    const grants = grantsOf([graph.subject("user:a"), undefined], (role) => graph.rulesOf(role));

    expect(grants.map(({ everywhere, rules }) => [everywhere, rules.written])).to.deep.equal([
      [true, [read]],
    ]);
  });
});
