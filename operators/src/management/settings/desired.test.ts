import { aSetting } from "@drover/crds/testing";
import { newSetting } from "@drover/platform";
import { expect } from "chai";
import { repair, replacement } from "./desired.ts";

describe("repair of a setting", () => {
  for (const { title, setting, env = {}, expected } of [
    { title: "as it should be", setting: newSetting("ui-issues", {}), expected: undefined },
    {
      title: "with a value that a person set",
      setting: { ...newSetting("ui-issues", {}), value: "https://mine.test" },
      expected: undefined,
    },
    {
      title: "with a stale default",
      setting: { ...newSetting("password-min-length", {}), value: "20", default: "8" },
      expected: { value: "20", default: "12", source: "" },
    },
    {
      title: "that the environment forces",
      setting: newSetting("server-url", {}),
      env: { CATTLE_SERVER_URL: "https://env.test" },
      expected: { value: "https://env.test", default: "", source: "env" },
    },
    {
      title: "that the environment forces no more",
      setting: { ...newSetting("server-url", {}), value: "https://env.test", source: "env" },
      expected: { value: "", default: "", source: "" },
    },
    {
      title: "of an unknown name",
      setting: aSetting({ metadata: { name: "of-a-plugin" } }),
      expected: undefined,
    },
    {
      title: "whose default was found out",
      setting: { ...newSetting("k8s-version", {}), default: "v1.35.4" },
      expected: undefined,
    },
    {
      title: "that kept an older server's default",
      setting: newSetting("agent-tls-mode", {}, { upgrade: true }),
      expected: undefined,
    },
  ] satisfies readonly {
    title: string;
    setting: Parameters<typeof repair>[0];
    env?: Record<string, string>;
    expected: ReturnType<typeof repair>;
  }[]) {
    it(`is right for one ${title}`, () => expect(repair(setting, env)).to.deep.equal(expected));
  }

  it("gives the installation an identity once", () => {
    const bare = newSetting("install-uuid", {});

    expect(repair(bare, {})?.value).to.match(/^[\da-f]{8}-/);
    expect(repair({ ...bare, value: "ours" }, {})).to.equal(undefined);
  });
});

describe("replacement of a setting", () => {
  it("is what the next start would make", () => {
    expect(replacement("agent-tls-mode", {})?.default).to.equal("system-store");
    expect(replacement("server-url", { CATTLE_SERVER_URL: "https://env.test" })).to.include({
      value: "https://env.test",
      source: "env",
    });
  });

  it("is none for an unknown name", () => {
    expect(replacement("of-a-plugin", {})).to.equal(undefined);
  });
});
