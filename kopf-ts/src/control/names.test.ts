import { expect } from "chai";
import { ControllerRunner, done, finalizerOf } from "./index.ts";
import { checkNames } from "./names.ts";
import { Fed, noClient, Widget } from "./testing/fed.ts";

const finalize = async () => done;
const long = "a-very-long-name-of-a-controller-that-somebody-generated-from-a-kind";

describe("finalizerOf", () => {
  const perCluster = (cluster: string) => `example.com/x_${cluster}`;
  for (const { name, controller, expected } of [
    { name: "the controller's name", controller: { name: "x" }, expected: "kopf-ts.dev/x" },
    {
      name: "name and cluster for objects of the hub, which each cluster holds for itself",
      controller: { name: "x", hub: true },
      expected: "kopf-ts.dev/x_c-1",
    },
    {
      name: "what is declared, also for objects of the hub",
      controller: { name: "x", hub: true, finalizer: "a.dev/b" },
      expected: "a.dev/b",
    },
    {
      name: "what is declared for each cluster",
      controller: { name: "x", finalizer: perCluster },
      expected: "example.com/x_c-1",
    },
  ]) {
    it(`is ${name}`, () => expect(finalizerOf(controller, "c-1")).to.equal(expected));
  }
});

describe("checkNames", () => {
  for (const { name, controller, prefix = "" } of [
    { name: "a name in kebab-case", controller: { name: "token-purge", finalize } },
    { name: "a long name without a finalizer", controller: { name: long } },
    {
      name: "a long name with a finalizer of its own",
      controller: { name: long, finalize, finalizer: "controller.cattle.io/short" },
    },
    { name: "the longest finalizer", controller: { name: "x".repeat(63), finalize } },
    {
      name: "a finalizer without a domain",
      controller: { name: "x", finalize, finalizer: "mine" },
    },
    {
      name: "the longest field manager",
      controller: { name: "x".repeat(120) },
      prefix: "drover-1",
    },
    { name: "what can be printed", controller: { name: "größe: 1 §" } },
  ]) {
    it(`takes ${name}`, () => checkNames(controller, prefix));
  }

  for (const { name, controller, prefix = "", message } of [
    { name: "no name at all", controller: { name: "" }, message: "needs a name" },
    {
      name: "a name too long for its finalizer",
      controller: { name: long, finalize },
      message: `its finalizer "kopf-ts.dev/${long}"`,
    },
    {
      name: "a name that no finalizer may have",
      controller: { name: "token purge", finalize },
      message: 'its finalizer "kopf-ts.dev/token purge"',
    },
    {
      name: "a finalizer in two domains",
      controller: { name: "x", finalize, finalizer: "a.dev/b/c" },
      message: 'its finalizer "a.dev/b/c"',
    },
    {
      name: "a finalizer in a domain that is none",
      controller: { name: "x", finalize, finalizer: "A_b/c" },
      message: 'its finalizer "A_b/c"',
    },
    {
      name: "an empty finalizer",
      controller: { name: "x", finalize, finalizer: "" },
      message: 'its finalizer ""',
    },
    {
      name: "a field manager that is too long with its prefix",
      controller: { name: "x".repeat(121) },
      prefix: "drover-1",
      message: "must be 1 to 128 printable bytes",
    },
    {
      name: "what cannot be printed",
      controller: { name: "a\nb" },
      message: 'controller "a\\nb": its field manager "a\\nb"',
    },
  ]) {
    it(`refuses ${name}`, () => {
      expect(() => checkNames(controller, prefix)).to.throw(TypeError, message);
    });
  }

  it("looks at the finalizer of the cluster", () => {
    const held = { name: "holder", finalize, hub: true };
    const named = { ...held, finalizer: (cluster: string) => `example.com/${cluster}` };

    expect(() => checkNames(held, "", "c-1")).not.to.throw();
    expect(() => checkNames(held, "", "x".repeat(60))).to.throw(
      TypeError,
      `/holder_${"x".repeat(60)}"`,
    );
    expect(() => checkNames(named, "", "c-1")).not.to.throw();
    expect(() => checkNames(named, "", "c/1")).to.throw(TypeError, '"example.com/c/1"');
  });

  it("speaks up before a runner starts anything", () => {
    const controller = { name: long, watches: Widget, finalize, reconcile: finalize };
    const run = () =>
      new ControllerRunner(controller, { client: noClient, informers: new Fed().informers });

    expect(run).to.throw(TypeError, "declare another one as `finalizer`");
  });
});
