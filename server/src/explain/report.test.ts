import { Project } from "@drover/crds";
import { aProject } from "@drover/crds/testing";
import { expect } from "chai";
import {
  type Kind,
  type KubeObject,
  type ObjectRef,
  type Rehearsal,
  type RehearsedEvent,
  type RehearsedWrite,
  refTo,
} from "kopf-ts";
import { Namespace, Role, RoleBinding } from "kopf-ts/kinds";
import { type Part, report } from "./report.ts";

const project = aProject({ metadata: { name: "p-1", namespace: "c-1" } });
const write = (fields: Partial<RehearsedWrite>): RehearsedWrite => ({
  ...{ verb: "apply", where: "cluster", existed: true, changes: [] },
  object: refTo(Role, "r", "c-1"),
  ...fields,
});
const part = (rehearsal: Partial<Rehearsal>): Part => ({
  concern: "projects",
  cluster: "local",
  rehearsal: { writes: [], events: [], owned: [], ...rehearsal },
});
const warning = (object: ObjectRef): RehearsedEvent => ({
  ...{ object, type: "Warning", reason: "NoUser", message: "make it" },
});
const owned = (kind: Kind, name: string): KubeObject => refTo(kind, name, "c-1");

describe("report", () => {
  it("names the object and what is in order", () => {
    const parts = [part({ owned: [owned(Role, "a"), owned(RoleBinding, "b")] })];

    expect(report(project, parts)).to.deep.equal({
      verdict: "in order",
      lines: [
        "Project c-1/p-1",
        "",
        "projects in cluster local:",
        "  in order     Role c-1/a",
        "  in order     RoleBinding c-1/b",
      ],
    });
  });

  for (const { title, rehearsal, line } of [
    {
      title: "is missing",
      rehearsal: { writes: [write({ existed: false })] },
      line: "  missing      Role c-1/r",
    },
    {
      title: "differs, and where",
      rehearsal: { writes: [write({ changes: ["/rules/0/verbs"] })], owned: [owned(Role, "r")] },
      line: "  differs      Role c-1/r: /rules/0/verbs",
    },
    {
      title: "differs in many places",
      rehearsal: { writes: [write({ changes: ["1", "2", "3", "4", "5", "6", "7"] })] },
      line: "  differs      Role c-1/r: 1, 2, 3, 4, 5, 6 and 1 more",
    },
    {
      title: "is too much",
      rehearsal: { writes: [write({ verb: "delete" })], owned: [owned(Role, "r")] },
      line: "  superfluous  Role c-1/r",
    },
    {
      title: "the server would refuse",
      rehearsal: { writes: [write({ existed: false, refused: "no" })] },
      line: "  refused      Role c-1/r: no",
    },
    {
      title: "would change in a status of the management cluster",
      rehearsal: {
        writes: [
          write({
            where: "hub",
            subresource: "status",
            object: refTo(Project, "p-1", "c-1"),
            changes: ["/status/x"],
          }),
        ],
      },
      line: "  differs      Project c-1/p-1 (status) in the management cluster: /status/x",
    },
    {
      title: "has no name yet",
      rehearsal: { writes: [write({ existed: false, object: refTo(Role, "", "c-1") })] },
      line: "  missing      Role with a name that the server chooses, in c-1",
    },
    {
      title: "the concern warns of, once",
      rehearsal: {
        events: [warning(project), warning(project), { ...warning(project), type: "Normal" }],
      },
      line: "  warns        NoUser: make it",
    },
    {
      title: "the concern warns of another object",
      rehearsal: { events: [warning(refTo(Namespace, "x"))] },
      line: "  warns        Namespace x: NoUser: make it",
    },
    {
      title: "fails",
      rehearsal: { error: new Error("no template") },
      line: "  fails: no template",
    },
  ] satisfies readonly { title: string; rehearsal: Partial<Rehearsal>; line: string }[]) {
    it(`tells what ${title}`, () => {
      const { lines, verdict } = report(project, [part(rehearsal)]);

      expect(lines.slice(3)).to.deep.equal([line]);
      expect(verdict).to.equal("differs");
    });
  }

  it("takes a write that changes nothing for what is in order", () => {
    const unchanged = write({ object: refTo(Namespace, "x") });

    expect(report(project, [part({ writes: [unchanged] })])).to.deep.include({
      verdict: "in order",
    });
  });

  it("names conditions that do not hold", () => {
    const conditions = [
      { type: "A", status: "True" },
      { type: "B", status: "False", reason: "Broken", message: "it broke" },
      { type: "C", status: "Unknown" },
    ] as const;

    const { lines } = report({ ...project, status: { conditions } } as Project, []);

    expect(lines).to.deep.equal([
      "Project c-1/p-1",
      "  condition B is False: Broken: it broke",
      "  condition C is Unknown: no reason given",
    ]);
  });

  for (const { finalizers, waits } of [
    { finalizers: ["x.dev/a", "x.dev/b"], waits: "; waits for finalizers x.dev/a, x.dev/b" },
    { finalizers: ["x.dev/a"], waits: "; waits for finalizer x.dev/a" },
    { finalizers: undefined, waits: "" },
  ]) {
    it(`tells of a deletion that waits for ${finalizers?.length ?? "no"} finalizers`, () => {
      const deletionTimestamp = "2025-01-01T00:00:00Z";
      const metadata = {
        ...project.metadata,
        deletionTimestamp,
        ...(finalizers && { finalizers }),
      };
      const conditions = [{ type: "Removed", status: "False", reason: "R", message: "m" }] as const;

      const { lines } = report({ ...project, metadata, status: { conditions } } as Project, []);

      expect(lines).to.deep.equal([
        "Project c-1/p-1",
        `  is being deleted since ${deletionTimestamp}${waits}`,
        "  condition Removed is False: R: m",
      ]);
    });
  }

  it("says in one line for each cluster what cannot be told of it, and why", () => {
    const obstacle = "GET /pods?watch=1&a=b: it is\naway";
    const parts: readonly Part[] = [
      { concern: "x", cluster: "c-2", obstacle },
      { concern: "y", cluster: "c-2", obstacle },
      { concern: "x", cluster: "c-3", obstacle: "not asked" },
    ];

    expect(report(project, parts)).to.deep.equal({
      verdict: "unknown",
      lines: [
        ...["Project c-1/p-1", "", "cannot be told:"],
        "  cluster c-2 (x, y): GET /pods: it is away",
        "  cluster c-3 (x): not asked",
      ],
    });
  });

  it("cuts a long reason", () => {
    const parts: readonly Part[] = [{ concern: "x", cluster: "c-2", obstacle: "y".repeat(900) }];

    expect(report(project, parts).lines.at(-1)).to.match(/^ {2}cluster c-2 \(x\): y{399}…$/);
  });

  it("counts a difference for more than what cannot be told", () => {
    const parts = [
      { concern: "x", cluster: "c-2", obstacle: "away" },
      part({ writes: [write({ existed: false })] }),
    ];

    expect(report(project, parts).verdict).to.equal("differs");
  });

  it("has no paragraph for a concern with nothing to show, and one line for clusters with the same of them", () => {
    const quiet = (concern: string, cluster: string): Part => ({ ...part({}), concern, cluster });
    const parts = [
      quiet("a", "local"),
      part({ owned: [owned(Role, "r")] }),
      ...["c-1", "c-2"].flatMap((cluster) => [quiet("a", cluster), quiet("b", cluster)]),
    ];

    expect(report(project, parts)).to.deep.equal({
      verdict: "in order",
      lines: [
        ...["Project c-1/p-1", "", "projects in cluster local:", "  in order     Role c-1/r", ""],
        "in order, with nothing to list:",
        "  a in cluster local",
        "  a, b in clusters c-1, c-2",
      ],
    });
  });
});
