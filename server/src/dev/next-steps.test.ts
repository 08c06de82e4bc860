import { expect } from "chai";
import { nextSteps } from "./next-steps.ts";

const url = "https://127.0.0.1:8443";

describe("nextSteps", () => {
  it("names the control plane's kubeconfig, kubectl and logs", () => {
    const text = nextSteps({
      url,
      kubeconfig: "/home/me/.drover/kubeconfig",
      dir: "/home/me/.drover",
    });

    expect(text).to.contain("export KUBECONFIG=/home/me/.drover/kubeconfig\n");
    expect(text).to.contain("export PATH=/home/me/.drover/bin:$PATH ");
    expect(text).to.contain("/home/me/.drover/logs");
  });

  it("quotes what a shell would take apart", () => {
    const text = nextSteps({ url, kubeconfig: "/it's here/kubeconfig", dir: "/it's here" });

    expect(text).to.contain("export KUBECONFIG='/it'\\''s here/kubeconfig'\n");
    expect(text).to.contain("export PATH='/it'\\''s here/bin':$PATH ");
  });

  it("says where the first password is: in its file, or in the Secret", () => {
    const places = { url, kubeconfig: "/c", dir: "/home/me/.drover" };

    const kept = nextSteps({ ...places, password: "/home/me/.drover/bootstrap-password" });

    expect(kept).to.contain("cat /home/me/.drover/bootstrap-password ");
    expect(nextSteps(places)).to.contain("get secret -n cattle-system bootstrap-secret");
  });

  it("speaks of no folder when the cluster is the user's own", () => {
    const text = nextSteps({ url, kubeconfig: "/c", dir: undefined });

    expect(text).to.contain("drover is ready").and.not.contain("PATH").and.not.contain("logs");
  });
});
