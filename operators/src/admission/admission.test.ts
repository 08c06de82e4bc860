import { aProject } from "@drover/crds/testing";
import { parseFeatures } from "@drover/platform";
import { expect } from "chai";
import { RunningAdmission } from "../testing/admission.ts";
import { refusal } from "../testing/refusal.ts";
import { admission } from "./index.ts";

describe("admission as a whole", function () {
  this.timeout(60_000);

  it("is served by one process, each kind by its own webhook", async () => {
    await using running = await RunningAdmission.open({
      webhooks: admission({ env: {}, features: parseFeatures("") }),
    });
    const metadata = { name: "local" };
    await refusal(running.own.create({ apiVersion: "v1", kind: "Namespace", metadata }));
    const project = aProject({
      metadata: { namespace: "local" },
      spec: { displayName: "x", clusterName: "elsewhere" },
    });

    expect(await refusal(running.client.create(project))).to.equal(
      "400 spec.clusterName must be the same as the namespace",
    );
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata };
    expect(await refusal(running.client.delete(namespace))).to.match(/^400 namespace local cannot/);
    expect(running.lines.filter((line) => line.includes('"level":"error"'))).to.deep.equal([]);
  });
});
