import { expect } from "chai";
import { kubeconfigYaml } from "./kubeconfig.ts";

const cluster = { name: "dro: ver", server: "https://127.0.0.1:6443", ca: "CA" };

describe("kubeconfigYaml", () => {
  it("carries a client certificate inline", () => {
    const yaml = kubeconfigYaml({ ...cluster, credentials: { cert: "CERT", key: "KEY" } });

    expect(yaml).to.contain("    client-certificate-data: Q0VSVA==\n    client-key-data: S0VZ\n");
    expect(yaml).to.contain(
      "    server: https://127.0.0.1:6443\n    certificate-authority-data: Q0E=\n",
    );
  });

  it("carries a bearer token instead", () => {
    const yaml = kubeconfigYaml({ ...cluster, credentials: { token: 'a"b' } });

    expect(yaml).to.contain('    token: "a\\"b"\n');
    expect(yaml).to.not.contain("client-");
  });

  it("quotes the name wherever it stands, so that any name is valid", () => {
    const yaml = kubeconfigYaml({ ...cluster, credentials: { token: "t" } });

    expect(yaml.match(/"dro: ver"/g)).to.have.length(6);
  });
});
