import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ControlPlane, testEnv } from "@drover/env";
import { expect } from "chai";
import { eventually, type Finished, Program, root } from "./drover.ts";

const folder = join(root, "examples");
const examples = readdirSync(folder).filter((name) => existsSync(join(folder, name, "crd.yaml")));

/** Name of an example's CRD. */
const crdOf = (example: string): string =>
  /^ {2}name: (\S+)$/m.exec(readFileSync(join(folder, example, "crd.yaml"), "utf8"))?.[1] ?? "";

describe("examples", function () {
  this.timeout(120_000);

  let plane: ControlPlane;
  let operator: Program | undefined;

  const kubectl = (...args: readonly string[]): Promise<Finished> => plane.kubectl(args);
  const must = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await kubectl(...args);
    expect(code, stderr).to.equal(0);
    return stdout;
  };
  const fieldOf = async (object: string, path: string): Promise<string> =>
    (await kubectl("get", object, "-o", `jsonpath={${path}}`)).stdout;
  const becomes = (object: string, path: string, value: string): Promise<true> =>
    eventually(
      `${path} = ${value} of ${object}`,
      async () => ((await fieldOf(object, path)) === value ? true : undefined),
      20_000,
      () => operator?.output ?? "",
    );
  const exists = async (object: string): Promise<boolean> =>
    (await kubectl("get", object)).code === 0;
  const comes = (object: string, want: boolean): Promise<true> =>
    eventually(
      `${object} ${want ? "there" : "gone"}`,
      async () => ((await exists(object)) === want ? true : undefined),
      60_000, // the garbage collector looks for new kinds every 30 s
      () => operator?.output ?? "",
    );

  /** As examples/README.md says: the CRD, the operator, the object. */
  const begin = async (example: string): Promise<Program> => {
    await must("apply", "-f", join(folder, example, "crd.yaml"));
    await must("wait", "--for=condition=Established", `crd/${crdOf(example)}`);
    operator = new Program(process.execPath, [join(folder, example, "operator.ts")], {
      cwd: root,
      env: { KUBECONFIG: plane.kubeconfigPath },
    });
    await must("apply", "-f", join(folder, example, "object.yaml"));
    return operator;
  };
  const endsOnSigterm = async (running: Program): Promise<void> => {
    running.kill("SIGTERM");
    expect(await running.ended(), running.output).to.equal(0);
    expect(running.output).to.not.contain("something keeps alive");
  };

  before(async () => {
    plane = await testEnv();
  });
  afterEach(async () => {
    await operator?.[Symbol.asyncDispose]();
    operator = undefined;
    await kubectl("delete", "kopfexample,itemset,reservation", "--all", "--wait=false");
  });

  it("01-minimal writes its greeting into the status", async () => {
    const running = await begin("01-minimal");

    await becomes("kopfexample/kopf-example-1", ".status.message", "hello world");
    await must(
      ...["patch", "kopfexample", "kopf-example-1", "--type=merge"],
      ...["-p", '{"spec":{"greeting":"good bye"}}'],
    );
    await becomes("kopfexample/kopf-example-1", ".status.message", "good bye");

    await endsOnSigterm(running);
  });

  it("02-owned makes, repairs, prunes and leaves its ConfigMaps to garbage collection", async () => {
    const running = await begin("02-owned");
    const first = "configmap/item-set-1-item1";
    const second = "configmap/item-set-1-item2";

    await becomes("itemset/item-set-1", ".status.items", "2");
    expect(await fieldOf(first, ".data.item")).to.equal("item1");
    expect(await fieldOf(second, ".data.item")).to.equal("item2");

    const uid = await fieldOf(first, ".metadata.uid");
    await must("delete", first);
    await comes(first, true);
    expect(await fieldOf(first, ".metadata.uid")).to.not.equal(uid);

    await must(
      ...["patch", "itemset", "item-set-1", "--type=merge"],
      ...["-p", '{"spec":{"items":["item2"]}}'],
    );
    await comes(first, false);
    await becomes("itemset/item-set-1", ".status.items", "1");
    expect(await exists(second)).to.equal(true);

    await must("delete", "itemset", "item-set-1");
    await comes(second, false);

    await endsOnSigterm(running);
  });

  it("03-admission refuses, warns and fills in, and takes its configurations along", async () => {
    const running = await begin("03-admission");
    const reservation = (name: string, spec: object, ...how: string[]): Promise<Finished> => {
      const metadata = { name, namespace: "default" };
      const object = { apiVersion: "kopf-ts.dev/v1", kind: "Reservation", metadata, spec };
      return plane.kubectl(["apply", "-f", "-", ...how], { input: JSON.stringify(object) });
    };

    // What got in before the API server knew of the webhooks would be there, and kubectl would not send it again.
    await eventually(
      "a refusal",
      async () => {
        const { code } = await reservation("reservation-2", { seats: 11 }, "--dry-run=server");
        return code === 0 ? undefined : true;
      },
      20_000,
      () => running.output,
    );
    // It learns of each configuration by itself.
    await eventually(
      "a seat that is filled in",
      async () => {
        const how = ["--dry-run=server", "-o", "jsonpath={.spec.seats}"];
        return (await reservation("reservation-4", {}, ...how)).stdout === "1" || undefined;
      },
      20_000,
      () => running.output,
    );
    const refused = await reservation("reservation-2", { seats: 11 });
    const crowded = await reservation("reservation-3", { seats: 9 });
    const silent = await reservation("reservation-4", {});

    expect(refused.stderr).to.contain(
      'admission webhook "rooms.kopf-ts.dev.reservations.kopf-ts.dev" denied the request: spec.seats is 11, but the room has 10',
    );
    expect([crowded.code, crowded.stderr]).to.deep.equal([0, "Warning: it will be crowded\n"]);
    expect(silent.code, silent.stderr).to.equal(0);
    expect(await fieldOf("reservation/reservation-4", ".spec.seats")).to.equal("1");

    await endsOnSigterm(running);
    const name = "rooms.kopf-ts.dev";
    expect(await exists(`validatingwebhookconfiguration/${name}`)).to.equal(false);
    expect(await exists(`mutatingwebhookconfiguration/${name}`)).to.equal(false);
  });

  it("have a kind each, so that no two fight over a status", () => {
    expect(new Set(examples.map(crdOf)).size).to.equal(examples.length);
  });

  it("runs every example there is", () => {
    expect(examples).to.deep.equal(["01-minimal", "02-owned", "03-admission"]);
  });
});
