import { expect } from "chai";
import type { ClusterConfig } from "../kube/index.ts";
import { isSameConfig } from "./same-config.ts";

const server = "https://10.0.0.1:6443";
const token = (text: string): ClusterConfig => ({
  server,
  credentials: async () => ({ ca: "a", token: text }),
});
const unreadable: ClusterConfig = {
  server,
  credentials: () => Promise.reject(new Error("no such file")),
};

describe("isSameConfig", () => {
  const cases: readonly {
    readonly name: string;
    readonly former: ClusterConfig;
    readonly config: ClusterConfig;
    readonly identity?: boolean;
    readonly same: boolean;
  }[] = [
    { name: "the same object", former: unreadable, config: unreadable, same: true },
    { name: "credentials of two closures", former: token("t"), config: token("t"), same: true },
    { name: "another token", former: token("t"), config: token("u"), same: false },
    {
      name: "another token, where only the server counts",
      former: token("t"),
      config: token("u"),
      identity: false,
      same: true,
    },
    {
      name: "another CA, where only the server counts",
      former: token("t"),
      config: { server, credentials: { ca: "b", token: "t" } },
      identity: false,
      same: false,
    },
    {
      name: "another server",
      former: token("t"),
      config: { ...token("t"), server: "https://10.0.0.2:6443" },
      identity: false,
      same: false,
    },
    {
      name: "a proxy that hides in a function",
      former: { server, proxyUrl: () => "http://p" },
      config: { server, proxyUrl: "http://p" },
      same: true,
    },
    {
      name: "credentials that are told apart by their end only",
      former: { server, credentials: { token: "t", expiresAt: 1 } },
      config: { server, credentials: { token: "t", expiresAt: 2 } },
      same: true,
    },
    {
      name: "former credentials that cannot be read",
      former: unreadable,
      config: token("t"),
      same: false,
    },
  ];
  for (const { name, former, config, identity = true, same } of cases) {
    it(`${name}: ${same}`, async () => {
      expect(await isSameConfig(former, config, { identity })).to.equal(same);
    });
  }

  it("rejects when the credentials cannot be read", async () => {
    const error = await isSameConfig(token("t"), unreadable, { identity: true }).catch(
      (thrown: Error) => thrown.message,
    );

    expect(error).to.equal("no such file");
  });
});
