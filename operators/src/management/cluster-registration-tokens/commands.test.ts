import { expect } from "chai";
import { commandsOf } from "./commands.ts";

const input = { serverUrl: "https://drover.test", caChecksum: "", cluster: "c-1", env: [] };

describe("commandsOf", () => {
  it("are Rancher's, with a placeholder for the value", () => {
    const manifest = "https://drover.test/v3/import/{token}_c-1.yaml";
    const install = "https://drover.test/system-agent-install.sh | sudo sh -s -";
    const label = "--server https://drover.test --label 'cattle.io/os=linux' --token {token}";
    const script = "https://drover.test/wins-agent-install.ps1 -o install.ps1;";
    const policy = "Set-ExecutionPolicy Bypass -Scope Process -Force;";
    const run =
      "./install.ps1 -Server https://drover.test -Label 'cattle.io/os=windows' -Token {token} -Worker";

    expect(commandsOf(input)).to.deep.equal({
      manifestUrl: manifest,
      command: `kubectl apply -f ${manifest}`,
      insecureCommand: `curl --insecure -sfL ${manifest} | kubectl apply -f -`,
      nodeCommand: `curl -fL ${install} ${label}`,
      insecureNodeCommand: `curl --insecure -fL ${install} ${label}`,
      windowsNodeCommand: `curl.exe -fL ${script} ${policy} ${run}`,
      insecureWindowsNodeCommand: `curl.exe --insecure -fL ${script} ${policy} ${run}`,
    });
  });

  it("check the CA where there is one", () => {
    const { nodeCommand, windowsNodeCommand } = commandsOf({ ...input, caChecksum: "ab12" });

    expect(nodeCommand).to.match(/ --token \{token\} --ca-checksum ab12$/);
    expect(windowsNodeCommand).to.match(/ -Worker -CaChecksum ab12$/);
  });

  it("pass on the variables of agents, which run nothing where they are pasted", () => {
    const env = [
      { name: "HTTP_PROXY", value: "http://proxy" },
      { name: "EVIL", value: '$(reboot)"`\\' },
      { name: "x; reboot", value: "1" },
      { name: "EMPTY", value: "" },
    ];
    const { nodeCommand, windowsNodeCommand } = commandsOf({ ...input, env });

    const variables = 'HTTP_PROXY="http://proxy" EVIL="\\$(reboot)\\"\\`\\\\" ';
    expect(nodeCommand?.startsWith(`${variables}curl -fL `)).to.equal(true);
    expect(nodeCommand).to.contain(`| sudo ${variables}sh -s -`);
    expect(windowsNodeCommand?.split("curl.exe")[0]).to.equal(
      '$env:HTTP_PROXY="http://proxy"; $env:EVIL="`$(reboot)`"``\\"; ',
    );
  });

  for (const serverUrl of ["", "not an address", "javascript:alert(1)"]) {
    it(`are none while server-url is ${JSON.stringify(serverUrl)}`, () => {
      expect(commandsOf({ ...input, serverUrl })).to.deep.equal({});
    });
  }

  it("leave out the path of server-url", () => {
    const { manifestUrl } = commandsOf({ ...input, serverUrl: "https://drover.test:8443/path/" });

    expect(manifestUrl).to.equal("https://drover.test:8443/v3/import/{token}_c-1.yaml");
  });
});
