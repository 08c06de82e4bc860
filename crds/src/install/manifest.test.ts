import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { Token } from "../auth/token.ts";
import { User } from "../auth/user.ts";
import { manifestFile, parseManifest, readManifest } from "./manifest.ts";

describe("parseManifest", () => {
  for (const { name, text, words } of [
    { name: "refuses an empty file", text: "", words: /^it is null/ },
    {
      name: "refuses another object",
      text: "apiVersion: v1\nkind: Pod",
      words: /^it.apiVersion is "v1"/,
    },
    { name: "refuses what is no YAML", text: "a: [", words: /./ },
  ]) {
    it(name, () => expect(() => parseManifest(text, Token)).to.throw(words));
  }

  it("refuses the CRD of another kind", async () => {
    const text = await readFile(manifestFile(User), "utf8");

    expect(() => parseManifest(text, Token)).to.throw(
      'it.metadata.name is "users.management.cattle.io", not "tokens.management.cattle.io"',
    );
  });

  it("refuses a second version", async () => {
    const text = await readFile(manifestFile(User), "utf8");
    const two = text.replace("  versions:\n", "  versions:\n    - name: v2\n");

    expect(() => parseManifest(two, User)).to.throw("it.spec.versions has 2 items, not 1");
  });
});

describe("readManifest", () => {
  it("says which file is missing", async () => {
    const thrown = await readManifest({ ...User, plural: "people" }).catch(String);

    expect(thrown).to.match(/people\.management\.cattle\.io\.yaml/);
  });
});
